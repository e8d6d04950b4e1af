"""The arithmetic of writes equals what the embedded engine charges, for any items and any write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import GSI, LSI, Table, number
from tablewright.cost.writes import write_cost
from tablewright.engine import Engine, open_engine

TABLE = Table(
    "CostTable",
    indexes=[
        GSI("All", pk="a", sk="b"),
        GSI("Keys", pk="b", sk=None, projection="KEYS_ONLY"),
        GSI("Some", pk=["a", "c"], sk=[number("n"), "b"], projection=["v", "w"]),
        LSI("Local", sk=number("n"), projection=["v"]),
    ],
)
KEY = {"PK": {"S": "p"}, "SK": {"S": "s"}}
TYPES = {"PK": "S", "SK": "S", "a": "S", "b": "S", "c": "S", "n": "N"}
texts = st.sampled_from(["x", "y", "z" * 700])
numbers = st.sampled_from(["1", "1.0", "25", "-3"])
items = st.fixed_dictionaries(
    {},
    optional={
        "a": texts.map(lambda t: {"S": t}),
        "b": texts.map(lambda t: {"S": t}),
        "c": texts.map(lambda t: {"S": t}),
        "n": numbers.map(lambda n: {"N": n}),
        "v": st.integers(0, 9000).map(lambda n: {"S": "v" * n}),
        "w": st.one_of(st.just({"NS": ["1", "2.0"]}), st.just({"NS": ["2", "1"]}), st.just({"BOOL": True})),
        "x": st.integers(1, 3000).map(lambda n: {"L": [{"S": "x" * n}, {"N": "10"}]}),
    },
).map(lambda item: {**KEY, **item})


def describe(index: Any) -> dict[str, Any]:
    keys = [{"AttributeName": a.name, "KeyType": "HASH"} for a in index.pk]
    keys += [{"AttributeName": a.name, "KeyType": "RANGE"} for a in index.sk]
    projection: dict[str, Any] = {"ProjectionType": index.projection}
    if index.include:
        projection["NonKeyAttributes"] = list(index.include)
    return {"IndexName": index.name, "KeySchema": keys, "Projection": projection}


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as engine:
        indexes = list(TABLE.indexes.values())
        engine.execute(
            "CreateTable",
            {
                "TableName": "CostTable",
                "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [
                    {"AttributeName": "PK", "KeyType": "HASH"},
                    {"AttributeName": "SK", "KeyType": "RANGE"},
                ],
                "AttributeDefinitions": [{"AttributeName": n, "AttributeType": t} for n, t in TYPES.items()],
                "GlobalSecondaryIndexes": [describe(i) for i in indexes if not i.local],
                "LocalSecondaryIndexes": [describe(i) for i in indexes if i.local],
            },
        )
        yield engine


def charged(consumed: dict[str, Any]) -> tuple[float, dict[str, float]]:
    indexes = {
        name: one["CapacityUnits"]
        for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes")
        for name, one in consumed.get(member, {}).items()
    }
    return consumed["Table"]["CapacityUnits"], indexes


@given(old=st.none() | items, new=st.none() | items, transactional=st.booleans())
def test_a_write_costs_what_the_engine_charges(
    engine: Engine, old: dict[str, Any] | None, new: dict[str, Any] | None, transactional: bool
) -> None:
    engine.execute("DeleteItem", {"TableName": "CostTable", "Key": KEY})
    if old is not None:
        engine.execute("PutItem", {"TableName": "CostTable", "Item": old})
    action, member = ("Delete", {"Key": KEY}) if new is None else ("Put", {"Item": new})
    wanted = {"ReturnConsumedCapacity": "INDEXES"}
    if transactional:
        request = {"TransactItems": [{action: {"TableName": "CostTable", **member}}], **wanted}
        (consumed,) = engine.execute("TransactWriteItems", request)["ConsumedCapacity"]
    else:
        consumed = engine.execute(f"{action}Item", {"TableName": "CostTable", **member, **wanted})["ConsumedCapacity"]
    units = write_cost(TABLE, old, new, transactional=transactional)
    assert (units.table, units.indexes) == charged(consumed)
    assert units.total == consumed["CapacityUnits"]


def test_units_add_up() -> None:
    one = write_cost(TABLE, None, {**KEY, "b": {"S": "x"}})
    two = write_cost(TABLE, None, {**KEY, "a": {"S": "x"}, "b": {"S": "x"}}, transactional=True)
    assert (one + two).indexes == {"Keys": 2.0, "All": 1.0}
    assert (one + two).total == one.total + two.total == 6.0
