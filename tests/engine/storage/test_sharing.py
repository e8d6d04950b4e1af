"""Requests that share a commit: each with its own outcome, all or each alone on disk, and no waiting for themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError

TABLE: dict[str, Any] = {
    "TableName": "Shared",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "ByG",
            "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
Call = tuple[str, dict[str, Any], str]


@pytest.fixture(params=["memory", "file"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    target = "memory:" if request.param == "memory" else str(tmp_path / "tables.db")
    with open_engine(target, synchronous="NORMAL") as opened:
        opened.execute("CreateTable", TABLE)
        yield opened
        assert opened.verify() == []


def put(pk: str, **more: Any) -> Call:
    return "PutItem", {"TableName": "Shared", "Item": {"pk": {"S": pk}, "g": {"S": "g"}}} | more, "us-east-1"


def add(pk: str) -> Call:
    request = {
        "TableName": "Shared",
        "Key": {"pk": {"S": pk}},
        "UpdateExpression": "ADD n :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
        "ReturnValues": "UPDATED_NEW",
    }
    return "UpdateItem", request, "us-east-1"


NEW = {"ConditionExpression": "attribute_not_exists(pk)"}


def stored(engine: Engine) -> list[str]:
    return sorted(item["pk"]["S"] for item in engine.execute("Scan", {"TableName": "Shared"})["Items"])


def names(outcomes: list[Any]) -> list[str]:
    return [one.wire_name if isinstance(one, ServiceError) else "" for one in outcomes]


def test_each_sees_what_those_before_it_wrote(engine: Engine) -> None:
    outcomes: list[Any] = engine.execute_together([add("counter") for _ in range(5)])
    assert [one["Attributes"]["n"]["N"] for one in outcomes] == ["1", "2", "3", "4", "5"]


def test_one_that_is_refused_takes_nobody_along(engine: Engine) -> None:
    calls = [
        put("a", **NEW),
        put("a", **NEW),
        ("PutItem", {"TableName": "Shared", "Item": {}}, "us-east-1"),
        ("PutItem", {"TableName": "Nowhere", "Item": {"pk": {"S": "x"}}}, "us-east-1"),
        ("Nothing", {}, "us-east-1"),
        put("b"),
    ]
    assert names(engine.execute_together(calls)) == [
        "",
        "ConditionalCheckFailedException",
        "ValidationException",
        "ResourceNotFoundException",
        "UnknownOperationException",
        "",
    ]
    assert stored(engine) == ["a", "b"]


def test_work_on_tables_cannot_share_and_is_done_all_the_same(engine: Engine) -> None:
    other = TABLE | {"TableName": "Other"}
    outcomes = engine.execute_together([put("a"), ("CreateTable", other, "eu-west-1"), put("b", **NEW)])
    assert names(outcomes) == ["", "", ""]
    created: Any = outcomes[1]
    assert ":eu-west-1:" in created["TableDescription"]["TableArn"]
    assert engine.execute("ListTables", {})["TableNames"] == ["Other", "Shared"]
    assert stored(engine) == ["a", "b"]


def test_a_failure_behind_a_write_undoes_that_request_only(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    from tablewright.engine.storage.transaction import Transaction

    written = Transaction.add

    def fail_late(self: Transaction, change: Any) -> bool:
        added = written(self, change)
        if change.new["pk"]["S"] == "bad":
            raise RuntimeError("The lights went out.")
        return added

    monkeypatch.setattr(Transaction, "add", fail_late)
    outcomes = engine.execute_together([put("a"), put("bad"), put("b"), add("counter")])
    assert [isinstance(one, RuntimeError) for one in outcomes] == [False, True, False, False]
    assert stored(engine) == ["a", "b", "counter"]
    counted: Any = outcomes[3]
    assert counted["Attributes"]["n"]["N"] == "1"


def test_nothing_and_one(engine: Engine) -> None:
    assert engine.execute_together([]) == []
    assert engine.execute_together([put("alone")]) == [{}]
    assert stored(engine) == ["alone"]


def test_reads_in_a_group(engine: Engine) -> None:
    engine.execute(*put("a")[:2])
    get: Call = ("GetItem", {"TableName": "Shared", "Key": {"pk": {"S": "a"}}}, "us-east-1")
    outcomes: list[Any] = engine.execute_together([put("b"), get])
    assert outcomes[1]["Item"]["pk"] == {"S": "a"}


def test_a_closed_engine_says_so(tmp_path: Path) -> None:
    engine = open_engine(tmp_path / "tables.db", synchronous="NORMAL")
    engine.execute("CreateTable", TABLE)
    engine.close()
    outcomes = engine.execute_together([put("a"), put("b")])
    assert [str(one)[:21] for one in outcomes] == ["The engine is closed."] * 2
