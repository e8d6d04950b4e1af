"""Requests of every operation with wrong members anywhere: refused in the service's words, or answered; and tables that
came of them can be told of and checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.engine import open_engine
from tablewright.engine.operations import OPERATIONS
from tablewright.errors import ServiceError
from tests.engine.conftest import definition
from tests.engine.test_wild_requests import GOOD, KEY, inside, places, replaced

ARN = "arn:aws:dynamodb:local:000000000000:table/App"
UNITS = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}


def policy() -> str:
    statement = {"Effect": "Allow", "Principal": "*", "Action": "dynamodb:GetItem", "Resource": ARN}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


class World:
    """A table with a stream, a backup and recovery, made anew whenever a request has changed something."""

    def __init__(self, buckets: Path) -> None:
        (buckets / "in").mkdir(parents=True, exist_ok=True)
        (buckets / "in" / "items.csv").write_text("pk,v\na,1\n")
        self.engine = open_engine("memory:", buckets=buckets)
        self.facts: dict[str, str] = {}

    def begin(self) -> None:
        """Forget all, and start with the same."""
        do = self.engine.execute
        self.engine.reset()
        stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
        do("CreateTable", {**definition("App"), "StreamSpecification": stream})
        on = {"PointInTimeRecoveryEnabled": True}
        do("UpdateContinuousBackups", {"TableName": "App", "PointInTimeRecoverySpecification": on})
        do("PutItem", {"TableName": "App", "Item": {**KEY, "g": {"S": "g"}, "h": {"N": "1"}, "r": {"S": "r"}}})
        backup = do("CreateBackup", {"TableName": "App", "BackupName": "one"})
        exported = do("ExportTableToPointInTime", {"TableArn": ARN, "S3Bucket": "out"})
        imported = do("ImportTable", importing("Imported"))
        do("DeleteTable", {"TableName": "Imported"})
        stream_arn = do("DescribeTable", {"TableName": "App"})["Table"]["LatestStreamArn"]
        shard = do("DescribeStream", {"StreamArn": stream_arn})["StreamDescription"]["Shards"][0]["ShardId"]
        place = {"StreamArn": stream_arn, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"}
        self.facts = {
            "backup": backup["BackupDetails"]["BackupArn"],
            "export": exported["ExportDescription"]["ExportArn"],
            "import": imported["ImportTableDescription"]["ImportArn"],
            "stream": stream_arn,
            "shard": shard,
            "iterator": do("GetShardIterator", place)["ShardIterator"],
        }

    def requests(self) -> dict[str, list[dict[str, Any]]]:
        """Good requests of every operation."""
        facts = self.facts
        named: dict[str, Any] = {"TableName": "App"}
        by_arn = {"ResourceArn": ARN}
        index = {
            "IndexName": "New",
            "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}, {"AttributeName": "r", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a"]},
            "OnDemandThroughput": {"MaxReadRequestUnits": 5, "MaxWriteRequestUnits": 5},
            "WarmThroughput": {"ReadUnitsPerSecond": 20_000, "WriteUnitsPerSecond": 20_000},
        }
        provisioned = definition("Made") | {
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": UNITS,
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
            "SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "key"},
            "TableClass": "STANDARD",
            "DeletionProtectionEnabled": False,
            "Tags": [{"Key": "a", "Value": "b"}],
            "ResourcePolicy": policy(),
        }
        for one in provisioned["GlobalSecondaryIndexes"]:
            one["ProvisionedThroughput"] = UNITS
        override = {
            "BillingModeOverride": "PROVISIONED",
            "ProvisionedThroughputOverride": UNITS,
            "GlobalSecondaryIndexOverride": [],
            "LocalSecondaryIndexOverride": definition("App")["LocalSecondaryIndexes"],
            "SSESpecificationOverride": {"Enabled": False},
        }
        statement = {"Statement": "SELECT * FROM App WHERE pk = ? AND sk = 1", "Parameters": [{"S": "a"}]}
        requests: dict[str, list[dict[str, Any]]] = {
            "BatchExecuteStatement": [{"Statements": [statement], "ReturnConsumedCapacity": "TOTAL"}],
            "CreateBackup": [{**named, "BackupName": "two"}],
            "CreateTable": [provisioned],
            "DeleteBackup": [{"BackupArn": facts["backup"]}],
            "DeleteResourcePolicy": [{**by_arn, "ExpectedRevisionId": "NO_POLICY"}],
            "DeleteTable": [named],
            "DescribeBackup": [{"BackupArn": facts["backup"]}],
            "DescribeContinuousBackups": [named],
            "DescribeContributorInsights": [{**named, "IndexName": "ByFour"}],
            "DescribeEndpoints": [{}],
            "DescribeExport": [{"ExportArn": facts["export"]}],
            "DescribeGlobalTable": [{"GlobalTableName": "App"}],
            "DescribeImport": [{"ImportArn": facts["import"]}],
            "DescribeKinesisStreamingDestination": [named],
            "DescribeLimits": [{}],
            "DescribeStream": [{"StreamArn": facts["stream"], "ExclusiveStartShardId": facts["shard"], "Limit": 5}],
            "DescribeTable": [named],
            "DescribeTableReplicaAutoScaling": [named],
            "DescribeTimeToLive": [named],
            "ExecuteStatement": [{**statement, "Limit": 1, "ConsistentRead": True, "NextToken": "x"}],
            "ExecuteTransaction": [{"TransactStatements": [statement], "ClientRequestToken": "abc"}],
            "ExportTableToPointInTime": [
                {"TableArn": ARN, "S3Bucket": "out", "S3Prefix": "p", "ExportTime": 1, "ExportFormat": "DYNAMODB_JSON"}
            ],
            "GetRecords": [{"ShardIterator": facts["iterator"], "Limit": 1}],
            "GetResourcePolicy": [by_arn],
            "GetShardIterator": [
                {
                    "StreamArn": facts["stream"],
                    "ShardId": facts["shard"],
                    "ShardIteratorType": "AT_SEQUENCE_NUMBER",
                    "SequenceNumber": "1" * 21,
                }
            ],
            "ImportTable": [importing("Made")],
            "ListBackups": [
                {**named, "Limit": 1, "TimeRangeLowerBound": 0, "ExclusiveStartBackupArn": facts["backup"]},
            ],
            "ListContributorInsights": [{**named, "MaxResults": 5}],
            "ListExports": [{"TableArn": ARN, "MaxResults": 1}],
            "ListGlobalTables": [{"Limit": 1, "RegionName": "eu-west-1"}],
            "ListImports": [{"TableArn": ARN, "PageSize": 1, "NextToken": "0" * 112}],
            "ListStreams": [{**named, "Limit": 1, "ExclusiveStartStreamArn": facts["stream"]}],
            "ListTables": [{"Limit": 1, "ExclusiveStartTableName": "Aaa"}],
            "ListTagsOfResource": [{**by_arn, "NextToken": "a"}],
            "PutResourcePolicy": [{**by_arn, "Policy": policy(), "ExpectedRevisionId": "NO_POLICY"}],
            "RestoreTableFromBackup": [{"TargetTableName": "Made", "BackupArn": facts["backup"], **override}],
            "RestoreTableToPointInTime": [
                {"SourceTableName": "App", "TargetTableName": "Made", "UseLatestRestorableTime": True, **override},
            ],
            "TagResource": [{**by_arn, "Tags": [{"Key": "a", "Value": "b"}]}],
            "UntagResource": [{**by_arn, "TagKeys": ["a"]}],
            "UpdateContinuousBackups": [
                {
                    **named,
                    "PointInTimeRecoverySpecification": {
                        "PointInTimeRecoveryEnabled": True,
                        "RecoveryPeriodInDays": 7,
                    },
                }
            ],
            "UpdateTable": [
                {
                    **named,
                    "AttributeDefinitions": [
                        {"AttributeName": "n", "AttributeType": "S"},
                        {"AttributeName": "r", "AttributeType": "S"},
                    ],
                    "GlobalSecondaryIndexUpdates": [{"Create": index}],
                },
                {**named, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ByFour"}}]},
                {**named, "BillingMode": "PAY_PER_REQUEST", "OnDemandThroughput": {"MaxReadRequestUnits": 5}},
                {**named, "StreamSpecification": {"StreamEnabled": False}, "TableClass": "STANDARD"},
            ],
            "UpdateTimeToLive": [
                {**named, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "until"}},
            ],
        }
        for operation, request in GOOD:
            requests.setdefault(operation, []).append(request)
        return requests

    def ask(self, operation: str, request: dict[str, Any]) -> None:
        """Send a request that may be wrong, and see whether all can still be told."""
        with suppress(ServiceError):
            answer = self.engine.execute(operation, request)
            json.dumps(answer)
            for name in self.engine.execute("ListTables", {})["TableNames"]:
                json.dumps(self.engine.execute("DescribeTable", {"TableName": name}))
                self.engine.execute("Scan", {"TableName": name})
            self.begin()


def importing(name: str) -> dict[str, Any]:
    return {
        "ClientToken": name,
        "S3BucketSource": {"S3Bucket": "in", "S3KeyPrefix": "items"},
        "InputFormat": "CSV",
        "InputFormatOptions": {"Csv": {"Delimiter": ",", "HeaderList": ["pk", "v"]}},
        "InputCompressionType": "NONE",
        "TableCreationParameters": {
            "TableName": name,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        },
    }


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


WRONG: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    10**18,
    10**30,
    10**400,
    1.5,
    "",
    "x",
    "x" * 3000,
    "\ud800",
    "\x00",
    "arn:aws:dynamodb:local:000000000000:table/App/index/ByFour",
    [],
    [None],
    [[]],
    ["x"],
    [{}],
    {},
    {"": None},
    {"S": "x"},
    {"Unknown": {"Unknown": 1}},
    deep(600),
]


def variants(part: Any) -> Iterator[Any]:
    """What else could stand in the place of a part."""
    yield from WRONG
    if isinstance(part, dict):
        yield {**part, "Unknown": 1}
        for name in part:
            yield {other: value for other, value in part.items() if other != name}
    if isinstance(part, list):
        yield part * 2
        yield part * 120


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    with made.engine:
        made.begin()
        yield made
        assert made.engine.verify() == []


def test_every_operation_is_tried(world: World) -> None:
    assert world.requests().keys() == set(OPERATIONS)


@pytest.mark.parametrize("operation", sorted(set(OPERATIONS) - {operation for operation, _ in GOOD}))
def test_one_wrong_member(world: World, operation: str) -> None:
    count = len(world.requests()[operation])
    for at in range(count):
        good = world.requests()[operation][at]
        for path in places(good):
            for wrong in variants(inside(good, path)):
                request = world.requests()[operation][at]
                world.ask(operation, replaced(request, path, wrong))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(data=st.data())
def test_several_wrong_members(world: World, data: st.DataObject) -> None:
    requests = world.requests()
    operation = data.draw(st.sampled_from(sorted(requests)))
    request: Any = data.draw(st.sampled_from(requests[operation]))
    for _ in range(data.draw(st.integers(2, 4))):
        if isinstance(request, dict):
            path = data.draw(st.sampled_from(list(places(request))))
            request = replaced(request, path, data.draw(st.sampled_from(list(variants(inside(request, path))))))
    world.ask(operation, request)
