"""A writer is killed at random moments, again and again: stream, expiry index and past still fit the table."""

from __future__ import annotations

import random
import signal
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tests.crash import stream_writer
from tests.crash.killing import lines_until_killed
from tests.crash.stream_writer import TABLE

LOOPS = 8


def run_and_kill(path: Path, seed: int, seconds: float) -> int:
    """Start the writer and kill it after a while without warning; the number of writes that it acknowledged."""
    return len(lines_until_killed(stream_writer.__file__, str(path), str(seed), seconds=seconds))


def scanned(engine: Engine, table: str) -> dict[str, Any]:
    items: dict[str, Any] = {}
    request: dict[str, Any] = {"TableName": table}
    while True:
        page = engine.execute("Scan", request)
        items |= {item["pk"]["S"]: item for item in page["Items"]}
        if "LastEvaluatedKey" not in page:
            return items
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


class Replica:
    """What somebody has who replays the stream; goes on after the last record that it saw."""

    def __init__(self) -> None:
        self.items: dict[str, Any] = {}
        self.number: str | None = None
        self.seen = 0

    def follow(self, engine: Engine) -> None:
        arn = engine.execute("DescribeTable", {"TableName": TABLE})["Table"]["LatestStreamArn"]
        (shard,) = engine.execute("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
        start: dict[str, Any] = {"ShardIteratorType": "TRIM_HORIZON"}
        if self.number is not None:
            start = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": self.number}
        request = {"StreamArn": arn, "ShardId": shard["ShardId"], **start}
        iterator = engine.execute("GetShardIterator", request)["ShardIterator"]
        while True:
            page = engine.execute("GetRecords", {"ShardIterator": iterator})
            if not page["Records"]:
                return
            for record in page["Records"]:
                self.apply(record)
            iterator = page["NextShardIterator"]

    def apply(self, record: dict[str, Any]) -> None:
        change = record["dynamodb"]
        key = change["Keys"]["pk"]["S"]
        assert self.number is None or change["SequenceNumber"] > self.number
        assert self.items.get(key) == change.get("OldImage")
        if "NewImage" in change:
            self.items[key] = change["NewImage"]
        else:
            del self.items[key]
        self.number = change["SequenceNumber"]
        self.seen += 1


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_stream_and_table_are_the_same_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "killed.db"
    moments = random.Random(8)
    replica = Replica()
    acknowledged = 0
    with open_engine(path, sweep_every=None) as engine:
        stream_writer.prepare(engine)
    for loop in range(LOOPS):
        acknowledged += run_and_kill(path, loop, moments.uniform(0.0, 0.25))
        with open_engine(path, sweep_every=None) as engine:
            assert engine.verify() == []
            replica.follow(engine)
            assert scanned(engine, TABLE) == replica.items
            restored = f"Restored{loop}"
            engine.execute(
                "RestoreTableToPointInTime",
                {"SourceTableName": TABLE, "TargetTableName": restored, "UseLatestRestorableTime": True},
            )
            assert scanned(engine, restored) == replica.items
            engine.execute("DeleteTable", {"TableName": restored})
    assert acknowledged > 50
    assert replica.seen > 50
