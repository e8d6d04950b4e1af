"""PutItem: what is stored, what is returned, what is refused."""

from typing import Any

import pytest

from tablewright.errors import ConditionalCheckFailed

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}
INVALID = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "


def test_an_item_comes_back_as_it_was_put(table: Any) -> None:
    item = {
        **KEY,
        "text": {"S": "é\U0001f600"},
        "bytes": {"B": "AAEC"},
        "flag": {"BOOL": False},
        "nothing": {"NULL": True},
        "list": {"L": [{"S": "x"}, {"M": {"in": {"N": "1"}}}]},
        "strings": {"SS": ["b", "a"]},
    }
    assert table("PutItem", Item=item) == {}
    assert table.get("a", 1) == item


def test_numbers_are_stored_in_canonical_form(table: Any) -> None:
    table.put(pk={"S": "a"}, sk={"N": "1.0"}, v={"N": "0001.500"}, s={"NS": ["2.0", "1E1"]})
    assert table.get("a", 1) == {**KEY, "v": {"N": "1.5"}, "s": {"NS": ["2", "10"]}}


def test_a_second_put_replaces_the_whole_item(table: Any) -> None:
    table.put(**KEY, old={"S": "x"})
    response = table("PutItem", Item={**KEY, "new": {"S": "y"}}, ReturnValues="ALL_OLD")
    assert response == {"Attributes": {**KEY, "old": {"S": "x"}}}
    assert table.get("a", 1) == {**KEY, "new": {"S": "y"}}


def test_nothing_old_is_returned_for_a_new_item(table: Any) -> None:
    assert table("PutItem", Item=KEY, ReturnValues="ALL_OLD") == {}


def test_a_condition_that_fails_keeps_the_old_item(table: Any) -> None:
    table.put(**KEY, v={"N": "1"})
    request = {"Item": {**KEY, "v": {"N": "2"}}, "ConditionExpression": "attribute_not_exists(pk)"}
    assert table.refused("PutItem", **request) == (
        "ConditionalCheckFailedException",
        "The conditional request failed",
    )
    assert table.get("a", 1) == {**KEY, "v": {"N": "1"}}
    assert table.error("PutItem", **request).item is None


def test_a_failed_condition_can_return_the_stored_item(table: Any) -> None:
    table.put(**KEY, v={"N": "1"})
    error = table.error(
        "PutItem",
        Item=KEY,
        ConditionExpression="attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    )
    assert isinstance(error, ConditionalCheckFailed)
    assert error.item == {**KEY, "v": {"N": "1"}}


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ({"pk": {"S": "a"}}, f"{INVALID}Missing the key sk in the item"),
        ({**KEY, "pk": {"N": "1"}}, f"{INVALID}Type mismatch for key pk expected: S actual: N"),
        (
            {**KEY, "pk": {"S": ""}},
            f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty string value. Key: pk",
        ),
        (
            {**KEY, "pk": {"S": "x" * 2049}},
            f"{INVALID}Size of hashkey has exceeded the maximum size limit of2048 bytes",
        ),
        (
            {**KEY, "g": {"N": "1"}},
            f"{INVALID}Type mismatch for Index Key g Expected: S Actual: N IndexName: ByFour",
        ),
        (
            {**KEY, "l": {"S": ""}},
            f"{NOT_VALID}A value specified for a secondary index key is not supported. The AttributeValue for a key "
            "attribute cannot contain an empty string value. IndexName: ByLocal, IndexKey: l",
        ),
        (
            {**KEY, "r": {"S": "é" * 513}},
            f"{INVALID}Size limit exceeded for Index Key r Actual Size: 1026 bytes Max Size: 1024 bytes IndexName: ByFour",
        ),
        ({**KEY, "v": {"S": "x" * 409_600}}, "Item size has exceeded the maximum allowed size"),
        (
            {**KEY, "v": {}},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        ({**KEY, "v": {"SS": []}}, f"1 validation error detected: {INVALID}An string set  may not be empty"),
    ],
)
def test_items_that_the_table_cannot_hold(table: Any, item: dict[str, Any], message: str) -> None:
    assert table.refused("PutItem", Item=item) == ("ValidationException", message)


def test_an_item_of_exactly_400_kilobytes_fits(table: Any) -> None:
    names_and_keys = len("pk" + "a" + "sk" + "v") + 2
    table.put(**KEY, v={"S": "x" * (409_600 - names_and_keys)})
    assert (
        table.refused("PutItem", Item={**KEY, "v": {"S": "x" * (409_601 - names_and_keys)}})[0] == "ValidationException"
    )


def test_wrong_json_types_are_a_serialization_fault(table: Any) -> None:
    assert table.refused("PutItem", Item={**KEY, "v": {"S": 1}})[0] == "SerializationException"
    assert table.refused("PutItem", Item=[KEY])[0] == "SerializationException"


def test_parameters_are_checked_first(table: Any) -> None:
    assert table.refused("PutItem", Item=KEY, ReturnConsumedCapacity="x") == (
        "ValidationException",
        "1 validation error detected: Value 'x' at 'returnConsumedCapacity' failed to satisfy constraint: "
        "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]",
    )
    assert (
        table.refused("PutItem", Item=KEY, ReturnValues="ALL_NEW")[1]
        == "1 validation error detected: ReturnValues can only be ALL_OLD or NONE"
    )
    assert table.refused("PutItem") == (
        "ValidationException",
        "1 validation error detected: Value null at 'item' failed to satisfy constraint: Member must not be null",
    )


def test_placeholders_must_all_be_used(table: Any) -> None:
    values = {":unused": {"S": "x"}}
    assert table.refused("PutItem", Item=KEY, ExpressionAttributeValues=values)[1] == (
        "1 validation error detected: ExpressionAttributeValues can only be specified when using expressions"
    )
    condition = {"ConditionExpression": "attribute_not_exists(pk)"}
    assert table.refused("PutItem", Item=KEY, ExpressionAttributeValues=values, **condition)[1] == (
        "1 validation error detected: Value provided in ExpressionAttributeValues unused in expressions: keys: {:unused}"
    )
    assert table.refused("PutItem", Item=KEY, ExpressionAttributeNames={"#n": "n"})[1] == (
        "1 validation error detected: ExpressionAttributeNames can only be specified when using expressions"
    )


def test_collection_metrics_of_a_table_with_local_indexes(table: Any) -> None:
    response = table("PutItem", Item=KEY, ReturnItemCollectionMetrics="SIZE")
    assert response["ItemCollectionMetrics"] == {
        "ItemCollectionKey": {"pk": {"S": "a"}},
        "SizeEstimateRangeGB": [0.0, 1.0],
    }
