"""BatchGetItem and BatchWriteItem: many items on any tables."""

from typing import Any

import pytest


def key(sk: object) -> dict[str, Any]:
    return {"pk": {"S": "a"}, "sk": {"N": str(sk)}}


def puts(*numbers: int, **attributes: Any) -> list[dict[str, Any]]:
    return [{"PutRequest": {"Item": {**key(number), **attributes}}} for number in numbers]


def test_puts_and_deletes_together(table: Any, call: Any) -> None:
    table.put(**key(1))
    response = call("BatchWriteItem", RequestItems={"App": [*puts(2, 3), {"DeleteRequest": {"Key": key(1)}}]})
    assert response == {"UnprocessedItems": {}}
    assert [table.get("a", n) is not None for n in (1, 2, 3)] == [False, True, True]


def test_reads_from_several_tables(table: Any, call: Any, table_definition: Any) -> None:
    call("CreateTable", **table_definition("Other"))
    call("BatchWriteItem", RequestItems={"App": puts(1, 2, v={"S": "v"}), "Other": puts(1)})
    response = call(
        "BatchGetItem",
        RequestItems={
            "App": {"Keys": [key(1), key(2), key(3)], "ProjectionExpression": "sk"},
            "Other": {"Keys": [key(1)], "ConsistentRead": True},
        },
        ReturnConsumedCapacity="TOTAL",
    )
    assert sorted(item["sk"]["N"] for item in response["Responses"]["App"]) == ["1", "2"]
    assert response["Responses"]["Other"] == [key(1)]
    assert response["UnprocessedKeys"] == {}
    assert response["ConsumedCapacity"] == [
        {"TableName": "App", "CapacityUnits": 1.5},
        {"TableName": "Other", "CapacityUnits": 1.0},
    ]


def test_what_does_not_fit_into_sixteen_megabytes_stays_unprocessed(table: Any, call: Any) -> None:
    for number in range(50):
        table.put(**key(number), v={"S": "x" * 400_000})
    request: dict[str, Any] = {"App": {"Keys": [key(number) for number in range(50)], "ConsistentRead": True}}
    found: list[Any] = []
    rounds = 0
    while request:
        response = call("BatchGetItem", RequestItems=request)
        found += response["Responses"]["App"]
        request = response["UnprocessedKeys"]
        rounds += 1
    assert rounds == 2
    assert sorted(int(item["sk"]["N"]) for item in found) == list(range(50))


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            {"App": puts(*range(26))},
            "1 validation error detected: Value '{App=[26 members]}' at 'requestItems' failed to satisfy constraint: Map "
            "value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length "
            "greater than or equal to 1]",
        ),
        ({"App": puts(*range(20)), "Others": puts(*range(6))}, "Too many items requested for the BatchWriteItem call"),
        ({"App": [*puts(1), {"DeleteRequest": {"Key": key("1.0")}}]}, "Provided list of item keys contains duplicates"),
        (
            {"App": [{}]},
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
        ),
        (
            {"App": [{"PutRequest": {"Item": {"pk": {"S": "a"}}}}]},
            "The provided key element does not match the schema",
        ),
        (
            {"App": [{"DeleteRequest": {"Key": {"pk": {"S": "a"}}}}]},
            "The provided key element does not match the schema",
        ),
        (
            {"App": []},
            "1 validation error detected: Value '{App=[]}' at 'requestItems' failed to satisfy constraint: Map value "
            "must satisfy constraint: [Member must have length less than or equal to 25, Member must have length "
            "greater than or equal to 1]",
        ),
    ],
)
def test_writes_that_are_refused_as_a_whole(table: Any, call: Any, items: Any, message: str) -> None:
    assert call.refused("BatchWriteItem", RequestItems=items) == ("ValidationException", message)
    assert table("Scan")["Count"] == 0


def test_one_wrong_item_keeps_the_whole_batch_out(table: Any, call: Any) -> None:
    request = {"App": [*puts(1, 2), {"PutRequest": {"Item": {**key(3), "g": {"N": "1"}}}}]}
    assert call.refused("BatchWriteItem", RequestItems=request)[0] == "ValidationException"
    assert call.refused("BatchWriteItem", RequestItems={"App": puts(1), "Missing": puts(1)})[0] == (
        "ResourceNotFoundException"
    )
    assert table("Scan")["Count"] == 0


def test_reads_that_are_refused(table: Any, call: Any) -> None:
    many = {"App": {"Keys": [key(n) for n in range(101)]}}
    assert call.refused("BatchGetItem", RequestItems=many)[1] == (
        "1 validation error detected: Value at 'RequestItems.App.member.Keys' failed to satisfy constraint: "
        "Member must have length less than or equal to 100"
    )
    twice = {"App": {"Keys": [key(1), key("1.0")]}}
    assert call.refused("BatchGetItem", RequestItems=twice)[1] == "Provided list of item keys contains duplicates"
    assert call.refused("BatchGetItem", RequestItems={})[0] == "ValidationException"
    assert call.refused("BatchGetItem", RequestItems={"Missing": {"Keys": [key(1)]}})[0] == "ResourceNotFoundException"


def test_capacity_and_collections_of_writes(table: Any, call: Any) -> None:
    response = call(
        "BatchWriteItem",
        RequestItems={"App": [*puts(1, 2, g={"S": "g"}, r={"S": "r"}), {"DeleteRequest": {"Key": key(9)}}]},
        ReturnConsumedCapacity="INDEXES",
        ReturnItemCollectionMetrics="SIZE",
    )
    (report,) = response["ConsumedCapacity"]
    assert report["Table"] == {"CapacityUnits": 3.0}
    assert report["GlobalSecondaryIndexes"] == {"ByGroup": {"CapacityUnits": 2.0}}
    assert report["LocalSecondaryIndexes"] == {"ByLocalKeys": {"CapacityUnits": 2.0}}
    assert response["ItemCollectionMetrics"] == {
        "App": [{"ItemCollectionKey": {"pk": {"S": "a"}}, "SizeEstimateRangeGB": [0.0, 1.0]}]
    }


def test_names_that_no_table_can_have(call: Any) -> None:
    rules = (
        "at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must have length less than "
        "or equal to 255, Member must have length greater than or equal to 3, Member must satisfy regular expression "
        "pattern: [a-zA-Z0-9_.-]+]"
    )
    assert call.refused("BatchGetItem", RequestItems={"bad!name": {"Keys": [{"pk": {"S": "a"}}]}})[1] == (
        f"""1 validation error detected: Value '{{"bad!name":{{"Keys":[{{"pk":{{"S":"a"}}}}]}}}}' {rules}"""
    )
    put = {"bad!name": [{"PutRequest": {"Item": {"pk": {"S": "a"}}}}]}
    assert call.refused("BatchWriteItem", RequestItems=put)[1] == (
        f"1 validation error detected: Value '{{bad!name=[WriteRequest(putRequest=PutRequest(item={{pk=...}}))]}}' {rules}"
    )
