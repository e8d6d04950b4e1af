"""Text that is no base64 is a fault of the request, wherever it stands."""

from __future__ import annotations

from typing import Any

import pytest

KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}
WRONG = {"B": "not base64!!"}
VALUES = {"ExpressionAttributeValues": {":v": WRONG}}
T: dict[str, Any] = {"TableName": "App"}
EXPECTED = {"ComparisonOperator": "EQ", "AttributeValueList": [WRONG]}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "an attribute": ("PutItem", {**T, "Item": {**KEY, "v": WRONG}}),
    "a set": ("PutItem", {**T, "Item": {**KEY, "v": {"BS": ["AAAA", "*"]}}}),
    "a document": ("PutItem", {**T, "Item": {**KEY, "v": {"M": {"x": {"L": [WRONG]}}}}}),
    "a key to get": ("GetItem", {**T, "Key": {**KEY, "pk": WRONG}}),
    "a key to delete": ("DeleteItem", {**T, "Key": {**KEY, "pk": WRONG}}),
    "a value to set": ("UpdateItem", {**T, "Key": KEY, "UpdateExpression": "SET v = :v", **VALUES}),
    "a value to compare": ("DeleteItem", {**T, "Key": KEY, "ConditionExpression": "v = :v", **VALUES}),
    "an expected value": ("DeleteItem", {**T, "Key": KEY, "Expected": {"v": EXPECTED}}),
    "an old update": ("UpdateItem", {**T, "Key": KEY, "AttributeUpdates": {"v": {"Value": WRONG}}}),
    "a key condition": ("Query", {**T, "KeyConditionExpression": "pk = :v", **VALUES}),
    "an old key condition": ("Query", {**T, "KeyConditions": {"pk": EXPECTED}}),
    "a starting key": ("Scan", {**T, "ExclusiveStartKey": {**KEY, "pk": WRONG}}),
    "a filter": ("Scan", {**T, "FilterExpression": "v = :v", **VALUES}),
    "an old filter": ("Scan", {**T, "ScanFilter": {"v": EXPECTED}}),
    "a batch of keys": ("BatchGetItem", {"RequestItems": {"App": {"Keys": [{**KEY, "pk": WRONG}]}}}),
    "a batch of items": ("BatchWriteItem", {"RequestItems": {"App": [{"PutRequest": {"Item": {**KEY, "v": WRONG}}}]}}),
    "a transaction": ("TransactWriteItems", {"TransactItems": [{"Put": {**T, "Item": {**KEY, "v": WRONG}}}]}),
    "a transaction of gets": ("TransactGetItems", {"TransactItems": [{"Get": {**T, "Key": {**KEY, "pk": WRONG}}}]}),
    "a parameter": ("ExecuteStatement", {"Statement": "SELECT * FROM App WHERE v = ?", "Parameters": [WRONG]}),
    "a statement of a batch": (
        "BatchExecuteStatement",
        {"Statements": [{"Statement": "SELECT * FROM App WHERE pk = ? AND sk = 1", "Parameters": [WRONG]}]},
    ),
}


@pytest.mark.parametrize("where", REQUESTS)
def test_what_is_no_base64(table: Any, call: Any, where: str) -> None:
    operation, request = REQUESTS[where]
    assert call.refused(operation, **request)[0] == "SerializationException"
    assert table("Scan")["Count"] == 0
