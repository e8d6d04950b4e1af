"""A job on every item of a table: the usual way with boto3 (scan a page, update one item after the other) against the runner.

Run with `make bench-jobs`. Both fill one attribute in tables of the embedded engine, served over HTTP, in turns of one run.
Then the limit of the runner: what was consumed in a second against what was allowed. BENCH_ITEMS sets the size of the tables,
BENCH_ROUNDS how many turns each has.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench import peers
from bench.http import connect
from tablewright.client.opening import transport_to
from tablewright.client.settings import SessionOptions
from tablewright.evolve.jobs import Decision, Report, Writes, run
from tablewright.transport.base import Transport
from tablewright.values.types import Item

ITEMS = int(os.environ.get("BENCH_ITEMS", "20000"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "5"))
SHARE = 20
"""The usual way gets a table of a twentieth of the items: it is slow enough."""
WANTED = 10
LIMIT = 400.0
LIMIT_SECONDS = 8


def table(name: str, *, index: bool) -> dict[str, Any]:
    """A table with the keys of single-table design; with an index, filling the attribute puts items into it."""
    keys = [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in ("PK", "SK")],
        "KeySchema": keys,
    }
    if index:
        request["AttributeDefinitions"].append({"AttributeName": "filled", "AttributeType": "S"})
        request["GlobalSecondaryIndexes"] = [
            {
                "IndexName": "Filled",
                "KeySchema": [{"AttributeName": "filled", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ]
    return request


def item(number: int) -> Item:
    """An item of ten attributes."""
    return {
        "PK": {"S": f"THING#{number:08d}"},
        "SK": {"S": f"THING#{number:08d}"},
        "type": {"S": "Thing"},
        "name": {"S": f"Thing number {number}"},
        "description": {"S": "A thing of good quality, described at some length. " * 2},
        "price": {"N": f"{number}.5"},
        "stock": {"N": str(number)},
        "active": {"BOOL": True},
        "colour": {"S": "blue"},
        "tags": {"L": [{"S": "a"}, {"S": "b"}, {"S": "c"}]},
    }


def fill(name: str, found: Item) -> dict[str, Any]:
    """The update of one item, the same for both."""
    return {
        "TableName": name,
        "Key": {"PK": found["PK"], "SK": found["SK"]},
        "UpdateExpression": "SET filled = :filled",
        "ConditionExpression": "attribute_exists(PK) AND attribute_not_exists(filled)",
        "ExpressionAttributeValues": {":filled": {"S": f"FILLED#{found['stock']['N']}"}},
    }


class Fill:
    """The work as the runner takes it."""

    name = "fill an attribute"
    identity = "bench"
    reads: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, name: str) -> None:
        self.table = name

    def look(self, item: Item) -> Decision:
        """Filled, or to be filled."""
        return None if "filled" in item else Writes(({"Update": fill(self.table, item)},))


def usual(client: Any, name: str) -> int:
    """Scan a page, update one item at a time."""
    done = 0
    for page in client.get_paginator("scan").paginate(TableName=name):
        for found in page["Items"]:
            client.update_item(**fill(name, found))
            done += 1
    return done


def make(transport: Transport, name: str, items: int, *, index: bool) -> None:
    """A fresh table."""
    transport.send("CreateTable", table(name, index=index))
    for start in range(0, items, 25):
        puts = [{"PutRequest": {"Item": item(number)}} for number in range(start, min(start + 25, items))]
        transport.send("BatchWriteItem", {"RequestItems": {name: puts}})


def compare(url: str, what: str, *, index: bool) -> float:
    """Items a second of both, in turns; how many times as many the runner does."""
    transport, _ = transport_to(url, SessionOptions())
    client = connect(url)
    rates: list[tuple[float, float]] = []
    for turn in range(ROUNDS + 1):
        make(transport, f"usual{turn}", ITEMS // SHARE, index=index)
        make(transport, f"runner{turn}", ITEMS, index=index)
        began = time.perf_counter()
        assert usual(client, f"usual{turn}") == ITEMS // SHARE
        middle = time.perf_counter()
        report = run(Fill(f"runner{turn}"), transport, write=True)
        end = time.perf_counter()
        assert report.counts.written == ITEMS, report
        for name in (f"usual{turn}", f"runner{turn}"):
            transport.send("DeleteTable", {"TableName": name})
        if turn:  # the first one warms up
            rates.append((ITEMS / SHARE / (middle - began), ITEMS / (end - middle)))
    transport.close()
    ratio = statistics.median(ours / theirs for theirs, ours in rates)
    theirs, ours = (statistics.median(rate[side] for rate in rates) for side in (0, 1))
    print(f"{what:34} boto3 {theirs:8,.0f} items/s   runner {ours:8,.0f} items/s   {ratio:5.1f} times")
    return ratio


def held(url: str) -> float:
    """The write units of a second where they are limited, against the limit."""
    transport, _ = transport_to(url, SessionOptions())
    make(transport, "limited", int(LIMIT * LIMIT_SECONDS), index=False)
    report: Report = run(Fill("limited"), transport, write=True, max_write_units=LIMIT)
    transport.close()
    rate = report.spent.write_units / report.seconds
    print(
        f"{'a limit of ' + format(LIMIT, 'g') + ' write units a second':34} {rate:8,.1f} consumed, {rate / LIMIT:.1%}"
    )
    return rate / LIMIT


def main() -> int:
    """Prints the figures; fails where one is not as it should be."""
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        memory, file = (peers.start(peer, Path(scratch), stack).url for peer in peers.own())
        ratios = [
            compare(memory, "in memory", index=False),
            compare(memory, "in memory, into an index", index=True),
            compare(file, "in a file, durable", index=False),
            compare(file, "in a file, durable, into an index", index=True),
        ]
        share = held(memory)
    return 0 if min(ratios) >= WANTED and 0.9 <= share <= 1.1 else 1


if __name__ == "__main__":
    sys.exit(main())
