"""Whatever stands in a request, it is answered or refused: nothing wild becomes an error of ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tablewright.engine import Engine
from tablewright.errors import ServiceError

KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
OTHER = {"pk": {"S": "b"}, "sk": {"N": "1"}}
GOOD: list[tuple[str, dict[str, Any]]] = [
    (
        "PutItem",
        {
            "TableName": "App",
            "Item": {**KEY, "m": {"M": {"a": {"L": [{"N": "1"}, {"SS": ["a"]}]}}}},
            "ConditionExpression": "#a = :b",
            "ExpressionAttributeNames": {"#a": "b"},
            "ExpressionAttributeValues": {":b": {"N": "1"}},
            "ReturnValues": "NONE",
        },
    ),
    (
        "PutItem",
        {
            "TableName": "App",
            "Item": KEY,
            "Expected": {
                "a": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "1"}]},
                "b": {"Exists": True, "Value": {"S": "a"}},
            },
            "ConditionalOperator": "OR",
        },
    ),
    (
        "GetItem",
        {"TableName": "App", "Key": KEY, "ProjectionExpression": "a.b[0], #c", "ExpressionAttributeNames": {"#c": "d"}},
    ),
    ("GetItem", {"TableName": "App", "Key": KEY, "AttributesToGet": ["a", "b"]}),
    (
        "UpdateItem",
        {
            "TableName": "App",
            "Key": KEY,
            "UpdateExpression": "SET a.b = :c ADD d :e REMOVE f[1] DELETE q :s",
            "ExpressionAttributeValues": {":c": {"S": "x"}, ":e": {"N": "1"}, ":s": {"SS": ["a"]}},
        },
    ),
    (
        "UpdateItem",
        {
            "TableName": "App",
            "Key": KEY,
            "AttributeUpdates": {"a": {"Action": "ADD", "Value": {"N": "1"}}, "b": {"Action": "DELETE"}},
            "Expected": {"q": {"Exists": False}},
        },
    ),
    ("DeleteItem", {"TableName": "App", "Key": OTHER, "ReturnValues": "ALL_OLD"}),
    (
        "Query",
        {
            "TableName": "App",
            "IndexName": "ByFour",
            "KeyConditionExpression": "g = :g AND h = :h AND r > :r",
            "FilterExpression": "pk = :g",
            "ExpressionAttributeValues": {":g": {"S": "g"}, ":h": {"N": "1"}, ":r": {"S": "a"}},
            "Limit": 2,
            "ScanIndexForward": False,
            "ExclusiveStartKey": {**KEY, "g": {"S": "g"}, "h": {"N": "1"}, "r": {"S": "r"}},
        },
    ),
    (
        "Query",
        {
            "TableName": "App",
            "KeyConditions": {
                "pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "a"}]},
                "sk": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "1"}, {"N": "2"}]},
            },
            "QueryFilter": {"x": {"ComparisonOperator": "NULL"}},
            "AttributesToGet": ["pk"],
        },
    ),
    ("Scan", {"TableName": "App", "Segment": 0, "TotalSegments": 2, "Limit": 3, "ExclusiveStartKey": KEY}),
    ("Scan", {"TableName": "App", "ScanFilter": {"x": {"ComparisonOperator": "NULL", "AttributeValueList": []}}}),
    ("BatchGetItem", {"RequestItems": {"App": {"Keys": [KEY, OTHER], "ProjectionExpression": "a"}}}),
    ("BatchWriteItem", {"RequestItems": {"App": [{"PutRequest": {"Item": KEY}}, {"DeleteRequest": {"Key": OTHER}}]}}),
    ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "App", "Key": KEY, "ProjectionExpression": "a"}}]}),
    (
        "TransactWriteItems",
        {
            "TransactItems": [
                {"Put": {"TableName": "App", "Item": KEY}},
                {
                    "Update": {
                        "TableName": "App",
                        "Key": OTHER,
                        "UpdateExpression": "SET a = :a",
                        "ExpressionAttributeValues": {":a": {"N": "1"}},
                    }
                },
                {
                    "ConditionCheck": {
                        "TableName": "App",
                        "Key": {"pk": {"S": "c"}, "sk": {"N": "1"}},
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }
                },
            ],
            "ClientRequestToken": "abc",
        },
    ),
]


def deep(levels: int, shape: str) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "x"}
    for _ in range(levels):
        value = {"L": [value]} if shape == "L" else {"M": {"a": value}}
    return value


WILD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    float("nan"),
    "",
    "x",
    "\ud800",
    "a" * 70_000,
    b"bytes",
    (1, 2),
    {1},
    object(),
    [],
    [None],
    {},
    {"a": 1},
    {1: 2},
    {("t",): 1},
    {b"b": {"S": "x"}},
    {5: {"S": "x"}},
    {"S": 5},
    {"N": "1e"},
    {"B": "@@"},
    {"SS": {}},
    {"NULL": None},
    {"M": {5: {"S": "x"}}},
    deep(600, "L"),
    deep(600, "M"),
    "(" * 1000,
    "a = " + "(" * 1000,
    "NOT " * 1000 + "a = b",
    "a." * 500 + "a",
    "a[" + "9" * 400 + "]",
    "SET a = " + "if_not_exists(a, " * 200 + ":a" + ")" * 200,
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in inside:
        yield from places(part, (*path, name))


def replaced(value: Any, path: tuple[Any, ...], wild: Any) -> Any:
    if not path:
        return wild
    if isinstance(value, dict):
        return {name: replaced(part, path[1:], wild) if name == path[0] else part for name, part in value.items()}
    return [replaced(part, path[1:], wild) if at == path[0] else part for at, part in enumerate(value)]


def inside(value: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


@pytest.mark.parametrize("engine", ["memory"], indirect=True)
@pytest.mark.parametrize("at", range(len(GOOD)))
def test_wild_values_anywhere(engine: Engine, table: Any, at: int) -> None:
    table.put(**KEY, g={"S": "g"}, h={"N": "1"}, r={"S": "r"}, x={"L": [{"N": "1"}]})
    operation, good = GOOD[at]
    for path in places(good):
        wild = list(WILD)
        part = inside(good, path)
        if isinstance(part, dict):
            wild += [{**part, name: {"S": "x"}} for name in (5, None, "", "\ud800", "a" * 70_000, True)]
            wild += [{other: value for other, value in part.items() if other != name} for name in part]
        for value in wild:
            with suppress(ServiceError):
                engine.execute(operation, replaced(good, path, value))
