"""DeleteItem: an item and its index entries go together."""

from typing import Any

KEY: dict[str, Any] = {"pk": {"S": "a"}, "sk": {"N": "1"}}


def test_deleting_returns_the_old_item_when_asked(table: Any) -> None:
    table.put(**KEY, v={"S": "x"})
    assert table("DeleteItem", Key=KEY, ReturnValues="ALL_OLD") == {"Attributes": {**KEY, "v": {"S": "x"}}}
    assert table.get("a", 1) is None


def test_deleting_what_is_not_there_succeeds(table: Any) -> None:
    assert table("DeleteItem", Key=KEY, ReturnValues="ALL_OLD") == {}


def test_index_entries_go_with_the_item(table: Any) -> None:
    table.put(**KEY, g={"S": "g"}, r={"S": "r"}, h={"N": "1"}, l={"S": "l"})
    table("DeleteItem", Key=KEY)
    for index in ("ByGroup", "ByFour", "ByLocal", "ByLocalKeys"):
        assert table("Scan", IndexName=index)["Count"] == 0


def test_conditions(table: Any) -> None:
    table.put(**KEY, v={"S": "x"})
    request = {"Key": KEY, "ConditionExpression": "v = :v", "ExpressionAttributeValues": {":v": {"S": "other"}}}
    error = table.error("DeleteItem", **request, ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert error.item == {**KEY, "v": {"S": "x"}}
    assert table.get("a", 1) is not None
    assert (
        table.refused("DeleteItem", Key=KEY, ReturnValues="UPDATED_OLD")[1]
        == "1 validation error detected: ReturnValues can only be ALL_OLD or NONE"
    )


def test_capacity(table: Any) -> None:
    table.put(**KEY, g={"S": "g"}, r={"S": "r"}, v={"S": "x" * 2000})
    report = table("DeleteItem", Key=KEY, ReturnConsumedCapacity="INDEXES")["ConsumedCapacity"]
    assert report["Table"] == {"CapacityUnits": 2.0}
    assert report["GlobalSecondaryIndexes"] == {"ByGroup": {"CapacityUnits": 1.0}}
    report = table("DeleteItem", Key=KEY, ReturnConsumedCapacity="TOTAL")["ConsumedCapacity"]
    assert report == {"TableName": "App", "CapacityUnits": 1.0}
