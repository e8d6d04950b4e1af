"""Streams are switched on and off with tables, listed, described, and read for a day after that."""

from __future__ import annotations

from typing import Any

import pytest

HOUR = 3600.0
INVALID = "One or more parameter values were invalid: "


def enabled(view: str | None = None) -> dict[str, Any]:
    return {"StreamEnabled": True} if view is None else {"StreamEnabled": True, "StreamViewType": view}


def test_a_table_without_a_stream_has_nothing_to_tell(lab: Any) -> None:
    assert lab.create(None) == ""
    described = lab("DescribeTable", TableName="App")["Table"]
    assert not {"StreamSpecification", "LatestStreamArn", "LatestStreamLabel"} & described.keys()
    assert lab("ListStreams") == {"Streams": []}


def test_a_stream_can_be_made_with_the_table(lab: Any) -> None:
    arn = lab.create("KEYS_ONLY")
    described = lab("DescribeTable", TableName="App")["Table"]
    assert described["StreamSpecification"] == enabled("KEYS_ONLY")
    assert described["LatestStreamArn"] == arn
    assert arn == f"{described['TableArn']}/stream/{described['LatestStreamLabel']}"
    assert described["LatestStreamLabel"] == "2025-06-15T15:06:40.250"


def test_a_disabled_stream_at_creation_is_no_stream(lab: Any) -> None:
    keys = [{"AttributeName": "pk", "KeyType": "HASH"}]
    types = [{"AttributeName": "pk", "AttributeType": "S"}]
    table = {"BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": types, "KeySchema": keys}
    made = lab("CreateTable", TableName="App", **table, StreamSpecification={"StreamEnabled": False})
    assert "StreamSpecification" not in made["TableDescription"]
    view = {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}
    assert lab.refused("CreateTable", TableName="Other", **table, StreamSpecification=view) == (
        "ValidationException",
        f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be specified",
    )
    assert lab.refused("CreateTable", TableName="Other", **table, StreamSpecification=enabled()) == (
        "ValidationException",
        f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required",
    )


def test_a_stream_is_switched_on_and_off(lab: Any) -> None:
    lab.create(None)
    first = lab.switch("NEW_IMAGE")
    for view in ("NEW_IMAGE", "OLD_IMAGE"):
        assert lab.refused("UpdateTable", TableName="App", StreamSpecification=enabled(view)) == (
            "ValidationException",
            "Table already has an enabled stream: TableName: App",
        )
    assert lab.switch(None) == first
    described = lab("DescribeTable", TableName="App")["Table"]
    assert "StreamSpecification" not in described
    assert described["LatestStreamArn"] == first
    assert lab.refused("UpdateTable", TableName="App", StreamSpecification={"StreamEnabled": False}) == (
        "ValidationException",
        "Table has no stream to disable: TableName: App",
    )
    # The clock stands still, and yet the next stream has another name.
    second = lab.switch("OLD_IMAGE")
    assert second != first
    status = [lab("DescribeStream", StreamArn=arn)["StreamDescription"]["StreamStatus"] for arn in (first, second)]
    assert status == ["DISABLED", "ENABLED"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"StreamSpecification": enabled()}, "If stream is being enabled then UpdateViewType is required"),
        (
            {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "KEYS_ONLY"}},
            "If stream is being disabled, then UpdateViewType must not be specified",
        ),
        (
            {
                "StreamSpecification": enabled("KEYS_ONLY"),
                "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "Any"}}],
            },
            "You cannot create or delete index while changing stream status",
        ),
    ],
    ids=["no view", "view of nothing", "with an index"],
)
def test_changes_that_are_refused(lab: Any, more: dict[str, Any], message: str) -> None:
    lab.create(None)
    assert lab.refused("UpdateTable", TableName="App", **more) == ("ValidationException", INVALID + message)


def test_throughput_and_stream_change_one_at_a_time(lab: Any) -> None:
    types = [{"AttributeName": "pk", "AttributeType": "S"}]
    units = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}
    lab(
        "CreateTable",
        TableName="App",
        AttributeDefinitions=types,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        ProvisionedThroughput=units,
    )
    more = {"ProvisionedThroughput": {**units, "ReadCapacityUnits": 2}}
    assert lab.refused("UpdateTable", TableName="App", StreamSpecification=enabled("KEYS_ONLY"), **more) == (
        "ValidationException",
        f"{INVALID}You cannot modify stream status while updating table IOPS",
    )


def test_streams_are_listed_page_by_page(lab: Any) -> None:
    for name in ("Bbb", "Aaa", "Ccc"):
        lab.create(name=name)
        lab.clock.move(1)
    lab.switch(None, "Bbb")
    lab.switch("KEYS_ONLY", "Bbb")
    lab.clock.move(1)
    arns: list[str] = []
    request: dict[str, Any] = {"Limit": 1}
    while True:
        page = lab("ListStreams", **request)
        arns += [one["StreamArn"] for one in page["Streams"]]
        if "LastEvaluatedStreamArn" not in page:
            break
        request["ExclusiveStartStreamArn"] = page["LastEvaluatedStreamArn"]
    assert [arn.split("/")[1] for arn in arns] == ["Aaa", "Bbb", "Bbb", "Ccc"]
    assert arns == [one["StreamArn"] for one in lab("ListStreams")["Streams"]]
    only = lab("ListStreams", TableName="Bbb")["Streams"]
    assert [one["StreamArn"] for one in only] == arns[1:3]
    assert {one["TableName"] for one in only} == {"Bbb"}
    assert lab("ListStreams", TableName="Nowhere") == {"Streams": []}


def test_a_stream_is_described(lab: Any) -> None:
    arn = lab.create("OLD_IMAGE")
    described = lab("DescribeStream", StreamArn=arn)["StreamDescription"]
    (shard,) = described.pop("Shards")
    assert described == {
        "StreamArn": arn,
        "StreamLabel": "2025-06-15T15:06:40.250",
        "StreamStatus": "ENABLED",
        "StreamViewType": "OLD_IMAGE",
        "CreationRequestDateTime": lab.clock.now(),
        "TableName": "App",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    }
    assert shard.keys() == {"ShardId", "SequenceNumberRange"}
    assert shard["SequenceNumberRange"].keys() == {"StartingSequenceNumber"}
    elsewhere = lab.engine.execute("DescribeStream", {"StreamArn": arn}, region="us-east-1")
    assert ":us-east-1:" in elsewhere["StreamDescription"]["StreamArn"]


@pytest.mark.parametrize(
    ("operation", "request_", "refusal"),
    [
        ("ListStreams", {"Limit": 0}, "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: "
         "Member must have value greater than or equal to 1"),
        ("ListStreams", {"Limit": 101}, f"{INVALID}Limit cannot be greater than the maximum allowed size: 100"),
        ("ListStreams", {"ExclusiveStartStreamArn": "nonsense"}, "Invalid StreamArn"),
        ("DescribeStream", {"StreamArn": "nonsense"}, "Invalid StreamArn"),
        ("DescribeStream", {"StreamArn": "ARN", "Limit": 101},
         f"{INVALID}Limit cannot be greater than the maximum: 100"),
        ("DescribeStream", {"StreamArn": "ARN", "ExclusiveStartShardId": "x"},
         "1 validation error detected: Value 'x' at 'exclusiveStartShardId' failed to satisfy constraint: "
         "Member must have length greater than or equal to 28"),
        ("DescribeStream", {}, "1 validation error detected: Value null at 'streamArn' failed to satisfy constraint: "
         "Member must not be null"),
    ],
    ids=["no limit", "list limit", "start", "arn", "limit", "shard", "nothing"],
)  # fmt: skip
def test_requests_that_are_refused(lab: Any, operation: str, request_: dict[str, Any], refusal: str) -> None:
    arn = lab.create()
    request_ = {name: arn if value == "ARN" else value for name, value in request_.items()}
    assert lab.refused(operation, **request_) == ("ValidationException", refusal)


def test_streams_that_are_not_there(lab: Any) -> None:
    arn = lab.create()
    for wrong in (arn + "9", arn.replace("/App/", "/Other/")):
        assert lab.refused("DescribeStream", StreamArn=wrong) == (
            "ResourceNotFoundException",
            f"Requested resource not found: Stream: {wrong} not found",
        )


@pytest.mark.parametrize("delete", [False, True], ids=["off", "deleted"])
def test_a_closed_stream_is_read_for_another_day(lab: Any, delete: bool) -> None:
    arn = lab.create()
    lab.put("a")
    lab.clock.move(10 * HOUR)
    lab.put("b")
    if delete:
        lab("DeleteTable", TableName="App")
        lab.create(None)
    else:
        lab.switch(None)
    lab.put("c")
    described = lab("DescribeStream", StreamArn=arn)["StreamDescription"]
    assert described["StreamStatus"] == "DISABLED"
    assert all("EndingSequenceNumber" in shard["SequenceNumberRange"] for shard in described["Shards"])
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in lab.records(arn)] == ["a", "b"]
    lab.clock.move(20 * HOUR)
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in lab.records(arn)] == ["b"]
    assert [one["StreamArn"] for one in lab("ListStreams", TableName="App")["Streams"]] == [arn]
    lab.clock.move(4 * HOUR)
    assert lab("ListStreams") == {"Streams": []}
    assert lab.refused("DescribeStream", StreamArn=arn)[0] == "ResourceNotFoundException"


def test_what_nobody_can_read_is_dropped(lab: Any) -> None:
    arn = lab.create()
    lab.put("a")
    iterator = lab.iterator(arn)
    lab.switch(None)
    lab.clock.move(25 * HOUR)
    lab.engine.sweep()
    with lab.engine._database.reading() as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'stream%'")]
        assert names == ["streams"]
        assert connection.execute("SELECT count(*) FROM streams").fetchone() == (0,)
    assert lab.refused("GetRecords", ShardIterator=iterator)[0] == "ExpiredIteratorException"
