"""The same writes leave the same records here and on AWS's own DynamoDB Local, and settings are refused alike."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError
from tablewright.values import canonical_number

Answer = tuple[str, dict[str, Any]]
Send = Callable[[str, dict[str, Any]], Answer]

VIEWS = ("KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES")


@pytest.fixture
def ours() -> Iterator[Send]:
    """Sends a request to an engine of ours; gives the error's name ("" for success) and the body."""
    with open_engine("memory:", sweep_every=None) as engine:
        yield lambda operation, request: answer(engine, operation, request)


def answer(engine: Engine, operation: str, request: dict[str, Any]) -> Answer:
    try:
        return "", engine.execute(operation, request)
    except ServiceError as error:
        return error.wire_name, {"Message": error.message}


def create(send: Send, name: str, view: str | None) -> None:
    more = {} if view is None else {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}}
    send("DeleteTable", {"TableName": name})
    wrong, body = send(
        "CreateTable",
        {
            "TableName": name,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "N"},
            ],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            **more,
        },
    )
    assert wrong == "", body


def read(send: Send, name: str) -> list[dict[str, Any]]:
    """All records of a table's latest stream, without what differs by nature, sets in order."""
    arn = send("DescribeTable", {"TableName": name})[1]["Table"]["LatestStreamArn"]
    records: list[dict[str, Any]] = []
    for shard in send("DescribeStream", {"StreamArn": arn})[1]["StreamDescription"]["Shards"]:
        request = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
        iterator = send("GetShardIterator", request)[1]["ShardIterator"]
        while iterator is not None:
            page = send("GetRecords", {"ShardIterator": iterator, "Limit": 7})[1]
            records += page["Records"]
            iterator = page.get("NextShardIterator") if page["Records"] else None
    numbers = [int(record["dynamodb"].pop("SequenceNumber")) for record in records]
    assert numbers == sorted(set(numbers))
    for record in records:
        assert record.pop("eventID")
        assert record.pop("awsRegion")
        assert record["dynamodb"].pop("ApproximateCreationDateTime") > 0
    settled: list[dict[str, Any]] = settle(records)
    return settled


def settle(value: Any) -> Any:
    """Sets in order and numbers in one form, which DynamoDB Local leaves as they were written."""
    if isinstance(value, dict):
        settled = {name: settle(inner) for name, inner in value.items()}
        for tag in ("SS", "NS"):
            if tag in settled:
                settled[tag] = sorted(map(canonical_number, settled[tag]) if tag == "NS" else settled[tag])
        if isinstance(settled.get("N"), str):
            settled["N"] = canonical_number(settled["N"])
        return settled
    return [settle(inner) for inner in value] if isinstance(value, list) else value


def writes(name: str, draw: random.Random, many: int) -> Iterator[tuple[str, dict[str, Any]]]:
    values: list[dict[str, Any]] = [
        {"S": ""},
        {"S": "text"},
        {"N": "1"},
        {"N": "1.50"},
        {"N": "1.5"},
        {"B": "AAEC"},
        {"BOOL": True},
        {"NULL": True},
        {"SS": ["a", "b"]},
        {"SS": ["b", "a"]},
        {"NS": ["1", "2.0"]},
        {"NS": ["2", "1"]},
        # DynamoDB Local loses empty documents on the way into a record.
        {"L": [{"N": "1"}, {"M": {"deep": {"S": "x"}}}]},
        {"M": {"inner": {"L": [{"BOOL": False}]}}},
    ]

    def key() -> dict[str, Any]:
        return {"pk": {"S": draw.choice("ab")}, "sk": {"N": str(draw.randrange(3))}}

    def item() -> dict[str, Any]:
        return {**key(), **{attribute: draw.choice(values) for attribute in draw.sample("vwx", draw.randrange(3))}}

    for _ in range(many):
        kind = draw.randrange(6)
        if kind <= 1:
            yield "PutItem", {"TableName": name, "Item": item()}
        elif kind == 2:
            yield "DeleteItem", {"TableName": name, "Key": key()}
        elif kind == 3:
            request = {"TableName": name, "Key": key(), "UpdateExpression": draw.choice(["SET v = :v", "SET w = :v"])}
            yield "UpdateItem", {**request, "ExpressionAttributeValues": {":v": draw.choice(values)}}
        elif kind == 4:
            # Of no item DynamoDB Local makes one here, where the service makes none.
            request = {"TableName": name, "Key": key(), "UpdateExpression": "REMOVE v, w"}
            yield "UpdateItem", {**request, "ConditionExpression": "attribute_exists(pk)"}
        else:
            # One item: DynamoDB Local is free in the order of several.
            condition = draw.choice(["attribute_exists(pk)", "attribute_not_exists(pk)"])
            put = {"TableName": name, "Item": item(), "ConditionExpression": condition}
            yield "TransactWriteItems", {"TransactItems": [{"Put": put}]}


@pytest.mark.parametrize("view", VIEWS)
def test_the_same_writes_leave_the_same_records(ours: Send, reference: Send, view: str) -> None:
    name = f"Streams{uuid.uuid4().hex[:8]}"
    for send in (ours, reference):
        create(send, name, view)
        draw = random.Random(f"{view} seven")
        for operation, request in writes(name, draw, 120):
            wrong, body = send(operation, request)
            refused = ("TransactionCanceledException", "ConditionalCheckFailedException")
            assert wrong in ("", *refused), (operation, request, body)
    mine, theirs = read(ours, name), read(reference, name)
    assert len(mine) > 60
    assert mine == theirs
    reference("DeleteTable", {"TableName": name})


def test_a_stream_goes_through_the_same_states(ours: Send, reference: Send) -> None:
    name = f"Streams{uuid.uuid4().hex[:8]}"
    on, off = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}, {"StreamEnabled": False}
    told: list[list[Any]] = [[], []]
    for send, said in zip((ours, reference), told, strict=True):
        create(send, name, None)
        for wanted in (off, on, on, {**on, "StreamViewType": "KEYS_ONLY"}, off, off, {"StreamEnabled": True},
                       {**off, "StreamViewType": "KEYS_ONLY"}, on):  # fmt: skip
            wrong, body = send("UpdateTable", {"TableName": name, "StreamSpecification": wanted})
            described = body.get("TableDescription", {})
            said.append((wrong, described.get("StreamSpecification"), "LatestStreamArn" in described))
        streams = send("ListStreams", {"TableName": name})[1]["Streams"]
        said.append([sorted(one) for one in streams])
        for one in streams:
            description = send("DescribeStream", {"StreamArn": one["StreamArn"]})[1]["StreamDescription"]
            said.append([sorted(shard["SequenceNumberRange"]) for shard in description["Shards"]])
            said.append({member: description[member] for member in ("StreamStatus", "StreamViewType", "TableName")})
            said.append(sorted(description))
    assert told[0] == told[1]
    reference("DeleteTable", {"TableName": name})


def test_time_to_live_is_switched_alike(ours: Send, reference: Send) -> None:
    name = f"Streams{uuid.uuid4().hex[:8]}"
    steps = [
        (False, "a"),
        (True, "a"),
        (True, "a"),
        (True, "b"),
        (False, "b"),
        (False, "a"),
        (False, "a"),
        (True, "pk"),
    ]
    told: list[list[Any]] = [[], []]
    for send, said in zip((ours, reference), told, strict=True):
        create(send, name, None)
        for enabled, attribute in steps:
            wanted = {"Enabled": enabled, "AttributeName": attribute}
            wrong, body = send("UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": wanted})
            # Where DynamoDB Local stops, the service goes on to name the attribute.
            said.append((wrong, body.get("Message", "").partition(":")[0], body.get("TimeToLiveSpecification")))
            said.append(send("DescribeTimeToLive", {"TableName": name}))
    assert told[0] == told[1]
    reference("DeleteTable", {"TableName": name})
