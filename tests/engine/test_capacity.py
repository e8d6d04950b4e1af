"""Capacity of writes: the larger image, and what each index has to do."""

from typing import Any

import pytest

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}
IN_GROUP: dict[str, Any] = {"g": {"S": "g"}, "r": {"S": "r"}}


def report(table: Any, item: dict[str, Any]) -> dict[str, float]:
    consumed = table("PutItem", Item={**KEY, **item}, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    units = {"table": consumed["Table"]["CapacityUnits"]}
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        units.update({name: one["CapacityUnits"] for name, one in consumed.get(member, {}).items()})
    assert consumed["CapacityUnits"] == sum(units.values())
    return units


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {"v": {"S": "x"}}, {"table": 1}),
        ({}, IN_GROUP, {"table": 1, "ByGroup": 1, "ByLocalKeys": 1}),
        (IN_GROUP, IN_GROUP, {"table": 1}),
        (IN_GROUP, {**IN_GROUP, "v": {"S": "not projected"}}, {"table": 1}),
        (IN_GROUP, {**IN_GROUP, "inc": {"S": "projected"}}, {"table": 1, "ByGroup": 1}),
        (IN_GROUP, {"g": {"S": "other"}, "r": {"S": "r"}}, {"table": 1, "ByGroup": 2}),
        (IN_GROUP, {"g": {"S": "g"}}, {"table": 1, "ByGroup": 1, "ByLocalKeys": 1}),
        (
            {**IN_GROUP, "inc": {"S": "x" * 3000}},
            {**IN_GROUP, "inc": {"S": "x"}},
            {"table": 3, "ByGroup": 3},
        ),
        (
            {**IN_GROUP, "inc": {"S": "x" * 3000}},
            {"g": {"S": "other"}, "r": {"S": "r"}, "inc": {"S": "x"}},
            {"table": 3, "ByGroup": 4},
        ),
        # Neither before nor after in the index, though its attributes come and go.
        (
            {"r": {"S": "r"}, "g": {"S": "g"}},
            {"g": {"S": "g"}, "h": {"N": "1"}},
            {"table": 1, "ByGroup": 1, "ByLocalKeys": 1},
        ),
        ({**IN_GROUP, "h": {"N": "1"}}, {**IN_GROUP, "h": {"N": "2"}}, {"table": 1, "ByFour": 2}),
    ],
)
def test_units_of_a_put(table: Any, old: dict[str, Any], new: dict[str, Any], expected: dict[str, float]) -> None:
    table.put(**KEY, **old)
    assert report(table, new) == expected
