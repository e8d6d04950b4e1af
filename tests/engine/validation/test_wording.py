"""The same fault is worded as each operation words it, and told before any table is looked for."""

from __future__ import annotations

from typing import Any

import pytest

COUNTED = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "
NUMERIC = "The parameter cannot be converted to a numeric value"
KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
TWICE: list[tuple[dict[str, list[str]], str, str]] = [
    # (a set, what newer checks say of it, what older ones say)
    (
        {"SS": ["b", "a", "b"]},
        f'{INVALID}Input collection ["a", "b", "b"] contains duplicates.',
        f"{INVALID}Input collection [b, a, b] contains duplicates.",
    ),
    (
        {"BS": ["/w==", "AA==", "AA=="]},
        f'{INVALID}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
        f"{INVALID}Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
    ),
    (
        {"NS": ["2", "1", "2.0"]},
        f"{INVALID}Input collection contains duplicates.",
        "Input collection contains duplicates",
    ),
]


def with_condition(value: Any) -> dict[str, Any]:
    return {"ConditionExpression": "v = :v", "ExpressionAttributeValues": {":v": value}}


@pytest.mark.parametrize(("value", "newer", "older"), TWICE)
def test_members_that_stand_twice(table: Any, call: Any, value: Any, newer: str, older: str) -> None:
    for operation, request in (
        ("PutItem", {"Item": {**KEY, "v": value}}),
        ("PutItem", {"Item": KEY, **with_condition(value)}),
        ("PutItem", {"Item": KEY, "Expected": {"v": {"Value": value}}}),
        ("UpdateItem", {"Key": KEY, "AttributeUpdates": {"v": {"Value": value}}}),
        ("DeleteItem", {"Key": KEY, **with_condition(value)}),
    ):
        assert table.refused(operation, **request) == ("ValidationException", COUNTED + newer)
    assert table.refused("GetItem", Key={"pk": value, "sk": {"N": "1"}})[1] == newer
    query = {"KeyConditionExpression": "pk = :v", "ExpressionAttributeValues": {":v": value}}
    assert table.refused("Query", **query)[1] == newer
    batch = {"App": [{"PutRequest": {"Item": {**KEY, "v": value}}}]}
    assert call.refused("BatchWriteItem", RequestItems=batch)[1] == older
    check = {"ConditionCheck": {"TableName": "App", "Key": KEY, **with_condition(value)}}
    named = f"ExpressionAttributeValues contains invalid value: {older} for key :v"
    assert call.refused("TransactWriteItems", TransactItems=[check])[1] == named
    filtered = {"FilterExpression": "v = :v", "ExpressionAttributeValues": {":v": value}}
    assert table.refused("Scan", **filtered)[1] == named


@pytest.mark.parametrize(
    ("text", "newer", "older"), [("x", f"{NUMERIC}: x", f"{NUMERIC}: x"), ("", f"{NUMERIC}: ", NUMERIC)]
)
def test_numbers_that_are_none(table: Any, call: Any, text: str, newer: str, older: str) -> None:
    value = {"N": text}
    assert table.refused("PutItem", Item={**KEY, "v": {"L": [value]}})[1] == COUNTED + newer
    assert table.refused("UpdateItem", Key=KEY, UpdateExpression="SET v = :v", ExpressionAttributeValues={":v": value})[
        1
    ] == (COUNTED + newer)
    assert table.refused("GetItem", Key={"pk": {"S": "a"}, "sk": value})[1] == newer
    assert (
        call.refused("BatchWriteItem", RequestItems={"App": [{"DeleteRequest": {"Key": {**KEY, "sk": value}}}]})[1]
        == older
    )


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"ConditionExpression": ""}, f"{COUNTED}Invalid ConditionExpression: The expression can not be empty;"),
        (
            {"ConditionExpression": "a = :x"},
            f"{COUNTED}Invalid ConditionExpression: An expression attribute value used in expression is not defined; "
            "attribute value: :x",
        ),
        (
            {"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeValues": {}},
            f"{COUNTED}ExpressionAttributeValues must not be empty",
        ),
        (
            {"ConditionExpression": "((attribute_exists(a)))"},
            f"{COUNTED}Invalid ConditionExpression: The expression has redundant parentheses;",
        ),
        ({"ReturnValues": "UPDATED_NEW"}, f"{COUNTED}ReturnValues can only be ALL_OLD or NONE"),
        (
            {"ConditionExpression": "attribute_exists(a)", "ExpressionAttributeValues": {":x": {"S": "a"}}},
            f"{COUNTED}Value provided in ExpressionAttributeValues unused in expressions: keys: {{:x}}",
        ),
        # Faults of the JSON are told as they are.
        (
            with_condition({}),
            "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must contain exactly one "
            "of the supported datatypes for key :v",
        ),
    ],
)
def test_writes_of_one_item_count_their_findings(table: Any, call: Any, request_: dict[str, Any], message: str) -> None:
    assert table.refused("DeleteItem", Key=KEY, **request_) == ("ValidationException", message)
    # The form of a request is looked at before its table.
    assert call.refused("DeleteItem", TableName="Nowhere", Key=KEY, **request_) == ("ValidationException", message)


def test_what_the_table_or_item_shows_is_not_counted(table: Any) -> None:
    table.put(**KEY, s={"S": "x"})
    update = {"Key": KEY, "ExpressionAttributeValues": {":v": {"N": "1"}}}
    assert table.refused("UpdateItem", **update, UpdateExpression="SET s = s + :v")[1] == (
        "An operand in the update expression has an incorrect data type"
    )
    assert table.refused("UpdateItem", **update, UpdateExpression="SET pk = :v")[1] == (
        f"{INVALID}Cannot update attribute pk. This attribute is part of the key"
    )
    assert table.refused("UpdateItem", **update, UpdateExpression="SET pk.x = :v")[1].startswith(
        ("Key attributes must be scalars", INVALID)
    )
    assert table.refused("PutItem", Item={"pk": {"S": "a"}})[1] == f"{INVALID}Missing the key sk in the item"
    assert (
        table.refused("DeleteItem", Key={"pk": {"S": "a"}})[1] == "The provided key element does not match the schema"
    )


def test_a_transaction_is_read_to_its_end_before_tables_are_looked_for(table: Any, call: Any) -> None:
    missing = {"Put": {"TableName": "Nowhere", "Item": KEY}}
    unused = {"ExpressionAttributeValues": {":x": {"S": "a"}}}
    for wrong, message in (
        (
            {"ConditionExpression": "attribute_exists("},
            'Invalid ConditionExpression: Syntax error; token: "<EOF>", near: "("',
        ),
        (
            {"ConditionExpression": "attribute_exists(a)", **unused},
            "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x}",
        ),
    ):
        check = {"ConditionCheck": {"TableName": "App", "Key": KEY, **wrong}}
        assert call.refused("TransactWriteItems", TransactItems=[missing, check])[1] == message
    large = {"Put": {"TableName": "App", "Item": {**KEY, "v": {"S": "x" * 409_600}}}}
    assert call.refused("TransactWriteItems", TransactItems=[missing, large])[1] == (
        "Item size has exceeded the maximum allowed size"
    )
    assert call.refused("TransactWriteItems", TransactItems=[missing])[0] == "ResourceNotFoundException"


@pytest.mark.parametrize("kind", ["Update", "Delete", "ConditionCheck"])
def test_keys_of_another_type_cancel_a_transaction_and_empty_ones_refuse_it(table: Any, call: Any, kind: str) -> None:
    more = {
        "Update": {"UpdateExpression": "REMOVE v"},
        "ConditionCheck": {"ConditionExpression": "attribute_exists(v)"},
    }

    def action(key: dict[str, Any]) -> list[dict[str, Any]]:
        return [{kind: {"TableName": "App", "Key": key, **more.get(kind, {})}}]

    error = call.error("TransactWriteItems", TransactItems=action({**KEY, "pk": {"N": "1"}}))
    assert [(reason.code, reason.message) for reason in error.reasons] == [
        ("ValidationError", "The provided key element does not match the schema")
    ]
    empty = call.refused("TransactWriteItems", TransactItems=action({**KEY, "pk": {"S": ""}}))
    assert empty == (
        "ValidationException",
        "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty "
        "string value. Key: pk",
    )


def test_a_batch_tells_wrong_keys_with_fewer_words(table: Any, call: Any) -> None:
    for item in ({"pk": {"N": "5"}, "sk": {"N": "1"}}, {"sk": {"N": "1"}}, {"pk": {"L": []}, "sk": {"N": "1"}}):
        put = {"App": [{"PutRequest": {"Item": item}}]}
        assert (
            call.refused("BatchWriteItem", RequestItems=put)[1] == "The provided key element does not match the schema"
        )


def test_queries(table: Any) -> None:
    values = {":p": {"S": "a"}, ":a": {"N": "1"}, ":b": {"N": "5"}}

    def refused(text: str) -> str:
        used = {name: value for name, value in values.items() if name in text}
        return str(table.refused("Query", KeyConditionExpression=text, ExpressionAttributeValues=used)[1])

    assert refused("pk = :p AND sk > :a AND sk < :b") == (
        "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key"
    )
    nested = "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"
    assert refused("pk = :p AND sk.x = :a") == refused("pk = :p AND extra[0] = :a") == nested
    assert refused("pk = :p AND sk > :a AND extra = :b") == (
        "The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)"
    )
    long = {":p": {"S": "x" * 2049}}
    assert table.refused("Query", KeyConditionExpression="pk = :p", ExpressionAttributeValues=long)[1] == (
        f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes"
    )
    long = {":p": {"S": "a"}, ":r": {"S": "x" * 1025}}
    assert table.refused(
        "Query", KeyConditionExpression="pk = :p AND r = :r", ExpressionAttributeValues=long, IndexName="ByLocalKeys"
    )[1] == (f"{INVALID}Aggregated size of all range keys has exceeded the size limit of 1024 bytes")
