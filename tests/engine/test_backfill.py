"""New indexes of tables that hold items: filled in portions, right at every moment, whatever is written meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError
from tests.engine.conftest import Caller
from tests.engine.waiting import eventually, writing

NAME = "Made"
KEYS = [{"AttributeName": "pk", "KeyType": "HASH"}]
INDEX = {
    "IndexName": "ByColor",
    "KeySchema": [{"AttributeName": "color", "KeyType": "HASH"}, {"AttributeName": "size", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "ALL"},
}
DEFINED = [{"AttributeName": "color", "AttributeType": "S"}, {"AttributeName": "size", "AttributeType": "N"}]
ADD = {
    "TableName": NAME,
    "AttributeDefinitions": DEFINED,
    "GlobalSecondaryIndexUpdates": [{"Create": INDEX}],
}
OTHER = {
    "IndexName": "Other",
    "KeySchema": [{"AttributeName": "color", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


def create(engine: Engine) -> None:
    types = [{"AttributeName": "pk", "AttributeType": "S"}]
    table = {"TableName": NAME, "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": types, "KeySchema": KEYS}
    engine.execute("CreateTable", table)


def put(engine: Engine, name: str, **attributes: Any) -> None:
    engine.execute("PutItem", {"TableName": NAME, "Item": {"pk": {"S": name}, **attributes}})


def fill(engine: Engine, number: int) -> None:
    """Many items, some of which fit the index."""
    for start in range(0, number, 25):
        puts = [
            {"PutRequest": {"Item": {"pk": {"S": f"{one:05d}"}, "color": {"S": "red"}, "size": {"N": str(one)}}}}
            for one in range(start, min(start + 25, number))
        ]
        engine.execute("BatchWriteItem", {"RequestItems": {NAME: puts}})


def status(engine: Engine) -> tuple[str, bool | None]:
    (index,) = engine.execute("DescribeTable", {"TableName": NAME})["Table"]["GlobalSecondaryIndexes"]
    return index["IndexStatus"], index.get("Backfilling")


def scan(engine: Engine, **more: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    request: dict[str, Any] = {"TableName": NAME, **more}
    while True:
        page = engine.execute("Scan", request)
        items.extend(page["Items"])
        if "LastEvaluatedKey" not in page:
            return items
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def wait_until_active(engine: Engine) -> None:
    assert eventually(lambda: status(engine) == ("ACTIVE", None)), "the index was never filled"


@pytest.fixture(params=["memory", "file"])
def waiting(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """An engine that fills indexes when asked, with a table of ten items and an index on its way."""
    target = "memory:" if request.param == "memory" else str(tmp_path / "tables.db")
    with open_engine(target, synchronous="NORMAL", backfills=False) as engine:
        create(engine)
        fill(engine, 10)
        engine.execute("UpdateTable", ADD)
        yield engine
        assert engine.verify() == []


def test_an_index_is_creating_until_it_is_filled(waiting: Engine) -> None:
    call = Caller(waiting)
    assert call("DescribeTable", TableName=NAME)["Table"]["TableStatus"] == "ACTIVE"
    assert status(waiting) == ("CREATING", True)
    assert waiting.backfill(4) == 4
    assert status(waiting) == ("CREATING", True)
    assert waiting.backfill() == 6
    assert status(waiting) == ("ACTIVE", None)
    assert len(scan(waiting, IndexName="ByColor")) == 10
    assert waiting.backfill() == 0


def test_an_index_that_is_being_filled_cannot_be_read(waiting: Engine) -> None:
    call = Caller(waiting)
    refusal = ("ValidationException", "Cannot read from backfilling global secondary index: ByColor")
    color: dict[str, Any] = {
        "KeyConditionExpression": "color = :c",
        "ExpressionAttributeValues": {":c": {"S": "red"}},
        "IndexName": "ByColor",
        "TableName": NAME,
    }
    assert call.refused("Query", **color) == refusal
    assert call.refused("Scan", TableName=NAME, IndexName="ByColor") == refusal
    statement = f'SELECT * FROM "{NAME}"."ByColor" WHERE color = \'red\''
    assert call.refused("ExecuteStatement", Statement=statement) == refusal
    waiting.backfill()
    assert call("Query", **color)["Count"] == 10
    assert len(call("ExecuteStatement", Statement=statement)["Items"]) == 10


def test_keys_of_an_index_that_is_being_filled_bind_writes(waiting: Engine) -> None:
    item = {"pk": {"S": "x"}, "color": {"N": "1"}}
    assert Caller(waiting).refused("PutItem", TableName=NAME, Item=item)[0] == "ValidationException"


def test_what_else_may_happen_to_the_table_meanwhile(waiting: Engine) -> None:
    call = Caller(waiting)
    assert call.refused("DeleteTable", TableName=NAME) == (
        "ResourceInUseException",
        "Attempt to change a resource which is still in use: Cannot delete table while indexes are being created, "
        "updated, or deleted.",
    )
    another = {"TableName": NAME, "AttributeDefinitions": DEFINED, "GlobalSecondaryIndexUpdates": [{"Create": OTHER}]}
    assert call.refused("UpdateTable", **another) == (
        "LimitExceededException",
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table",
    )
    waiting.backfill(3)
    ttl = {"Enabled": True, "AttributeName": "end"}
    call("UpdateTimeToLive", TableName=NAME, TimeToLiveSpecification=ttl)
    call("UpdateTable", TableName=NAME, StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    assert status(waiting) == ("CREATING", True)
    assert waiting.backfill() == 7 + 10
    call("UpdateTable", **another)
    waiting.backfill()
    call("DeleteTable", TableName=NAME)


def test_an_index_can_be_deleted_before_it_is_filled(waiting: Engine) -> None:
    call = Caller(waiting)
    waiting.backfill(3)
    call("UpdateTable", TableName=NAME, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByColor"}}])
    assert "GlobalSecondaryIndexes" not in call("DescribeTable", TableName=NAME)["Table"]
    assert waiting.backfill() == 0
    call("UpdateTable", **ADD)
    assert waiting.backfill() == 10
    assert len(scan(waiting, IndexName="ByColor")) == 10


def test_a_copy_of_a_table_whose_index_is_being_filled_has_the_whole_index(waiting: Engine) -> None:
    call = Caller(waiting)
    waiting.backfill(3)
    arn = call("CreateBackup", TableName=NAME, BackupName="early")["BackupDetails"]["BackupArn"]
    call("RestoreTableFromBackup", TargetTableName="Copy", BackupArn=arn)
    assert call("Scan", TableName="Copy", IndexName="ByColor")["Count"] == 10


def test_a_reset_forgets_indexes_that_were_being_filled(waiting: Engine) -> None:
    waiting.backfill(3)
    waiting.reset()
    assert waiting.backfill() == 0
    create(waiting)
    fill(waiting, 2)
    waiting.execute("UpdateTable", ADD)
    assert waiting.backfill() == 2


VALUES: dict[str, list[dict[str, Any] | None]] = {
    # Before there is an index its keys may be anything: of another type, empty, too long.
    "color": [None, {"S": "red"}, {"S": "blue"}, {"S": ""}, {"N": "1"}, {"S": "x" * 2049}],
    "size": [None, {"N": "1"}, {"N": "2"}, {"S": "wide"}],
}
NAMES = [f"item{number}" for number in range(8)]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.sampled_from(NAMES), st.integers(0, 2), st.integers(0, 2)),
        st.tuples(st.just("move"), st.sampled_from(NAMES), st.integers(1, 2), st.integers(1, 2)),
        st.tuples(st.just("note"), st.sampled_from(NAMES), st.integers(0, 9), st.just(0)),
        st.tuples(st.just("delete"), st.sampled_from(NAMES), st.just(0), st.just(0)),
        st.tuples(st.just("fill"), st.just(""), st.integers(1, 3), st.just(0)),
    ),
    max_size=25,
)
BEFORE = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 5), st.integers(0, 3)), max_size=16)


def attributes(color: int, size: int) -> dict[str, Any]:
    found = {"color": VALUES["color"][color], "size": VALUES["size"][size]}
    return {name: value for name, value in found.items() if value is not None}


def belongs(item: dict[str, Any]) -> bool:
    color = item.get("color", {}).get("S", "")
    return 0 < len(color) <= 2048 and "N" in item.get("size", {})


@settings(deadline=None)
@given(before=BEFORE, steps=STEPS)
def test_writes_between_portions_keep_the_index_right(before: Any, steps: Any) -> None:
    with open_engine("memory:", backfills=False) as engine:
        create(engine)
        for name, color, size in before:
            put(engine, name, **attributes(color, size))
        engine.execute("UpdateTable", ADD)
        for kind, name, one, two in steps:
            key = {"TableName": NAME, "Key": {"pk": {"S": name}}}
            if kind == "put":
                put(engine, name, **attributes(one, two))
            elif kind == "move":
                values = {":c": VALUES["color"][one], ":s": VALUES["size"][two]}
                names = {"ExpressionAttributeNames": {"#s": "size"}, "ExpressionAttributeValues": values}
                engine.execute("UpdateItem", {**key, "UpdateExpression": "SET color = :c, #s = :s", **names})
            elif kind == "note":
                change = {"UpdateExpression": "SET note = :n", "ExpressionAttributeValues": {":n": {"N": str(one)}}}
                engine.execute("UpdateItem", {**key, **change})
            elif kind == "delete":
                engine.execute("DeleteItem", key)
            else:
                engine.backfill(one)
            assert engine.verify() == []
        engine.backfill()
        assert engine.verify() == []
        by_key = {item["pk"]["S"]: item for item in scan(engine)}
        found = scan(engine, IndexName="ByColor")
        assert {item["pk"]["S"]: item for item in found} == {n: i for n, i in by_key.items() if belongs(i)}
        assert len(found) == len({item["pk"]["S"] for item in found})


def test_a_large_table_in_a_file_is_filled_behind_the_answer_while_others_write(tmp_path: Path) -> None:
    number = 16_000
    with open_engine(tmp_path / "large.db", synchronous="NORMAL") as engine:
        create(engine)
        fill(engine, number)
        (told,) = engine.execute("UpdateTable", ADD)["TableDescription"]["GlobalSecondaryIndexes"]
        assert (told["IndexStatus"], told["Backfilling"]) == ("CREATING", False)
        assert status(engine) == ("CREATING", True)

        def write(count: int) -> None:
            # From the end: the filler comes there last.
            one = number - 1 - count % number
            put(engine, f"{one:05d}", color={"S": "blue"}, size={"N": str(one)})

        with writing(write) as written:
            wait_until_active(engine)
        assert written[0] > 0
        assert engine.verify() == []
        colors = [item["color"]["S"] for item in scan(engine, IndexName="ByColor")]
        assert len(colors) == number
        assert colors.count("blue") == min(written[0], number)


def test_an_engine_goes_on_where_another_left_off(tmp_path: Path) -> None:
    path = tmp_path / "left.db"
    with open_engine(path, synchronous="NORMAL", backfills=False) as one:
        create(one)
        fill(one, 30)
        one.execute("UpdateTable", ADD)
        one.backfill(10)
        with open_engine(path, synchronous="NORMAL") as two:
            wait_until_active(two)
            assert status(one) == ("ACTIVE", None)
            assert len(scan(one, IndexName="ByColor")) == 30
            assert two.verify() == []


def test_an_engine_that_was_open_before_goes_on_when_it_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "asked.db"
    with open_engine(path, synchronous="NORMAL") as witness:
        with open_engine(path, synchronous="NORMAL", backfills=False) as one:
            create(one)
            fill(one, 30)
            one.execute("UpdateTable", ADD)
        with pytest.raises(ServiceError, match="Cannot read from backfilling"):
            scan(witness, IndexName="ByColor")
        wait_until_active(witness)
        assert len(scan(witness, IndexName="ByColor")) == 30
