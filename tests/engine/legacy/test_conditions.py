"""Expected, filters and key conditions of before expressions: what they mean, and how wrong ones are refused."""

from __future__ import annotations

from typing import Any

import pytest

COUNTED = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "
KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
STORED: dict[str, Any] = {
    "s": {"S": "abc"},
    "n": {"N": "5"},
    "b": {"B": "AAEC"},
    "ss": {"SS": ["p", "q"]},
    "ns": {"NS": ["1", "2"]},
    "li": {"L": [{"S": "p"}, {"BOOL": True}]},
    "m": {"M": {"in": {"N": "1"}}},
}


def one(operator: str, *values: Any) -> dict[str, Any]:
    return {"ComparisonOperator": operator, "AttributeValueList": list(values)}


def found(table: Any, **conditions: Any) -> bool:
    return bool(table("Scan", ScanFilter=conditions, Select="COUNT")["Count"])


HOLDS = [
    ("s", one("EQ", {"S": "abc"})),
    ("ss", one("EQ", {"SS": ["q", "p"]})),
    ("m", one("EQ", {"M": {"in": {"N": "1.0"}}})),
    ("s", one("NE", {"N": "5"})),
    ("nothing", one("NE", {"N": "5"})),
    ("n", one("LE", {"N": "5"})),
    ("n", one("GE", {"N": "5.0"})),
    ("n", one("LT", {"N": "10"})),
    ("s", one("GT", {"S": "abb"})),
    ("n", one("BETWEEN", {"N": "5"}, {"N": "6"})),
    ("s", one("IN", {"S": "x"}, {"S": "abc"})),
    ("s", one("BEGINS_WITH", {"S": "ab"})),
    ("b", one("BEGINS_WITH", {"B": "AA=="})),
    ("s", one("CONTAINS", {"S": "bc"})),
    ("ss", one("CONTAINS", {"S": "p"})),
    ("ns", one("CONTAINS", {"N": "2.0"})),
    ("li", one("CONTAINS", {"BOOL": True})),
    ("ss", one("NOT_CONTAINS", {"S": "z"})),
    ("n", one("NOT_CONTAINS", {"S": "z"})),
    ("nothing", one("NULL")),
    ("s", one("NOT_NULL")),
]
FAILS = [
    ("s", one("EQ", {"N": "5"})),
    ("nothing", one("EQ", {"N": "5"})),
    ("s", one("NE", {"S": "abc"})),
    ("s", one("LT", {"N": "5"})),
    ("nothing", one("LT", {"N": "5"})),
    ("n", one("BETWEEN", {"S": "a"}, {"S": "z"})),
    ("n", one("IN", {"N": "6"})),
    ("n", one("BEGINS_WITH", {"S": "5"})),
    ("n", one("CONTAINS", {"N": "5"})),
    ("ss", one("NOT_CONTAINS", {"S": "p"})),
    ("nothing", one("NOT_CONTAINS", {"S": "p"})),
    ("s", one("NULL")),
    ("nothing", one("NOT_NULL")),
]


@pytest.mark.parametrize(("name", "condition"), HOLDS)
def test_what_holds(table: Any, name: str, condition: dict[str, Any]) -> None:
    table.put(**KEY, **STORED)
    assert found(table, **{name: condition})
    table("PutItem", Item={**KEY, **STORED}, Expected={name: condition})


@pytest.mark.parametrize(("name", "condition"), FAILS)
def test_what_does_not_hold(table: Any, name: str, condition: dict[str, Any]) -> None:
    table.put(**KEY, **STORED)
    assert not found(table, **{name: condition})
    error = table.error(
        "DeleteItem", Key=KEY, Expected={name: condition}, ReturnValuesOnConditionCheckFailure="ALL_OLD"
    )
    assert (error.wire_name, error.item) == ("ConditionalCheckFailedException", {**KEY, **STORED})


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (one("EQ"), f"{INVALID}Invalid number of argument(s) for the EQ ComparisonOperator"),
        (one("EQ", {"S": "a"}, {"S": "b"}), f"{INVALID}Invalid number of argument(s) for the EQ ComparisonOperator"),
        (one("NULL", {"S": "a"}), f"{INVALID}Invalid number of argument(s) for the NULL ComparisonOperator"),
        (one("BETWEEN", {"S": "a"}), f"{INVALID}Invalid number of argument(s) for the BETWEEN ComparisonOperator"),
        (one("IN"), f"{INVALID}Invalid number of argument(s) for the IN ComparisonOperator"),
        (
            one("IN", {"S": "a"}, {"N": "1"}),
            f"{INVALID}AttributeValues inside AttributeValueList must be of same type",
        ),
        (one("LT", {"SS": ["a"]}), f"{INVALID}ComparisonOperator LT is not valid for SS AttributeValue type"),
        (
            one("BEGINS_WITH", {"N": "1"}),
            f"{INVALID}ComparisonOperator BEGINS_WITH is not valid for N AttributeValue type",
        ),
        (one("CONTAINS", {"L": []}), f"{INVALID}ComparisonOperator CONTAINS is not valid for L AttributeValue type"),
        (
            one("BETWEEN", {"N": "2"}, {"N": "1"}),
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
        ),
        (one("EQ", {}), "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"),
        (
            one("LIKE", {"S": "a"}),
            "1 validation error detected: Value 'LIKE' at 'scanFilter.a.member.comparisonOperator' failed to satisfy "
            "constraint: Member must satisfy enum value set: [IN, NULL, BETWEEN, LT, NOT_CONTAINS, EQ, GT, NOT_NULL, NE, "
            "LE, BEGINS_WITH, GE, CONTAINS]",
        ),
    ],
)
def test_operators_that_are_refused(table: Any, condition: dict[str, Any], message: str) -> None:
    assert table.refused("Scan", ScanFilter={"a": condition}) == ("ValidationException", message)


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({}, f"{INVALID}Value must be provided when Exists is null for Attribute: a"),
        ({"Exists": True}, f"{INVALID}Value must be provided when Exists is true for Attribute: a"),
        (
            {"Exists": False, "Value": {"S": "x"}},
            f"{INVALID}Value cannot be used when Exists is false for Attribute: a",
        ),
        (
            {"Value": {"S": "x"}, **one("EQ", {"S": "x"})},
            f"{INVALID}Value and AttributeValueList cannot be used together for Attribute: a",
        ),
        (
            {"Exists": True, **one("EQ", {"S": "x"})},
            f"{INVALID}Exists and ComparisonOperator cannot be used together for Attribute: a",
        ),
        (
            {"AttributeValueList": [{"S": "x"}]},
            f"{INVALID}AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
        ),
        (
            {"ComparisonOperator": "EQ"},
            f"{INVALID}Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a",
        ),
    ],
)
def test_expectations_that_are_refused(table: Any, expected: dict[str, Any], message: str) -> None:
    assert table.refused("PutItem", Item=KEY, Expected={"a": expected}) == ("ValidationException", COUNTED + message)


def test_several_conditions_are_joined_as_asked(table: Any) -> None:
    table.put(**KEY, **STORED)
    both = {"s": one("EQ", {"S": "abc"}), "n": one("EQ", {"N": "6"})}
    assert not found(table, **both)
    assert table("Scan", ScanFilter=both, ConditionalOperator="OR")["Count"] == 1
    assert table("Scan", ScanFilter=both, ConditionalOperator="AND")["Count"] == 0
    without = "ConditionalOperator cannot be used without Filter or Expected"
    assert table.refused("Scan", ConditionalOperator="OR")[1] == without
    assert table.refused("UpdateItem", Key=KEY, Expected={}, ConditionalOperator="OR")[1] == COUNTED + without
    with_one = "ConditionalOperator can only be used when Filter or Expected has two or more elements"
    assert table.refused("Scan", ScanFilter={"s": both["s"]}, ConditionalOperator="OR")[1] == with_one


def test_key_conditions(table: Any) -> None:
    for sk in range(5):
        table.put(pk={"S": "a"}, sk={"N": str(sk)}, n={"N": str(sk % 2)})
    pk = {"pk": one("EQ", {"S": "a"})}

    def sorts(**request: Any) -> list[str]:
        return [item["sk"]["N"] for item in table("Query", **request)["Items"]]

    assert sorts(KeyConditions=pk) == ["0", "1", "2", "3", "4"]
    assert sorts(KeyConditions={**pk, "sk": one("BETWEEN", {"N": "1"}, {"N": "2"})}) == ["1", "2"]
    assert sorts(KeyConditions={**pk, "sk": one("GT", {"N": "2"})}, ScanIndexForward=False) == ["4", "3"]
    assert sorts(KeyConditions=pk, QueryFilter={"n": one("EQ", {"N": "1"})}) == ["1", "3"]
    # These alone may stand beside expressions.
    odd = {"FilterExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}
    assert sorts(KeyConditions=pk, **odd) == ["1", "3"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"KeyConditions": {"sk": one("EQ", {"N": "1"})}}, "Query condition missed key schema element: pk"),
        ({"KeyConditions": {"pk": one("GT", {"S": "a"})}}, "Query key condition not supported"),
        (
            {"KeyConditions": {"pk": one("EQ", {"N": "1"})}},
            f"{INVALID}Condition parameter type does not match schema type",
        ),
        (
            {"KeyConditions": {"pk": one("EQ", {"S": "a"}), "sk": one("NE", {"N": "1"})}},
            "Attempted conditional constraint is not an indexable operation",
        ),
        (
            {"KeyConditions": {"pk": one("EQ", {"S": "a"}), "v": one("NE", {"N": "1"})}},
            "Query condition missed key schema element: sk",
        ),
        ({"KeyConditions": {}}, "Conditions can be of length 1 or 2 only"),
        (
            {"KeyConditions": {"pk": one("EQ", {"S": "a"})}, "QueryFilter": {"sk": one("EQ", {"N": "1"})}},
            "QueryFilter can only contain non-primary key attributes: Primary key attribute: sk",
        ),
        (
            {
                "KeyConditions": {"pk": one("EQ", {"S": "a"})},
                "KeyConditionExpression": "pk = :p",
                "ExpressionAttributeValues": {":p": {"S": "a"}},
            },
            "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
            "{KeyConditions} Expression parameters: {KeyConditionExpression}",
        ),
        (
            {
                "KeyConditions": {"g": one("EQ", {"S": "a"}), "h": one("EQ", {"N": "1"}), "sk": one("GT", {"N": "1"})},
                "IndexName": "ByFour",
            },
            "RANGE key attributes r must have equality conditions specified in the query because a condition is present "
            "on key attribute sk",
        ),
    ],
)
def test_key_conditions_that_are_refused(table: Any, request_: dict[str, Any], message: str) -> None:
    assert table.refused("Query", **request_) == ("ValidationException", message)
