"""What the answers about tables say, field by field, while capacity and settings come and go."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine
from tablewright.errors import ServiceError

INVALID = "One or more parameter values were invalid: "
DAY = 86_400.0


class Clock:
    """A clock that is set by hand."""

    moment = 20_000 * DAY + 60.1234

    def now(self) -> float:
        return self.moment


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with open_engine("memory:", clock=clock) as opened:
        yield opened


def units(read: int, write: int) -> dict[str, int]:
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def request(**more: Any) -> dict[str, Any]:
    return {
        "TableName": "Made",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "g", "AttributeType": "S"},
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "ByGroup",
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
                **({} if "BillingMode" in more else {"ProvisionedThroughput": units(1, 1)}),
            }
        ],
        **({} if "BillingMode" in more else {"ProvisionedThroughput": units(5, 5)}),
        **more,
    }


def created(engine: Engine, **more: Any) -> dict[str, Any]:
    description: dict[str, Any] = engine.execute("CreateTable", request(**more))["TableDescription"]
    return description


def described(engine: Engine) -> dict[str, Any]:
    description: dict[str, Any] = engine.execute("DescribeTable", {"TableName": "Made"})["Table"]
    return description


def updated(engine: Engine, **more: Any) -> dict[str, Any]:
    description: dict[str, Any] = engine.execute("UpdateTable", {"TableName": "Made", **more})["TableDescription"]
    return description


def refused(engine: Engine, operation: str, **more: Any) -> str:
    with pytest.raises(ServiceError) as caught:
        engine.execute(operation, more)
    assert caught.value.wire_name == "ValidationException"
    return caught.value.message


def test_a_provisioned_table(engine: Engine, clock: Clock) -> None:
    made = created(engine)
    assert (made["TableStatus"], made["GlobalSecondaryIndexes"][0]["IndexStatus"]) == ("CREATING", "CREATING")
    assert "WarmThroughput" not in made
    assert "BillingModeSummary" not in made
    now = described(engine)
    assert (now["TableStatus"], now["GlobalSecondaryIndexes"][0]["IndexStatus"]) == ("ACTIVE", "ACTIVE")
    assert now["CreationDateTime"] == round(clock.moment, 3)
    assert now["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(5, 5)}
    assert now["WarmThroughput"] == {"ReadUnitsPerSecond": 5, "WriteUnitsPerSecond": 5, "Status": "ACTIVE"}
    assert "BillingModeSummary" not in now
    assert now["DeletionProtectionEnabled"] is False
    assert now["TableId"] == made["TableId"]


def test_a_table_on_demand(engine: Engine) -> None:
    made = created(engine, BillingMode="PAY_PER_REQUEST")
    assert made["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST"}
    now = described(engine)
    summary = {"BillingMode": "PAY_PER_REQUEST", "LastUpdateToPayPerRequestDateTime": now["CreationDateTime"]}
    assert now["BillingModeSummary"] == summary
    assert now["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **units(0, 0)}
    warm = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000, "Status": "ACTIVE"}
    assert now["WarmThroughput"] == now["GlobalSecondaryIndexes"][0]["WarmThroughput"] == warm


def test_capacity_goes_up_and_down(engine: Engine, clock: Clock) -> None:
    created(engine)
    clock.moment += 10
    up = updated(engine, ProvisionedThroughput=units(9, 5))
    assert (up["TableStatus"], up["ProvisionedThroughput"]["ReadCapacityUnits"]) == ("UPDATING", 5)
    raised = round(clock.moment, 3)
    assert described(engine)["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        "LastIncreaseDateTime": raised,
        **units(9, 5),
    }
    clock.moment += 10
    updated(engine, ProvisionedThroughput=units(4, 5))
    now = described(engine)["ProvisionedThroughput"]
    assert now == {
        "NumberOfDecreasesToday": 1,
        "LastIncreaseDateTime": raised,
        "LastDecreaseDateTime": round(clock.moment, 3),
        **units(4, 5),
    }
    clock.moment += DAY
    assert described(engine)["ProvisionedThroughput"] == {**now, "NumberOfDecreasesToday": 0}


def test_capacity_of_an_index(engine: Engine) -> None:
    created(engine)
    change = {"Update": {"IndexName": "ByGroup", "ProvisionedThroughput": units(7, 1)}}
    (index,) = updated(engine, GlobalSecondaryIndexUpdates=[change])["GlobalSecondaryIndexes"]
    assert (index["IndexStatus"], index["ProvisionedThroughput"]["ReadCapacityUnits"]) == ("UPDATING", 1)
    (index,) = described(engine)["GlobalSecondaryIndexes"]
    assert (index["IndexStatus"], index["ProvisionedThroughput"]["ReadCapacityUnits"]) == ("ACTIVE", 7)
    same = refused(engine, "UpdateTable", TableName="Made", GlobalSecondaryIndexUpdates=[change])
    assert same.startswith("The provisioned throughput for the index ByGroup will not change.")


def test_billing_there_and_back(engine: Engine, clock: Clock) -> None:
    created(engine)
    clock.moment += 10
    updated(engine, BillingMode="PAY_PER_REQUEST")
    now = described(engine)
    assert now["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] == round(clock.moment, 3)
    assert now["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    back: dict[str, Any] = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(3, 3)}
    missing = refused(engine, "UpdateTable", TableName="Made", **back)
    assert missing == f"{INVALID}ProvisionedThroughput must be specified for index: ByGroup"
    change = {"Update": {"IndexName": "ByGroup", "ProvisionedThroughput": units(2, 2)}}
    updated(engine, **back, GlobalSecondaryIndexUpdates=[change])
    now = described(engine)
    assert now["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert now["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 2


def test_an_index_comes_and_goes(engine: Engine) -> None:
    created(engine)
    gone = updated(engine, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByGroup"}}])
    assert [i["IndexStatus"] for i in gone["GlobalSecondaryIndexes"]] == ["DELETING"]
    assert "GlobalSecondaryIndexes" not in described(engine)


def test_a_deleted_table_is_told_in_short(engine: Engine) -> None:
    created(engine, BillingMode="PAY_PER_REQUEST")
    engine.execute("PutItem", {"TableName": "Made", "Item": {"pk": {"S": "a"}}})
    gone = engine.execute("DeleteTable", {"TableName": "Made"})["TableDescription"]
    assert (gone["TableStatus"], gone["ItemCount"]) == ("DELETING", 1)
    assert gone.keys() == {
        "TableName",
        "TableStatus",
        "ProvisionedThroughput",
        "TableSizeBytes",
        "ItemCount",
        "TableArn",
        "TableId",
        "BillingModeSummary",
        "DeletionProtectionEnabled",
    }


def test_settings_are_kept_and_told(engine: Engine) -> None:
    made = created(
        engine,
        BillingMode="PAY_PER_REQUEST",
        TableClass="STANDARD_INFREQUENT_ACCESS",
        SSESpecification={"Enabled": True, "SSEType": "KMS"},
        OnDemandThroughput={"MaxReadRequestUnits": 10},
        WarmThroughput={"ReadUnitsPerSecond": 13_000, "WriteUnitsPerSecond": 5_000},
        DeletionProtectionEnabled=True,
    )
    assert made["WarmThroughput"]["Status"] == "UPDATING"
    now = described(engine)
    assert now["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert (now["SSEDescription"]["Status"], now["SSEDescription"]["SSEType"]) == ("ENABLED", "KMS")
    assert now["SSEDescription"]["KMSMasterKeyArn"].startswith("arn:aws:kms:local:000000000000:key/")
    assert now["OnDemandThroughput"] == {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": -1}
    assert now["WarmThroughput"] == {"ReadUnitsPerSecond": 13_000, "WriteUnitsPerSecond": 5_000, "Status": "ACTIVE"}
    assert now["DeletionProtectionEnabled"] is True
    # Each of these must be the only change in a request.
    updated(engine, OnDemandThroughput={"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 7})
    updated(engine, TableClass="STANDARD")
    updated(engine, SSESpecification={"Enabled": False})
    updated(engine, WarmThroughput={"ReadUnitsPerSecond": 14_000})
    now = described(engine)
    assert now["OnDemandThroughput"] == {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": 7}
    assert now["TableClassSummary"] == {"TableClass": "STANDARD"}
    assert "SSEDescription" not in now
    assert now["WarmThroughput"]["ReadUnitsPerSecond"] == 14_000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"ProvisionedThroughput": units(1_000_000_000_001, 1_000_000_000_001)},
            "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
        ),
        (
            {"KeySchema": [{"AttributeName": n, "KeyType": k} for n, k in (("pk", "HASH"), ("pk", "RANGE"))]},
            "Both the Hash Key and the Range Key element in the KeySchema have the same name",
        ),
        (
            {
                "KeySchema": [{"AttributeName": n, "KeyType": k} for n, k in (("pk", "HASH"), ("pk", "RANGE"))],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            },
            "Invalid KeySchema: Some index key attribute have no definition",
        ),
        (
            {"KeySchema": [{"AttributeName": n, "KeyType": "HASH"} for n in ("pk", "g", "x")]},
            "1 validation error detected: Value '[KeySchemaElement(attributeName=pk, keyType=HASH), "
            "KeySchemaElement(attributeName=g, keyType=HASH), KeySchemaElement(attributeName=x, keyType=HASH)]' at "
            "'keySchema' failed to satisfy constraint: Member must have length less than or equal to 2",
        ),
        (
            {"OnDemandThroughput": {"MaxReadRequestUnits": 1}},
            f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when table BillingMode is PROVISIONED.",
        ),
        ({"SSESpecification": {"Enabled": True, "SSEType": "AES256"}}, f"{INVALID}SSEType AES256 is not supported"),
        (
            {"TableName": None, "KeySchema": None},
            "The parameter 'TableName' is required but was not present in the request",
        ),
    ],
    ids=["bounds", "same-key", "no-definition", "three-keys", "on-demand", "encryption", "no-name"],
)
def test_tables_that_are_refused(engine: Engine, changes: dict[str, Any], message: str) -> None:
    assert refused(engine, "CreateTable", **request(**changes)) == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {},
            "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, "
            "SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, "
            "DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ByGroup"}}] * 2},
            f"{INVALID}Only one global secondary index update per index is allowed simultaneously. Index: ByGroup",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{}]},
            f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null",
        ),
        (
            {"BillingMode": "PROVISIONED"},
            f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
        ),
        (
            {"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": units(1, 1)},
            f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is "
            "PAY_PER_REQUEST",
        ),
        (
            {
                "AttributeDefinitions": [{"AttributeName": "g", "AttributeType": "S"}],
                "GlobalSecondaryIndexUpdates": [{"Create": request()["GlobalSecondaryIndexes"][0]}],
            },
            "Attempting to create an index which already exists",
        ),
        (
            {
                "GlobalSecondaryIndexUpdates": [
                    {"Create": {**request()["GlobalSecondaryIndexes"][0], "IndexName": "Two"}}
                ]
            },
            f"{INVALID}AttributeDefinitions is not specified for index: Two",
        ),
        (
            {
                "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "x", "AttributeType": "S"}],
                "GlobalSecondaryIndexUpdates": [
                    {
                        "Create": {
                            "IndexName": "Two",
                            "KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}],
                            "Projection": {"ProjectionType": "ALL"},
                            "ProvisionedThroughput": units(1, 1),
                        }
                    }
                ],
            },
            f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: Two when BillingMode "
            "is PAY_PER_REQUEST",
        ),
        (
            {
                "OnDemandThroughput": {"MaxReadRequestUnits": 5},
                "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
            },
            f"{INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "Nobody", "WarmThroughput": {}}}]},
            f"{INVALID}WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for "
            "index: Nobody",
        ),
        ({"ReplicaUpdates": [{}]}, "ReplicaUpdates is not supported: the engine has no global tables."),
    ],
    ids=[
        "nothing",
        "twice",
        "empty",
        "no-units",
        "units-on-demand",
        "exists",
        "undefined",
        "index-units",
        "limits-beside",
        "cold-index",
        "replicas",
    ],
)
def test_changes_that_are_refused(engine: Engine, changes: dict[str, Any], message: str) -> None:
    created(engine)
    before = described(engine)
    assert refused(engine, "UpdateTable", TableName="Made", **changes) == message
    assert described(engine) == before


@pytest.mark.parametrize("rows", [3, 100])
def test_a_large_table_is_counted_in_parts_every_six_hours(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr("tablewright.engine.context._EXACT_ROWS", 9)
    monkeypatch.setattr("tablewright.engine.context._PART_ROWS", rows)
    monkeypatch.setattr("tablewright.engine.storage.table_store._MEASURED", 5)
    created(engine)
    for number in range(20):
        item = {"pk": {"S": f"{number:02}"}, **({"g": {"S": "x"}} if number % 2 else {}), "v": {"S": "y" * 10}}
        engine.execute("PutItem", {"TableName": "Made", "Item": item})
    told = described(engine)
    assert (told["ItemCount"], told["TableSizeBytes"]) == (20, 20 * (2 + 2 + 1 + 10) + 10 * 2)
    (index,) = told["GlobalSecondaryIndexes"]
    # The size is that of a part of the entries, which are all alike.
    assert (index["ItemCount"], index["IndexSizeBytes"] % 10) == (10, 0)
    assert index["IndexSizeBytes"] > 0
    engine.execute("DeleteItem", {"TableName": "Made", "Key": {"pk": {"S": "00"}}})
    assert described(engine)["ItemCount"] == 20
