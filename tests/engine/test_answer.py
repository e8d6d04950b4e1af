"""Answers in JSON say what answers in dicts say, though stored items go into them unread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.engine.faults import IndexLag
from tablewright.errors import CorruptDataError, RequestRefused
from tablewright.values import loads

TABLE: dict[str, Any] = {
    "TableName": "Things",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "g")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": name,
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": projection},
        }
        for name, projection in (("whole", "ALL"), ("narrow", "KEYS_ONLY"))
    ],
}
ALL: dict[str, Any] = {
    "KeyConditionExpression": "pk = :p",
    "ExpressionAttributeValues": {":p": {"S": "p"}},
}
INDEXED: dict[str, Any] = {"KeyConditionExpression": "g = :g", "ExpressionAttributeValues": {":g": {"S": "g"}}}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "an item": ("GetItem", {"Key": {"pk": {"S": "p"}, "sk": {"S": "007"}}, "ReturnConsumedCapacity": "TOTAL"}),
    "no item": ("GetItem", {"Key": {"pk": {"S": "p"}, "sk": {"S": "none"}}, "ReturnConsumedCapacity": "TOTAL"}),
    "a part": ("GetItem", {"Key": {"pk": {"S": "p"}, "sk": {"S": "007"}}, "ProjectionExpression": "sk, m.b"}),
    "a query": ("Query", ALL | {"ReturnConsumedCapacity": "INDEXES"}),
    "a page": ("Query", ALL | {"Limit": 70}),
    "backwards": ("Query", ALL | {"ScanIndexForward": False, "Limit": 3}),
    "a filter": ("Query", ALL | {"FilterExpression": "begins_with(note, :p)"}),
    "projected": ("Query", ALL | {"ProjectionExpression": "sk"}),
    "counted": ("Query", ALL | {"Select": "COUNT"}),
    "an index": ("Query", INDEXED | {"IndexName": "whole"}),
    "a page of an index": ("Query", INDEXED | {"IndexName": "whole", "Limit": 130}),
    "a narrow index": ("Query", INDEXED | {"IndexName": "narrow", "Limit": 70}),
    "a scan": ("Scan", {}),
    "a page of a scan": ("Scan", {"Limit": 100}),
}


@pytest.fixture(params=["memory", "file"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    target = "memory:" if request.param == "memory" else str(tmp_path / "things.db")
    with open_engine(target, synchronous="NORMAL") as opened:
        opened.execute("CreateTable", TABLE)
        for number in range(200):
            item = {"pk": {"S": "p"}, "sk": {"S": f"{number:03}"}, "m": {"M": {"b": {"B": "AAE="}}}}
            item |= {"g": {"S": "g"}, "note": {"S": 'pq ☃ \U0001f600 "quoted"'[: number % 20]}, "n": {"N": "1.50"}}
            opened.execute("PutItem", {"TableName": "Things", "Item": item})
        yield opened


@pytest.mark.parametrize("name", REQUESTS)
def test_an_answer_is_the_same_in_json(engine: Engine, name: str) -> None:
    operation, request = REQUESTS[name]
    request = {"TableName": "Things"} | request
    expected = engine.execute(operation, request, region="eu-west-1")
    assert loads(engine.answer(operation, request, region="eu-west-1")) == expected
    with engine.faults.inject(IndexLag(seconds=3600)):
        assert loads(engine.answer(operation, request, region="eu-west-1")) == expected


def test_pages_go_on_where_they_ended(engine: Engine) -> None:
    request: dict[str, Any] = {"TableName": "Things", "IndexName": "whole", "Limit": 67} | INDEXED
    seen: list[str] = []
    while True:
        page = loads(engine.answer("Query", request))
        seen += [item["sk"]["S"] for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            break
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    assert seen == [f"{number:03}" for number in range(200)]


def test_a_refusal_is_raised(engine: Engine) -> None:
    with pytest.raises(RequestRefused, match="does not match the schema"):
        engine.answer("GetItem", {"TableName": "Things", "Key": {"pk": {"S": "p"}}})


def test_damage_is_noticed_though_nobody_reads_the_item(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "things.db"
    item = {"pk": {"S": "p"}, "sk": {"S": "s"}, "note": {"S": "intact"}}
    with open_engine(path) as engine:
        engine.execute("CreateTable", TABLE)
        engine.execute("PutItem", {"TableName": "Things", "Item": item})
    connection = sqlite3.connect(path)
    (table,) = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'items_%'").fetchone()
    connection.execute(f"UPDATE {table} SET item = CAST(replace(item, 'intact', 'broken') AS BLOB)")
    connection.commit()
    connection.close()
    with open_engine(path) as engine, pytest.raises(CorruptDataError):
        engine.answer("GetItem", {"TableName": "Things", "Key": {"pk": {"S": "p"}, "sk": {"S": "s"}}})
    with open_engine(path) as engine, pytest.raises(CorruptDataError):
        engine.answer("Query", {"TableName": "Things"} | ALL)
