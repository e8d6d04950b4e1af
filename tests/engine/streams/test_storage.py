"""Records lie in the transaction of their change: in groups, after failures, in several processes, and when damaged."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.engine.storage import Change
from tablewright.errors import ConditionalCheckFailed, CorruptDataError
from tests.engine.timed_lab import Lab, MovingClock

KEY = {"pk": {"S": "a"}, "sk": {"N": "0"}}


def open_lab(path: Path) -> Lab:
    clock = MovingClock()
    return Lab(open_engine(path, synchronous="NORMAL", clock=clock, sweep_every=None), clock)


def replayed(lab: Lab, arn: str) -> dict[tuple[str, str], Any]:
    state: dict[tuple[str, str], Any] = {}
    for record in lab.records(arn):
        change = record["dynamodb"]
        key = change["Keys"]["pk"]["S"], change["Keys"]["sk"]["N"]
        assert state.get(key) == change.get("OldImage")
        state[key] = change.get("NewImage")
    return {key: item for key, item in state.items() if item is not None}


def stored(lab: Lab) -> dict[tuple[str, str], Any]:
    return {(item["pk"]["S"], item["sk"]["N"]): item for item in lab("Scan", TableName="App")["Items"]}


def add_one(engine: Engine, sk: int, *, fail: bool) -> None:
    """Count in an item, or fail after having written another one in the same transaction."""
    update = {
        "TableName": "App",
        "Key": {**KEY, "sk": {"N": str(sk)}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
    }
    if fail:
        update["ConditionExpression"] = "attribute_exists(never)"
    try:
        engine.execute("UpdateItem", update)
    except ConditionalCheckFailed:
        assert fail


def test_many_writers_at_once(tmp_path: Path) -> None:
    lab, other = open_lab(tmp_path / "d.db"), open_lab(tmp_path / "d.db")
    with lab.engine, other.engine:
        arn = lab.create()

        def work(engine: Engine, number: int) -> None:
            for step in range(40):
                add_one(engine, (number + step) % 3, fail=step % 5 == 0)

        workers = [
            threading.Thread(target=work, args=(engine, number))
            for number in range(4)
            for engine in (lab.engine, other.engine)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert sum(int(item["n"]["N"]) for item in stored(lab).values()) == 8 * 32
        assert replayed(lab, arn) == stored(lab)
        assert len(lab.records(arn)) == 8 * 32
        assert lab.engine.verify() == []


def test_requests_that_share_a_commit(tmp_path: Path) -> None:
    lab = open_lab(tmp_path / "d.db")
    with lab.engine:
        arn = lab.create()
        puts = [{"TableName": "App", "Item": {**KEY, "sk": {"N": str(n)}}} for n in range(5)]
        puts[2]["ConditionExpression"] = "attribute_exists(pk)"
        answers = lab.engine.execute_together([("PutItem", put, "eu-central-1") for put in puts])
        assert [isinstance(answer, ConditionalCheckFailed) for answer in answers] == [False, False, True, False, False]
        assert [record["dynamodb"]["Keys"]["sk"]["N"] for record in lab.records(arn)] == ["0", "1", "3", "4"]
        assert replayed(lab, arn) == stored(lab)


def test_a_failure_behind_the_table_takes_the_record_along(tmp_path: Path) -> None:
    lab = open_lab(tmp_path / "d.db")
    with lab.engine:
        arn = lab.create()
        table = lab.engine._database.catalogue.tables["App"]

        def work(transaction: Any) -> None:
            transaction.apply(Change(table, table.schema.key(KEY), None, KEY, 5, b'{"pk":{"S":"a"},"sk":{"N":"0"}}'))
            raise KeyError("after the write")

        with pytest.raises(KeyError):
            lab.engine._database.write(work)
        assert lab.records(arn) == []
        lab.put("a")
        assert len(lab.records(arn)) == 1


def test_another_process_sees_a_stream_that_was_switched_on(tmp_path: Path) -> None:
    lab, other = open_lab(tmp_path / "d.db"), open_lab(tmp_path / "d.db")
    with lab.engine, other.engine:
        lab.create(None)
        other.put("before")
        arn = lab.switch("KEYS_ONLY")
        other.put("after")
        assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in other.records(arn)] == ["after"]
        lab.switch(None)
        other.put("late")
        assert len(other.records(arn)) == 1


def test_a_stream_goes_on_after_opening_again(tmp_path: Path) -> None:
    lab = open_lab(tmp_path / "d.db")
    with lab.engine:
        arn = lab.create()
        lab.put("a")
        number = lab.records(arn)[0]["dynamodb"]["SequenceNumber"]
    lab = open_lab(tmp_path / "d.db")
    with lab.engine:
        lab.put("b")
        place = lab.iterator(arn, None, "AFTER_SEQUENCE_NUMBER", number)
        (record,) = lab("GetRecords", ShardIterator=place)["Records"]
        assert record["dynamodb"]["Keys"]["pk"] == {"S": "b"}


def test_damage_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "d.db"
    lab = open_lab(path)
    with lab.engine:
        arn = lab.create()
        lab(
            "UpdateContinuousBackups",
            TableName="App",
            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
        )
        ttl = {"Enabled": True, "AttributeName": "ttl"}
        lab("UpdateTimeToLive", TableName="App", TimeToLiveSpecification=ttl)
        lab.put("a", v={"S": "one"}, ttl={"N": "1900000000"})
        lab.put("a", v={"S": "two"}, ttl={"N": "1900000000"})
    plain = sqlite3.connect(path)
    plain.execute("UPDATE stream_1_1 SET images = CAST(replace(images, 'two', 'six') AS BLOB) WHERE sequence = 2")
    plain.execute("UPDATE undo_1 SET item = CAST(replace(item, 'one', 'six') AS BLOB) WHERE change = 2")
    plain.execute("DELETE FROM expiry_1")
    plain.commit()
    plain.close()
    lab = open_lab(path)
    with lab.engine:
        assert [str(problem) for problem in lab.engine.verify()] == [
            "table App: stream record 2 does not match its checksum",
            "table App: the old image of change 2 does not match its checksum",
            "table App: the index of expiry times is wrong in 1 places",
        ]
        with pytest.raises(CorruptDataError, match="Record 2"):
            lab.records(arn)
