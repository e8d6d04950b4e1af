"""Members that the service does not know, and nulls, are passed over in silence: nothing of them is kept or told."""

from __future__ import annotations

from typing import Any

import pytest

from tablewright.engine import Engine, open_engine

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
PAIR = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]


def keys(name: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": "HASH"}]


def definitions(*names: str) -> list[dict[str, str]]:
    return [{"AttributeName": name, "AttributeType": "S"} for name in names]


BY_GROUP = {"IndexName": "ByGroup", "KeySchema": keys("g"), "Projection": {"ProjectionType": "ALL"}}
PROVISIONED: dict[str, Any] = {
    "TableName": "Made",
    "AttributeDefinitions": definitions("pk", "sk", "g", "l"),
    "KeySchema": PAIR,
    "ProvisionedThroughput": UNITS,
    "WarmThroughput": {"ReadUnitsPerSecond": 20_000, "WriteUnitsPerSecond": 8000},
    "LocalSecondaryIndexes": [
        {
            "IndexName": "ByLocal",
            "KeySchema": [PAIR[0], {"AttributeName": "l", "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x"]},
        }
    ],
    "GlobalSecondaryIndexes": [{**BY_GROUP, "ProvisionedThroughput": UNITS}],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    "SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "mine"},
    "Tags": [{"Key": "team", "Value": "blue"}],
}
ON_DEMAND = {
    "TableName": "Made",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": definitions("pk", "g"),
    "KeySchema": keys("pk"),
    "OnDemandThroughput": {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 10},
    "GlobalSecondaryIndexes": [{**BY_GROUP, "OnDemandThroughput": {"MaxReadRequestUnits": 10}}],
}
CHANGES: list[dict[str, Any]] = [
    {"TableName": "Made", "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}},
    {"TableName": "Made", "SSESpecification": {"Enabled": True}},
    {"TableName": "Made", "OnDemandThroughput": {"MaxReadRequestUnits": 20}},
    {
        "TableName": "Made",
        "GlobalSecondaryIndexUpdates": [
            {"Update": {"IndexName": "ByGroup", "OnDemandThroughput": {"MaxReadRequestUnits": 30}}}
        ],
    },
    {
        "TableName": "Made",
        "AttributeDefinitions": definitions("n"),
        "GlobalSecondaryIndexUpdates": [{"Create": {**BY_GROUP, "IndexName": "ByN", "KeySchema": keys("n")}}],
    },
]


class Still:
    def now(self) -> float:
        return 1_700_000_000.0


def noisy(value: Any) -> Any:
    """The value with members in each of its structures that nobody knows."""
    if isinstance(value, dict):
        return {"Unheard": {"Of": [1]}, **{name: noisy(one) for name, one in value.items()}, "Nothing": None}
    return [noisy(one) for one in value] if isinstance(value, list) else value


def described(engine: Engine) -> dict[str, Any]:
    table: dict[str, Any] = engine.execute("DescribeTable", {"TableName": "Made"})["Table"]
    tags = engine.execute("ListTagsOfResource", {"ResourceArn": table["TableArn"]})
    return {**table, **tags}


def steps(first: dict[str, Any], *later: dict[str, Any], add: Any) -> list[dict[str, Any]]:
    """What the engine tells after each step."""
    with open_engine("memory:", clock=Still()) as engine:
        told = [engine.execute("CreateTable", add(first)), described(engine)]
        for change in later:
            told += [engine.execute("UpdateTable", add(change)), described(engine)]
        return told


@pytest.mark.parametrize(
    ("first", "later"),
    [pytest.param(PROVISIONED, [], id="provisioned"), pytest.param(ON_DEMAND, CHANGES, id="on demand")],
)
def test_unknown_members_are_not_told_again(first: dict[str, Any], later: list[dict[str, Any]]) -> None:
    assert steps(first, *later, add=noisy) == steps(first, *later, add=lambda request: request)


def test_a_null_stands_for_nothing() -> None:
    projection = {"ProjectionType": "KEYS_ONLY", "NonKeyAttributes": None}
    index = {**BY_GROUP, "Projection": projection, "OnDemandThroughput": None, "WarmThroughput": None}
    with_nulls = {**ON_DEMAND, "GlobalSecondaryIndexes": [index], "SSESpecification": {"Enabled": None}, "Tags": None}
    plain = {
        **ON_DEMAND,
        "GlobalSecondaryIndexes": [{**BY_GROUP, "Projection": {"ProjectionType": "KEYS_ONLY"}}],
        "SSESpecification": {},
    }
    assert steps(with_nulls, add=lambda request: request) == steps(plain, add=lambda request: request)


def test_a_restored_table_has_no_unknown_members() -> None:
    with open_engine("memory:", clock=Still()) as engine:
        engine.execute("CreateTable", ON_DEMAND)
        backup = engine.execute("CreateBackup", {"TableName": "Made", "BackupName": "one"})["BackupDetails"][
            "BackupArn"
        ]
        wanted = {
            "TargetTableName": "Copy",
            "BackupArn": backup,
            "GlobalSecondaryIndexOverride": [BY_GROUP],
            "SSESpecificationOverride": {"Enabled": True},
            "OnDemandThroughputOverride": {"MaxReadRequestUnits": 5},
        }
        told = []
        for make in (noisy, lambda request: request):
            engine.execute("RestoreTableFromBackup", make(wanted))
            told.append(engine.execute("DescribeTable", {"TableName": "Copy"})["Table"])
            engine.execute("DeleteTable", {"TableName": "Copy"})
        del told[0]["TableId"], told[1]["TableId"]
        assert told[0] == told[1]
