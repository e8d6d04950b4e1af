"""What a request costs on a large table, against a small one: a file with two indexes, 10,000 items and 1,000,000.

Run with `make bench-growth`. Filling takes some minutes. GROWTH_LARGE sets another size.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.rounds import Work, ratio, run_rounds
from tablewright.engine import Engine, open_engine

SMALL = 10_000
LARGE = int(os.environ.get("GROWTH_LARGE", "1000000"))
ROUNDS = int(os.environ.get("BENCH_ROUNDS", "15"))
COUNT = 300
PER_PARTITION = 25

_DEFINITION: dict[str, Any] = {
    "TableName": "Growth",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK")
    ],
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": index,
            "KeySchema": [
                {"AttributeName": f"{index}PK", "KeyType": "HASH"},
                {"AttributeName": f"{index}SK", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "ALL"},
        }
        for index in ("GSI1", "GSI2")
    ],
}


def item(number: int, text: str = "") -> dict[str, Any]:
    """An item of half a kilobyte; 25 share a partition, in the table and in each index."""
    partition = number // PER_PARTITION
    return {
        "PK": {"S": f"OWNER#{partition:07d}"},
        "SK": {"S": f"THING#{number:09d}"},
        "GSI1PK": {"S": f"GROUP#{number % max(1, SMALL // PER_PARTITION):07d}#{partition % 997}"},
        "GSI1SK": {"S": f"{number:09d}"},
        "GSI2PK": {"S": f"STATE#{partition:07d}"},
        "GSI2SK": {"S": f"{number * 7919 % 1_000_003:09d}#{number:09d}"},
        "text": {"S": f"A thing of good quality. {text}" + "x" * 300},
        "count": {"N": str(number)},
    }


def fill(engine: Engine, items: int) -> None:
    """Writes items in the order of their numbers, with progress."""
    engine.execute("CreateTable", _DEFINITION)
    started = time.perf_counter()
    for first in range(0, items, PER_PARTITION):
        puts = [{"PutRequest": {"Item": item(n)}} for n in range(first, first + PER_PARTITION)]
        engine.execute("BatchWriteItem", {"RequestItems": {"Growth": puts}})
        if first and first % 50_000 == 0:
            rate = first / (time.perf_counter() - started)
            print(f"\r  {first:,} of {items:,} items, {rate:,.0f} a second ", end="", file=sys.stderr, flush=True)
    print("\r" + " " * 60 + "\r", end="", file=sys.stderr)


def works(engine: Engine, items: int) -> dict[str, Work]:
    """Requests at random places of the table."""
    choose = random.Random(1)
    version = iter(range(10**9))

    def get() -> None:
        chosen = item(choose.randrange(items))
        engine.execute("GetItem", {"TableName": "Growth", "Key": {"PK": chosen["PK"], "SK": chosen["SK"]}})

    def query() -> None:
        engine.execute("Query", _query("PK", item(choose.randrange(items))))

    def query_index() -> None:
        engine.execute("Query", {**_query("GSI2PK", item(choose.randrange(items))), "IndexName": "GSI2"})

    def put() -> None:
        engine.execute("PutItem", {"TableName": "Growth", "Item": item(choose.randrange(items), str(next(version)))})

    def scan() -> None:
        start = item(choose.randrange(items))
        request = {"TableName": "Growth", "Limit": 100, "ExclusiveStartKey": {"PK": start["PK"], "SK": start["SK"]}}
        engine.execute("Scan", request)

    requests: dict[str, Callable[[], None]] = {
        "GetItem": get,
        "Query of 25": query,
        "Query of 25 on an index": query_index,
        "PutItem": put,
        "Scan, 100 items": scan,
    }
    return {name: _repeated(request) for name, request in requests.items()}


def _query(name: str, example: dict[str, Any]) -> dict[str, Any]:
    return {
        "TableName": "Growth",
        "KeyConditionExpression": f"{name} = :p",
        "ExpressionAttributeValues": {":p": example[name]},
    }


def _repeated(request: Callable[[], None]) -> Work:
    def work(count: int) -> None:
        for _ in range(count):
            request()

    return work


def resident_megabytes() -> float:
    """Memory that this process holds now."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def main() -> None:
    """Fills two files, measures, and prints ratios."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        engines: dict[int, Engine] = {}
        for items in (SMALL, LARGE):
            path = Path(folder) / f"{items}.db"
            with open_engine(path, synchronous="NORMAL") as engine:
                fill(engine, items)
            before = resident_megabytes()
            engines[items] = stack.enter_context(open_engine(path, synchronous="NORMAL"))
            size = path.stat().st_size / 1e6
            print(f"{items:>9,} items: {size:,.0f} MB on disk; memory {before:.0f} MB before it was opened", end="")
            for work in works(engines[items], items).values():
                work(COUNT)
            print(f", {resident_megabytes():.0f} MB after {5 * COUNT} requests")
        for name in works(engines[SMALL], SMALL):
            contestants = {str(items): (works(engine, items)[name], COUNT) for items, engine in engines.items()}
            scores = run_rounds(contestants, ROUNDS)
            cpu = ratio(scores, str(LARGE), str(SMALL), cpu=True)
            wall = ratio(scores, str(LARGE), str(SMALL))
            figures = ", ".join(f"{score.wall_us:,.0f}" for score in scores.values())
            print(f"{name}: {wall:.2f} times the time, {cpu:.2f} times the CPU (at most 2); µs: {figures}")


if __name__ == "__main__":
    main()
