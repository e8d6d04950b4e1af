"""UpdateItem: changed attributes, index keys that follow, and the five kinds of return values."""

from typing import Any

import pytest

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}


def test_an_update_creates_what_is_not_there(table: Any) -> None:
    assert table("UpdateItem", Key=KEY) == {}
    assert table.get("a", 1) == KEY
    other = {"pk": {"S": "b"}, "sk": {"N": "1"}}
    table("UpdateItem", Key=other, UpdateExpression="SET v = sk", ReturnValues="ALL_NEW")
    assert table.get("b", 1) == {**other, "v": {"N": "1"}}


@pytest.mark.parametrize("wanted", ["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
@pytest.mark.parametrize("expression", ["REMOVE v", "REMOVE v, w[0], m.x", "DELETE v :s", "REMOVE w DELETE v :s"])
def test_taking_away_from_no_item_makes_none(table: Any, call: Any, expression: str, wanted: str) -> None:
    values = {"ExpressionAttributeValues": {":s": {"SS": ["a"]}}} if ":s" in expression else {}
    update = {"TableName": "App", "Key": KEY, "UpdateExpression": expression, **values}
    answer = call("UpdateItem", **update, ReturnValues=wanted, ReturnConsumedCapacity="TOTAL")
    assert answer == {"ConsumedCapacity": {"TableName": "App", "CapacityUnits": 1.0}}
    call("TransactWriteItems", TransactItems=[{"Update": update}])
    assert table.get("a", 1) is None
    missing = {"ConditionExpression": "attribute_exists(pk)"}
    assert call.refused("UpdateItem", **update, **missing)[0] == "ConditionalCheckFailedException"


@pytest.mark.parametrize(
    ("wanted", "attributes"),
    [
        ("NONE", None),
        ("ALL_OLD", {**KEY, "v": {"N": "1"}, "m": {"M": {"x": {"S": "old"}, "y": {"S": "same"}}}}),
        ("ALL_NEW", {**KEY, "v": {"N": "3"}, "m": {"M": {"x": {"S": "new"}, "y": {"S": "same"}}}}),
        ("UPDATED_OLD", {"v": {"N": "1"}, "m": {"M": {"x": {"S": "old"}}}}),
        ("UPDATED_NEW", {"v": {"N": "3"}, "m": {"M": {"x": {"S": "new"}}}}),
    ],
)
def test_return_values(table: Any, wanted: str, attributes: dict[str, Any] | None) -> None:
    table.put(**KEY, v={"N": "1"}, m={"M": {"x": {"S": "old"}, "y": {"S": "same"}}})
    response = table(
        "UpdateItem",
        Key=KEY,
        UpdateExpression="SET m.x = :x REMOVE absent ADD v :two",
        ExpressionAttributeValues={":x": {"S": "new"}, ":two": {"N": "2"}},
        ReturnValues=wanted,
    )
    assert response == ({} if attributes is None else {"Attributes": attributes})


def test_there_is_nothing_old_to_return_of_a_new_item(table: Any) -> None:
    values = {":v": {"S": "x"}}
    for wanted in ("ALL_OLD", "UPDATED_OLD"):
        key = {"pk": {"S": wanted}, "sk": {"N": "1"}}
        assert (
            table(
                "UpdateItem",
                Key=key,
                UpdateExpression="SET v = :v",
                ExpressionAttributeValues=values,
                ReturnValues=wanted,
            )
            == {}
        )


def test_index_entries_follow_an_update(table: Any) -> None:
    def group(name: str) -> int:
        response = table(
            "Query",
            IndexName="ByGroup",
            KeyConditionExpression="g = :g",
            ExpressionAttributeValues={":g": {"S": name}},
        )
        return int(response["Count"])

    table.put(**KEY, g={"S": "one"}, r={"S": "r"})
    assert (group("one"), group("two")) == (1, 0)
    table("UpdateItem", Key=KEY, UpdateExpression="SET g = :g", ExpressionAttributeValues={":g": {"S": "two"}})
    assert (group("one"), group("two")) == (0, 1)
    table("UpdateItem", Key=KEY, UpdateExpression="REMOVE r")
    assert (group("one"), group("two")) == (0, 0)


def test_the_key_cannot_be_updated(table: Any) -> None:
    for expression in ("SET pk = :v", "REMOVE sk", "SET pk.x = :v"):
        values = {"ExpressionAttributeValues": {":v": {"S": "x"}}} if ":v" in expression else {}
        name, message = table.refused("UpdateItem", Key=KEY, UpdateExpression=expression, **values)
        assert name == "ValidationException"
        assert message.endswith("This attribute is part of the key")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {"N": "1"},
            "One or more parameter values were invalid: "
            "Type mismatch for Index Key g Expected: S Actual: N IndexName: ByFour",
        ),
        (
            {"S": ""},
            "One or more parameter values are not valid. The update expression attempted to update a secondary index "
            "key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty "
            "string value.",
        ),
    ],
)
def test_index_keys_must_fit(table: Any, value: dict[str, str], message: str) -> None:
    request = {"UpdateExpression": "SET g = :v", "ExpressionAttributeValues": {":v": value}}
    assert table.refused("UpdateItem", Key=KEY, **request) == ("ValidationException", message)
    assert table.get("a", 1) is None


def test_a_condition_is_looked_at_before_the_update(table: Any) -> None:
    table.put(**KEY)
    name, _ = table.refused(
        "UpdateItem",
        Key=KEY,
        UpdateExpression="SET v = absent",
        ConditionExpression="attribute_not_exists(pk)",
    )
    assert name == "ConditionalCheckFailedException"
    assert table.refused("UpdateItem", Key=KEY, UpdateExpression="SET v = absent") == (
        "ValidationException",
        "The provided expression refers to an attribute that does not exist in the item",
    )


def test_an_update_may_not_outgrow_the_limit(table: Any) -> None:
    table.put(**KEY, v={"S": "x" * 400_000})
    request = {"UpdateExpression": "SET w = :w", "ExpressionAttributeValues": {":w": {"S": "x" * 20_000}}}
    assert table.refused("UpdateItem", Key=KEY, **request) == (
        "ValidationException",
        "Item size to update has exceeded the maximum allowed size",
    )


def test_an_update_may_not_nest_too_deep(table: Any) -> None:
    deep: dict[str, Any] = {"S": "bottom"}
    for _ in range(30):
        deep = {"M": {"d": deep}}
    table.put(**KEY, m={"M": {"d": {"M": {}}}})
    name, message = table.refused(
        "UpdateItem", Key=KEY, UpdateExpression="SET m.d.d = :v", ExpressionAttributeValues={":v": deep}
    )
    assert (name, message.partition(":")[0]) == ("ValidationException", "Nesting Levels have exceeded supported limits")


def test_recorded_sizes_stay_right_through_updates(table: Any, engine: Any) -> None:
    table.put(**KEY, name={"S": "é" * 40}, v={"N": "1"})
    for expression, values in (
        ("SET #n = :v", {":v": {"S": "shorter"}}),
        ("REMOVE v", {}),
        ("SET l = :v, #n = :w", {":v": {"S": "ü"}, ":w": {"L": [{"N": "123.5"}]}}),
    ):
        names = {"ExpressionAttributeNames": {"#n": "name"}} if "#n" in expression else {}
        given = {"ExpressionAttributeValues": values} if values else {}
        table("UpdateItem", Key=KEY, UpdateExpression=expression, **names, **given)
        assert engine.verify() == []
