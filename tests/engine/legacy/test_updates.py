"""AttributeUpdates and AttributesToGet, and that old and new parameters do not mix."""

from __future__ import annotations

from typing import Any

import pytest

COUNTED = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "
KEY = {"pk": {"S": "a"}, "sk": {"N": "1"}}


def change(table: Any, **updates: Any) -> Any:
    return table("UpdateItem", Key=KEY, AttributeUpdates=updates, ReturnValues="ALL_NEW")["Attributes"]


def test_every_action(table: Any) -> None:
    put = {"Value": {"N": "5"}}
    assert change(table, n=put) == {**KEY, "n": {"N": "5"}}
    assert change(table, n={"Action": "ADD", "Value": {"N": "1.5"}})["n"] == {"N": "6.5"}
    assert change(table, new={"Action": "ADD", "Value": {"N": "2"}})["new"] == {"N": "2"}
    assert change(table, ss={"Action": "ADD", "Value": {"SS": ["a", "b"]}})["ss"] == {"SS": ["a", "b"]}
    assert change(table, ss={"Action": "DELETE", "Value": {"SS": ["a"]}})["ss"] == {"SS": ["b"]}
    assert "ss" not in change(table, ss={"Action": "DELETE", "Value": {"SS": ["b"]}})
    assert change(table, li={"Action": "ADD", "Value": {"L": [{"N": "1"}]}})["li"] == {"L": [{"N": "1"}]}
    assert change(table, li={"Action": "ADD", "Value": {"L": [{"N": "2"}]}})["li"] == {"L": [{"N": "1"}, {"N": "2"}]}
    assert "li" not in change(table, li={"Action": "DELETE"})
    # A dot is part of the name here.
    assert change(table, **{"m.x": put})["m.x"] == {"N": "5"}


def test_an_update_of_nothing_makes_the_item(table: Any) -> None:
    assert change(table) == KEY
    assert table.get("a", 1) == KEY


@pytest.mark.parametrize("update", [{"Action": "DELETE"}, {"Action": "DELETE", "Value": {"SS": ["a"]}}])
def test_taking_away_from_no_item_makes_none(table: Any, update: dict[str, Any]) -> None:
    assert table("UpdateItem", Key=KEY, AttributeUpdates={"x": update}, ReturnValues="ALL_NEW") == {}
    assert table.get("a", 1) is None
    both = {"x": update, "y": {"Action": "PUT", "Value": {"N": "1"}}}
    assert change(table, **both) == {**KEY, "y": {"N": "1"}}


@pytest.mark.parametrize(
    ("name", "update", "message"),
    [
        (
            "n",
            {"Action": "ADD"},
            f"{COUNTED}{INVALID}Only DELETE action is allowed when no attribute value is specified",
        ),
        ("n", {}, f"{COUNTED}{INVALID}Only DELETE action is allowed when no attribute value is specified"),
        (
            "n",
            {"Action": "ADD", "Value": {"S": "x"}},
            f"{COUNTED}{INVALID}ADD action is not supported for the type S",
        ),
        (
            "n",
            {"Action": "DELETE", "Value": {"N": "1"}},
            f"{COUNTED}{INVALID}DELETE action with value is not supported for the type N",
        ),
        ("n", {"Action": "ADD", "Value": {"SS": ["x"]}}, "Type mismatch for attribute to update"),
        ("n", {"Action": "ADD", "Value": {"L": []}}, "Type mismatch for attribute to update"),
        ("ss", {"Action": "DELETE", "Value": {"NS": ["1"]}}, "Type mismatch for attribute to update"),
        ("pk", {"Value": {"S": "z"}}, f"{INVALID}Cannot update attribute pk. This attribute is part of the key"),
        (
            "g",
            {"Value": {"S": ""}},
            "One or more parameter values are not valid. A value specified for a secondary index key is not supported. "
            "The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ByFour, IndexKey: g",
        ),
        (
            "n",
            {"Action": "SET", "Value": {"N": "1"}},
            f"{COUNTED}Value 'SET' at 'attributeUpdates.n.member.action' failed to satisfy constraint: Member must satisfy "
            "enum value set: [ADD, DELETE, PUT]",
        ),
    ],
)
def test_updates_that_are_refused(table: Any, name: str, update: dict[str, Any], message: str) -> None:
    table.put(**KEY, n={"N": "1"}, ss={"SS": ["a"]})
    assert table.refused("UpdateItem", Key=KEY, AttributeUpdates={name: update}) == ("ValidationException", message)


def test_attributes_to_get(table: Any, call: Any) -> None:
    table.put(**KEY, v={"S": "x"}, m={"M": {"x": {"N": "1"}}})
    assert table("GetItem", Key=KEY, AttributesToGet=["v", "m.x", "nothing"])["Item"] == {"v": {"S": "x"}}
    assert table("Scan", AttributesToGet=["sk"])["Items"] == [{"sk": {"N": "1"}}]
    batch = call("BatchGetItem", RequestItems={"App": {"Keys": [KEY], "AttributesToGet": ["v"]}})
    assert batch["Responses"] == {"App": [{"v": {"S": "x"}}]}
    twice = f"{INVALID}Duplicate value in attribute name: v"
    assert table.refused("GetItem", Key=KEY, AttributesToGet=["v", "v"])[1] == twice
    count = "Cannot specify the AttributesToGet when choosing to get only the Count"
    assert table.refused("Scan", AttributesToGet=["v"], Select="COUNT")[1] == count


def test_names_are_shorter_than_64_kilobytes(table: Any) -> None:
    name, fits = "é" * 32_768, "é" * 32_767
    told = f"{INVALID}Attribute name is too large, must be less than 65536 bytes"
    assert table.refused("GetItem", Key=KEY, AttributesToGet=[name])[1] == told
    assert table("GetItem", Key=KEY, AttributesToGet=[fits]) == {}
    update = {name: {"Value": {"N": "1"}}}
    assert table.refused("UpdateItem", Key=KEY, AttributeUpdates=update)[1] == f"{COUNTED}{told}"
    assert table.refused("Scan", ScanFilter={name: {"ComparisonOperator": "NULL"}})[1] == told


def test_old_and_new_do_not_mix(table: Any, call: Any) -> None:
    mixed = "Can not use both expression and non-expression parameters in the same request: Non-expression parameters: "
    # Found before the values are looked at, and also where a parameter is empty.
    request = {
        "Key": {"pk": {}},
        "AttributeUpdates": {},
        "Expected": {"a": {}},
        "UpdateExpression": "",
        "ConditionExpression": "",
    }
    assert table.refused("UpdateItem", **request)[1] == (
        f"{COUNTED}{mixed}{{AttributeUpdates, Expected}} Expression parameters: {{UpdateExpression, ConditionExpression}}"
    )
    message = f"{mixed}{{AttributesToGet}} Expression parameters: {{ProjectionExpression}}"
    assert table.refused("GetItem", Key=KEY, AttributesToGet=["v"], ProjectionExpression="v")[1] == message
    call("CreateTable", **{**_PLAIN, "TableName": "Other"})
    parts = {
        "App": {"Keys": [KEY], "AttributesToGet": ["v"]},
        "Other": {"Keys": [{"id": {"S": "1"}}], "ProjectionExpression": "v"},
    }
    assert call.refused("BatchGetItem", RequestItems=parts)[1] == message


def test_transactions_know_no_old_parameters(table: Any, call: Any) -> None:
    put = {"TableName": "App", "Item": KEY, "Expected": {"pk": {"Exists": True}}}
    call("TransactWriteItems", TransactItems=[{"Put": put}])
    assert table.get("a", 1) == KEY


_PLAIN = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
}
