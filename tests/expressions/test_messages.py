"""What DynamoDB Local said to 800 expressions, and what we say to them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tablewright.errors import ExpressionError
from tablewright.expressions import (
    KeySchema,
    check_unused,
    compiled_condition,
    compiled_key_condition,
    compiled_projection,
    compiled_update,
)

OBSERVED: list[dict[str, Any]] = json.loads((Path(__file__).parent / "observed_messages.json").read_text())
SCHEMA = KeySchema(("PK",), ("SK",), {"PK": "S", "SK": "N"})

DIFFERENT = {
    # Local forgets that these words are reserved; the documentation lists them.
    "size = :a": "Invalid ConditionExpression: Attribute name is a reserved keyword; reserved keyword: size",
    # Local's parser fails inside.
    "a.:a = b": 'Invalid ConditionExpression: Syntax error; token: ":a", near: ".:a ="',
    # Local names a third path.
    **dict.fromkeys(
        ["SET a = :n, a = :n, b = :u1", "SET a = :n, a = :n, b = :a + :n"],
        "Invalid UpdateExpression: Two document paths overlap with each other; "
        "must remove or rewrite one of these paths; path one: [a], path two: [a]",
    ),
}
"""Where we follow the documentation, or sense, instead of DynamoDB Local."""

_MISSED = "Query condition missed key schema element"


def verdict(row: dict[str, Any]) -> str | None:
    """Our message, or None if we accept."""
    names, values = row.get("names"), row.get("values", {})
    try:
        match row["kind"]:
            case "UpdateExpression":
                expression: Any = compiled_update(row["text"], names)
            case "ProjectionExpression":
                expression = compiled_projection(row["text"], names)
            case "KeyConditionExpression":
                expression = compiled_key_condition(row["text"], names)
            case kind:
                expression = compiled_condition(row["text"], names, kind)
        if row["kind"] != "ProjectionExpression":
            expression.check(values)
        check_unused(names, values, [expression])
        if row["kind"] == "KeyConditionExpression":
            expression.reduce(values, SCHEMA)
    except ExpressionError as error:
        return error.message
    return None


def comparable(message: str | None) -> str | None:
    """Sets of types are printed in no particular order, and Local does not say which key attribute was missed."""
    if message is None:
        return None
    if message.startswith(_MISSED):
        return _MISSED
    return re.sub(r"\{[A-Z,]{20,}\}", "{types}", message)


def test_there_are_enough() -> None:
    refused = [row for row in OBSERVED if row["message"]]
    assert len(refused) > 600
    assert len(OBSERVED) - len(refused) > 150
    assert {row["kind"] for row in OBSERVED} == {
        "ConditionExpression",
        "UpdateExpression",
        "ProjectionExpression",
        "KeyConditionExpression",
    }


@pytest.mark.parametrize("row", OBSERVED, ids=lambda row: ascii(row["text"])[:60])
def test_same_message(row: dict[str, Any]) -> None:
    expected = DIFFERENT.get(row["text"], row["message"])
    assert comparable(verdict(row)) == comparable(expected)


def test_filters_are_named_as_filters() -> None:
    with pytest.raises(ExpressionError, match=r'^Invalid FilterExpression: Syntax error; token: "x", near: "a x b"$'):
        compiled_condition("a x b", kind="FilterExpression")


def test_type_sets_are_complete() -> None:
    with pytest.raises(ExpressionError, match=r"operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}"):
        compiled_condition("attribute_type(a, b)").check({})
    with pytest.raises(ExpressionError, match=r"type: x, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"):
        compiled_condition("attribute_type(a, :b)").check({":b": {"S": "x"}})


def test_binary_bounds_are_shown_as_the_service_shows_them() -> None:
    values = {":a": {"B": "/w=="}, ":b": {"B": "AQI="}}
    with pytest.raises(ExpressionError) as caught:
        compiled_condition("a BETWEEN :a AND :b").check(values)
    assert caught.value.message == (
        "Invalid ConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower "
        "bound; lower bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}, "
        "upper bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]}"
    )


def test_a_fault_that_values_cannot_mend_waits_for_an_earlier_one_that_they_make() -> None:
    condition = compiled_condition("a < :v AND #undefined = b")
    with pytest.raises(ExpressionError, match="operand type: BOOL"):
        condition.check({":v": {"BOOL": True}})
    with pytest.raises(ExpressionError, match="attribute name: #undefined"):
        condition.check({":v": {"N": "1"}})
