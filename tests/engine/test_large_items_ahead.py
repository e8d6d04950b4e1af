"""Pages whose items are followed by much larger ones: a statement reads a few megabytes, whatever lies ahead."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.engine.storage import TableStore
from tablewright.values import item_size

PAGE = 1024 * 1024
TABLE = {
    "TableName": "App",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
        {"AttributeName": "g", "AttributeType": "S"},
    ],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": name,
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": projection},
        }
        for name, projection in (("Whole", "ALL"), ("Keys", "KEYS_ONLY"))
    ],
}


def sizes(kind: str) -> list[int]:
    """How large items are, in the order of their keys."""
    draw = random.Random(kind)
    return {
        "small, then large": [10] * 64 + [400_000] * 12 + [10] * 50,
        "tiny for long": [1] * 1_500 + [100_000] * 30,
        "large alone": [409_000] * 8,
        "any": [draw.choice((1, 10, 300, 5_000, 70_000, 390_000)) for _ in range(120)],
    }[kind]


@pytest.fixture(scope="module", params=["small, then large", "tiny for long", "large alone", "any"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    path: Path = tmp_path_factory.mktemp("large") / "large.db"
    with open_engine(path, synchronous="NORMAL") as engine:
        engine.execute("CreateTable", TABLE)
        items = [
            {"pk": {"S": "p"}, "sk": {"N": str(n)}, "g": {"S": "g"}, "v": {"S": "x" * size}}
            for n, size in enumerate(sizes(request.param))
        ]
        for at in range(0, len(items), 20):
            puts = [{"PutRequest": {"Item": item}} for item in items[at : at + 20]]
            engine.execute("BatchWriteItem", {"RequestItems": {"App": puts}})
        yield engine


@pytest.fixture
def portions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many bytes each statement brought."""
    seen: list[int] = []
    unpack = TableStore.unpack

    def watched(self: TableStore, packed: bytes | None, *rest: Any) -> Any:
        seen.append(len(packed or b""))
        return unpack(self, packed, *rest)

    monkeypatch.setattr(TableStore, "unpack", watched)
    return seen


def pages(engine: Engine, operation: str, request: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """All pages of a read."""
    found: list[list[dict[str, Any]]] = []
    start: dict[str, Any] = {}
    while True:
        response = engine.execute(operation, request | start)
        found.append(response["Items"])
        if "LastEvaluatedKey" not in response:
            return found
        start = {"ExclusiveStartKey": response["LastEvaluatedKey"]}


def expected(items: list[dict[str, Any]], limit: int | None) -> list[list[dict[str, Any]]]:
    """The pages by the rule: they end with the item that makes them a megabyte, or at the limit."""
    found: list[list[dict[str, Any]]] = [[]]
    total = 0
    for item in items:
        if total >= PAGE or len(found[-1]) == limit:
            found.append([])
            total = 0
        found[-1].append(item)
        total += item_size(item)
    return found


@pytest.mark.parametrize("limit", [None, 7, 70])
@pytest.mark.parametrize("source", ["query", "backwards", "scan", "Whole", "Keys"])
def test_pages_are_the_same_and_statements_bounded(
    filled: Engine, portions: list[int], source: str, limit: int | None
) -> None:
    request: dict[str, Any] = {"TableName": "App"} if limit is None else {"TableName": "App", "Limit": limit}
    operation = "Scan" if source == "scan" else "Query"
    if operation == "Query":
        partition = "g" if source in ("Whole", "Keys") else "pk"
        request |= {
            "KeyConditionExpression": f"{partition} = :p",
            "ExpressionAttributeValues": {":p": {"S": partition[0]}},
            "ScanIndexForward": source != "backwards",
        }
    if source in ("Whole", "Keys"):
        request["IndexName"] = source
    found = pages(filled, operation, request)
    assert max(portions) < 6 * PAGE
    numbers = [int(item["sk"]["N"]) for page in found for item in page]
    assert numbers == sorted(numbers, reverse=source == "backwards")
    items = [item for page in found for item in page]
    wanted = expected(items, limit)
    assert [len(page) for page in found if page] == [len(page) for page in wanted if page]
    number = filled.execute("Scan", {"TableName": "App", "Select": "COUNT", "IndexName": "Keys"})["Count"]
    assert len(items) == number


def test_an_index_of_large_items_that_shows_little_of_them_is_read_in_some_portions(
    filled: Engine, portions: list[int]
) -> None:
    """Its page holds thousands of keys, and the items behind them are never asked for one by one."""
    request = {"TableName": "App", "IndexName": "Keys", "Select": "COUNT"}
    count = filled.execute("Scan", request)["Count"]
    assert len(portions) <= 4 + count / 4
