"""The proof that a request has two faults lets none pass that has one: a wrong word of the engine's is noticed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError
from tests.engine.drawn_requests import NAME
from tests.engine.known_differences import same_words
from tests.engine.test_against_dynamodb_local import Pair, Reference, answer, words_of

KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
X = {"S": "x"}
ONE_FAULT: dict[str, tuple[str, dict[str, Any]]] = {
    "no such function": ("Scan", {"FilterExpression": "foo(v)"}),
    "reserved word": ("Scan", {"FilterExpression": "status = :x", "ExpressionAttributeValues": {":x": X}}),
    "overlapping paths": ("GetItem", {"Key": KEY, "ProjectionExpression": "m.deep, m"}),
    "no value": ("PutItem", {"Item": KEY, "ConditionExpression": "v = :x"}),
    "unused value": (
        "DeleteItem",
        {"Key": KEY, "ConditionExpression": "v = w", "ExpressionAttributeValues": {":x": X}},
    ),
    "key missed": ("Query", {"KeyConditionExpression": "sk = :x", "ExpressionAttributeValues": {":x": {"N": "1"}}}),
    "two conditions on the keys": (
        "Query",
        {"KeyConditionExpression": "pk = :x AND sk <> :y", "ExpressionAttributeValues": {":x": X, ":y": {"N": "1"}}},
    ),
    "wrong key": ("GetItem", {"Key": {"pk": {"S": "a"}}}),
    "key changed": (
        "UpdateItem",
        {"Key": KEY, "UpdateExpression": "SET pk = :x", "ExpressionAttributeValues": {":x": X}},
    ),
    "nothing to add to": (
        "UpdateItem",
        {"Key": KEY, "UpdateExpression": "SET v = nowhere", "ReturnValues": "NONE"},
    ),
    "operand": ("Scan", {"ScanFilter": {"v": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [X]}}}),
}


class Misspelling:
    """An engine with a letter too many in everything that it refuses with."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def execute(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self.engine.execute(operation, request)
        except ServiceError as error:
            first, blank, rest = error.message.rpartition(" ")
            error.message = f"{first}x{blank}{rest}"
            raise


@pytest.mark.parametrize("kind", ONE_FAULT)
def test_a_misspelt_word_is_noticed(
    reference: Reference, table_definition: Callable[[str], dict[str, Any]], kind: str
) -> None:
    operation, rest = ONE_FAULT[kind]
    request = {"TableName": NAME, **rest}
    reference("DeleteTable", {"TableName": NAME})
    assert reference("CreateTable", table_definition(NAME))[0] == ""
    with open_engine("memory:") as engine:
        engine.execute("CreateTable", table_definition(NAME))
        if kind == "nothing to add to":
            engine.execute("PutItem", {"TableName": NAME, "Item": KEY})
            reference("PutItem", {"TableName": NAME, "Item": KEY})
        theirs = words_of(*reference(operation, request))
        assert same_words(operation, words_of(*answer(engine, operation, request)), theirs)
        wrong = Pair(Misspelling(engine), reference)  # type: ignore[arg-type]
        misspelt = words_of(*answer(wrong.engine, operation, request))
        assert not wrong.same_words(operation, request, misspelt, theirs), (misspelt, theirs)
