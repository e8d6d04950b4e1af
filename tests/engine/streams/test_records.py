"""What is written comes out of the stream: in order, in the service's form, with what the view shows."""

from __future__ import annotations

import base64
from typing import Any

import pytest

HOUR = 3600.0
VIEWS = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")
KEY = {"pk": {"S": "a"}, "sk": {"N": "0"}}


def names(records: list[dict[str, Any]]) -> list[str]:
    return [record["eventName"] for record in records]


def test_a_record_has_the_form_of_the_service(lab: Any) -> None:
    arn = lab.create()
    lab.put("a", v={"S": "one"})
    lab.put("a", v={"S": "three"})
    first, second = lab.records(arn)
    number = second["dynamodb"]["SequenceNumber"]
    assert second == {
        "eventID": second["eventID"],
        "eventName": "MODIFY",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "eu-central-1",
        "dynamodb": {
            "ApproximateCreationDateTime": int(lab.clock.now()),
            "Keys": KEY,
            "NewImage": {**KEY, "v": {"S": "three"}},
            "OldImage": {**KEY, "v": {"S": "one"}},
            "SequenceNumber": number,
            "SizeBytes": 6 + 12 + 10,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
    }
    assert first["eventID"] != second["eventID"]
    assert len(second["eventID"]) == 32
    assert first["dynamodb"]["SequenceNumber"] < number
    assert 21 <= len(number) <= 40
    assert lab.records(arn)[1] == second


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_shows_its_part(lab: Any, view: str) -> None:
    arn = lab.create(view)
    lab.put("a", v={"N": "1"})
    lab.put("a", v={"N": "2"})
    lab.delete("a")
    records = lab.records(arn)
    assert names(records) == ["INSERT", "MODIFY", "REMOVE"]
    for record, (old, new) in zip(records, ((None, "1"), ("1", "2"), ("2", None)), strict=True):
        shown = record["dynamodb"]
        assert shown["Keys"] == KEY
        assert shown["StreamViewType"] == view
        wanted_new = None if new is None or view in ("KEYS_ONLY", "OLD_IMAGE") else {**KEY, "v": {"N": new}}
        wanted_old = None if old is None or view in ("KEYS_ONLY", "NEW_IMAGE") else {**KEY, "v": {"N": old}}
        assert (shown.get("NewImage"), shown.get("OldImage")) == (wanted_new, wanted_old)


def test_writes_that_change_nothing_leave_no_record(lab: Any) -> None:
    arn = lab.create()
    lab.put("a", s={"SS": ["x", "y"]}, n={"N": "1"}, l={"L": [{"NS": ["1", "2"]}]})
    lab.put("a", s={"SS": ["y", "x"]}, n={"N": "1.00"}, l={"L": [{"NS": ["2", "1.0"]}]})
    lab("UpdateItem", TableName="App", Key=KEY)
    lab("UpdateItem", TableName="App", Key=KEY, UpdateExpression="SET n = n")
    lab.delete("never")
    lab("UpdateItem", TableName="App", Key={**KEY, "pk": {"S": "never"}}, UpdateExpression="REMOVE s")
    assert names(lab.records(arn)) == ["INSERT"]
    lab("UpdateItem", TableName="App", Key={**KEY, "pk": {"S": "b"}})
    lab("UpdateItem", TableName="App", Key=KEY, UpdateExpression="REMOVE s")
    assert names(lab.records(arn)) == ["INSERT", "INSERT", "MODIFY"]


def test_failed_writes_leave_no_record(lab: Any) -> None:
    arn = lab.create()
    lab.refused("PutItem", TableName="App", Item=KEY, ConditionExpression="attribute_exists(pk)")
    put = {"Put": {"TableName": "App", "Item": KEY}}
    check = {"TableName": "App", "Key": {**KEY, "pk": {"S": "b"}}, "ConditionExpression": "attribute_exists(pk)"}
    lab.refused("TransactWriteItems", TransactItems=[put, {"ConditionCheck": check}])
    assert lab.records(arn) == []


def test_batches_and_transactions_are_recorded_item_by_item(lab: Any) -> None:
    arn = lab.create()
    other = lab.create("KEYS_ONLY", "Other")
    puts = [{"PutRequest": {"Item": {**KEY, "sk": {"N": str(n)}}}} for n in range(3)]
    lab("BatchWriteItem", RequestItems={"App": puts, "Other": puts[:1]})
    lab(
        "TransactWriteItems",
        TransactItems=[
            {"Delete": {"TableName": "App", "Key": {**KEY, "sk": {"N": "1"}}}},
            {"Put": {"TableName": "Other", "Item": {**KEY, "sk": {"N": "9"}}}},
            {
                "Update": {
                    "TableName": "App",
                    "Key": KEY,
                    "UpdateExpression": "SET v = :v",
                    "ExpressionAttributeValues": {":v": {"S": "new"}},
                }
            },
        ],
    )
    seen = [(record["eventName"], record["dynamodb"]["Keys"]["sk"]["N"]) for record in lab.records(arn)]
    assert seen == [("INSERT", "0"), ("INSERT", "1"), ("INSERT", "2"), ("REMOVE", "1"), ("MODIFY", "0")]
    seen = [(record["eventName"], record["dynamodb"]["Keys"]["sk"]["N"]) for record in lab.records(other)]
    assert seen == [("INSERT", "0"), ("INSERT", "9")]


def test_records_come_page_by_page(lab: Any) -> None:
    arn = lab.create()
    for number in range(7):
        lab.put("a", number)
    assert [record["dynamodb"]["Keys"]["sk"]["N"] for record in lab.records(arn, limit=3)] == [*"0123456"]
    page = lab("GetRecords", ShardIterator=lab.iterator(arn), Limit=3)
    assert len(page["Records"]) == 3


def test_a_page_ends_at_a_megabyte(lab: Any) -> None:
    arn = lab.create("NEW_IMAGE")
    for number in range(4):
        lab.put("a", number, padding={"S": "x" * 390_000})
    pages: list[int] = []
    iterator = lab.iterator(arn)
    while not pages or pages[-1]:
        page = lab("GetRecords", ShardIterator=iterator)
        pages.append(len(page["Records"]))
        iterator = page["NextShardIterator"]
    assert pages == [2, 2, 0]


def test_places_to_start_at(lab: Any) -> None:
    arn = lab.create()
    for number in range(4):
        lab.put("a", number)
    numbers = [record["dynamodb"]["SequenceNumber"] for record in lab.records(arn)]

    def read(kind: str, number: str | None = None) -> list[str]:
        page = lab("GetRecords", ShardIterator=lab.iterator(arn, None, kind, number))
        return [record["dynamodb"]["SequenceNumber"] for record in page["Records"]]

    assert read("TRIM_HORIZON") == numbers
    assert read("AT_SEQUENCE_NUMBER", numbers[1]) == numbers[1:]
    assert read("AFTER_SEQUENCE_NUMBER", numbers[1]) == numbers[2:]
    assert read("AFTER_SEQUENCE_NUMBER", numbers[3]) == []
    start = lab.shards(arn)[0]["SequenceNumberRange"]["StartingSequenceNumber"]
    assert read("AT_SEQUENCE_NUMBER", start) == numbers
    assert read("LATEST") == []
    latest = lab.iterator(arn, None, "LATEST")
    lab.put("a", 4)
    assert len(lab("GetRecords", ShardIterator=latest)["Records"]) == 1


def test_places_that_are_refused(lab: Any) -> None:
    arn = lab.create()
    lab.put("a")
    (shard,) = lab.shards(arn)

    def refused(kind: str, number: str | None = None, shard_id: str = shard["ShardId"]) -> tuple[str, str]:
        more = {} if number is None else {"SequenceNumber": number}
        refusal: tuple[str, str] = lab.refused(
            "GetShardIterator", StreamArn=arn, ShardId=shard_id, ShardIteratorType=kind, **more
        )
        return refusal

    invalid = "One or more parameter values were invalid: "
    assert refused("AT_SEQUENCE_NUMBER")[1] == f"{invalid}Invalid SequenceNumber"
    assert refused("AT_SEQUENCE_NUMBER", "x" * 25)[1] == f"{invalid}Invalid SequenceNumber"
    assert refused("AT_SEQUENCE_NUMBER", "1" * 21)[1] == f"{invalid}Invalid SequenceNumber"
    assert refused("LATEST", "1" * 25)[1] == f"{invalid}SequenceNumber should not be passed for this iterator type"
    number = lab.records(arn)[0]["dynamodb"]["SequenceNumber"]
    for wrong in (str(int(number) + 1), "2" + number[1:]):
        assert refused("AFTER_SEQUENCE_NUMBER", wrong)[1] == "Invalid SequenceNumber for the shard"
    assert refused("AT_SEQUENCE_NUMBER", "1")[1] == (
        "1 validation error detected: Value '1' at 'sequenceNumber' failed to satisfy constraint: "
        "Member must have length greater than or equal to 21"
    )
    assert refused("LATEST", None, "shardId-00000000000000000000-00000000") == (
        "ResourceNotFoundException",
        "Requested resource not found: Shard does not exist",
    )
    assert refused("SOMEWHERE")[0] == "ValidationException"


def test_iterators_are_checked(lab: Any) -> None:
    arn = lab.create()
    other = lab.create(name="Other")
    iterator = lab.iterator(arn)
    body = bytearray(base64.b64decode(iterator.split("|")[2]))
    body[-12] ^= 1
    forged = "|".join([*iterator.split("|")[:2], base64.b64encode(body).decode()])
    for wrong in ("abc", "", arn, f"{arn}|1|", f"{arn}|1|%%%%", iterator.replace("|1|", "|2|"), forged,
                  iterator.replace(arn, other), iterator[:-4]):  # fmt: skip
        assert lab.refused("GetRecords", ShardIterator=wrong) == ("ValidationException", "Invalid ShardIterator")
    assert lab.refused("GetRecords", ShardIterator=iterator, Limit=1001) == (
        "ValidationException",
        "One or more parameter values were invalid: Limit should be less than or equal to 1000",
    )
    assert lab("GetRecords", ShardIterator=iterator)["Records"] == []


def test_iterators_expire(lab: Any) -> None:
    arn = lab.create()
    iterator = lab.iterator(arn)
    lab.clock.move(899)
    later = lab("GetRecords", ShardIterator=iterator)["NextShardIterator"]
    lab.clock.move(2)
    assert lab.refused("GetRecords", ShardIterator=iterator)[0] == "ExpiredIteratorException"
    assert lab("GetRecords", ShardIterator=later)["Records"] == []


def test_an_iterator_of_a_table_that_was_made_anew(lab: Any) -> None:
    arn = lab.create()
    lab.put("a")
    iterator = lab.iterator(arn)
    lab("DeleteTable", TableName="App")
    again = lab.create()
    assert again != arn
    assert names(lab("GetRecords", ShardIterator=iterator)["Records"]) == ["INSERT"]
    assert lab.records(again) == []
