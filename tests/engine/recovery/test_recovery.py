"""Point-in-time recovery: how it is switched, how far back it goes, and what a restored table holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

DAY = 24 * 3600.0


def keep(lab: Any, enabled: bool = True, days: int | None = None, name: str = "App") -> dict[str, Any]:
    wanted: dict[str, Any] = {"PointInTimeRecoveryEnabled": enabled}
    if days is not None:
        wanted["RecoveryPeriodInDays"] = days
    told: dict[str, Any] = lab("UpdateContinuousBackups", TableName=name, PointInTimeRecoverySpecification=wanted)[
        "ContinuousBackupsDescription"
    ]
    assert lab("DescribeContinuousBackups", TableName=name)["ContinuousBackupsDescription"] == told
    return told


def restore(lab: Any, moment: float | None, target: str = "Restored", **more: Any) -> dict[str, Any]:
    when: dict[str, Any] = {"UseLatestRestorableTime": True} if moment is None else {"RestoreDateTime": moment}
    description: dict[str, Any] = lab(
        "RestoreTableToPointInTime", SourceTableName="App", TargetTableName=target, **when, **more
    )["TableDescription"]
    return description


def held(lab: Any, name: str) -> dict[tuple[str, str], Any]:
    items: dict[tuple[str, str], Any] = {}
    request: dict[str, Any] = {"TableName": name}
    while True:
        page = lab("Scan", **request)
        items |= {(item["pk"]["S"], item["sk"]["N"]): item for item in page["Items"]}
        if "LastEvaluatedKey" not in page:
            return items
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


# ------------------------------------------------------------------------------------------------------ switching


def test_it_is_switched_on_and_off(lab: Any) -> None:
    lab.create(None)
    off = {
        "ContinuousBackupsStatus": "ENABLED",
        "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
    }
    assert lab("DescribeContinuousBackups", TableName="App")["ContinuousBackupsDescription"] == off
    began = int(lab.clock.now())
    on = keep(lab)["PointInTimeRecoveryDescription"]
    assert on == {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 35,
        "EarliestRestorableDateTime": began,
        "LatestRestorableDateTime": began,
    }
    lab.clock.move(3 * DAY)
    assert keep(lab, days=2)["PointInTimeRecoveryDescription"] == {
        "PointInTimeRecoveryStatus": "ENABLED",
        "RecoveryPeriodInDays": 2,
        "EarliestRestorableDateTime": began + DAY,
        "LatestRestorableDateTime": began + 3 * DAY,
    }
    # What the shorter period let go does not come back with a longer one.
    again = keep(lab, days=35)["PointInTimeRecoveryDescription"]
    assert again["EarliestRestorableDateTime"] == began + DAY
    assert keep(lab, False) == off
    assert keep(lab, False) == off
    assert keep(lab)["PointInTimeRecoveryDescription"]["RecoveryPeriodInDays"] == 35


def test_settings_that_are_refused(lab: Any) -> None:
    lab.create(None)

    def refused(**wanted: Any) -> tuple[str, str]:
        refusal: tuple[str, str] = lab.refused(
            "UpdateContinuousBackups", TableName="App", PointInTimeRecoverySpecification=wanted
        )
        return refusal

    assert refused(PointInTimeRecoveryEnabled=False, RecoveryPeriodInDays=7) == (
        "ValidationException",
        "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.",
    )
    for days, bound in ((0, "greater than or equal to 1"), (36, "less than or equal to 35")):
        assert refused(PointInTimeRecoveryEnabled=True, RecoveryPeriodInDays=days) == (
            "ValidationException",
            f"1 validation error detected: Value '{days}' at 'pointInTimeRecoverySpecification.recoveryPeriodInDays' "
            f"failed to satisfy constraint: Member must have value {bound}",
        )
    assert "pointInTimeRecoveryEnabled" in refused()[1]
    missing = ("TableNotFoundException", "Table not found: Nowhere")
    assert lab.refused("DescribeContinuousBackups", TableName="Nowhere") == missing
    wanted = {"PointInTimeRecoveryEnabled": True}
    assert (
        lab.refused("UpdateContinuousBackups", TableName="Nowhere", PointInTimeRecoverySpecification=wanted) == missing
    )


# ------------------------------------------------------------------------------------------------------ restoring


def test_a_table_comes_back_as_it_was(lab: Any) -> None:
    lab.create(None)
    lab.put("before", v={"N": "1"})
    keep(lab)
    began = lab.clock.now()
    lab.clock.move(10)
    lab.put("before", v={"N": "2"})
    lab.put("later")
    then = held(lab, "App")
    lab.clock.move(10)
    lab.delete("before")
    lab.put("later", v={"S": "changed"})
    lab.put("latest")
    restore(lab, began + 15, "Then")
    assert held(lab, "Then") == then
    restore(lab, began, "AtFirst")
    assert held(lab, "AtFirst") == {("before", "0"): {"pk": {"S": "before"}, "sk": {"N": "0"}, "v": {"N": "1"}}}
    restore(lab, None, "Now")
    assert held(lab, "Now") == held(lab, "App")
    # A moment in whole seconds, before the fraction at which it began.
    restore(lab, int(began), "Rounded")
    assert held(lab, "Rounded") == held(lab, "AtFirst")


def test_the_answer(lab: Any) -> None:
    arn = lab.create()
    keep(lab)
    lab("UpdateTimeToLive", TableName="App", TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})
    lab("UpdateTable", TableName="App", DeletionProtectionEnabled=True)
    source = lab("DescribeTable", TableName="App")["Table"]
    told = restore(lab, None)
    assert told["RestoreSummary"] == {
        "SourceTableArn": source["TableArn"],
        "RestoreDateTime": int(lab.clock.now()),
        "RestoreInProgress": True,
    }
    made = lab("DescribeTable", TableName="Restored")["Table"]
    assert made["TableStatus"] == "ACTIVE"
    assert "RestoreSummary" not in made
    assert made["TableArn"] != source["TableArn"]
    for member in ("KeySchema", "AttributeDefinitions"):
        assert made[member] == source[member]
    assert made["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    # What is switched on later stays behind.
    assert "LatestStreamArn" not in made
    assert not made["DeletionProtectionEnabled"]
    assert lab("DescribeTimeToLive", TableName="Restored")["TimeToLiveDescription"] == {"TimeToLiveStatus": "DISABLED"}
    status = lab("DescribeContinuousBackups", TableName="Restored")["ContinuousBackupsDescription"]
    assert status["PointInTimeRecoveryDescription"] == {"PointInTimeRecoveryStatus": "DISABLED"}
    assert [one["StreamArn"] for one in lab("ListStreams")["Streams"]] == [arn]
    lab.put("a", name="Restored")


def test_requests_that_are_refused(lab: Any) -> None:
    lab.create(None)

    def refused(**request: Any) -> tuple[str, str]:
        refusal: tuple[str, str] = lab.refused(
            "RestoreTableToPointInTime", **{"SourceTableName": "App", "TargetTableName": "Other", **request}
        )
        return refusal

    both = (
        "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore "
        "request. Please specify either RestoreDateTime time or UseLatestRestorableTime"
    )
    neither = (
        "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both"
    )
    assert refused(UseLatestRestorableTime=True, RestoreDateTime=1) == ("ValidationException", both)
    assert refused() == ("ValidationException", neither)
    assert refused(UseLatestRestorableTime=False) == ("ValidationException", neither)
    latest = {"UseLatestRestorableTime": True}
    assert refused(**latest, TargetTableName="App") == (
        "PointInTimeRecoveryUnavailableException",
        "Point in time recovery is not enabled for table 'App'",
    )
    assert refused(**latest, SourceTableName="Nowhere") == ("TableNotFoundException", "Table not found: Nowhere")
    keep(lab)
    began = lab.clock.now()
    lab.clock.move(100)
    assert refused(**latest, TargetTableName="App") == ("TableAlreadyExistsException", "Table already exists: App")
    for moment, told in ((began - 50, "2025-06-15T15:05:50Z"), (began + 150, "2025-06-15T15:09:10Z")):
        assert refused(RestoreDateTime=moment, TargetTableName="App") == (
            "InvalidRestoreTimeException",
            f"RestoreDateTime '{told}' must be within EarliestRestorableDateTime '2025-06-15T15:06:40Z' and "
            "LatestRestorableDateTime '2025-06-15T15:08:20Z'",
        )
    assert refused(RestoreDateTime=1e300)[0] == "InvalidRestoreTimeException"
    assert refused(RestoreDateTime="yesterday")[0] == "SerializationException"
    assert refused(**latest, SourceTableArn="x") == (
        "ValidationException",
        "Must provide exactly one of: sourceTableArn, sourceTableName",
    )
    assert refused(**latest, SourceTableName=None, SourceTableArn="x") == (
        "ValidationException",
        "sourceTableArn is not a valid ARN",
    )
    assert "TableName" in refused(**latest, SourceTableName=None)[1]
    assert "targetTableName" in refused(**latest, TargetTableName="bad name!")[1]
    assert lab("ListTables")["TableNames"] == ["App"]
    arn = lab("DescribeTable", TableName="App")["Table"]["TableArn"]
    lab("RestoreTableToPointInTime", SourceTableArn=arn, TargetTableName="Other", **latest)


def test_indexes_and_billing_can_be_others(lab: Any, table_definition: Callable[[str], dict[str, Any]]) -> None:
    wanted = table_definition("App")
    lab("CreateTable", **wanted)
    keep(lab)
    for number in range(9):
        item = {"pk": {"S": "p"}, "sk": {"N": str(number)}, "g": {"S": "g"}, "r": {"S": str(number % 3)}}
        lab("PutItem", TableName="App", Item=item)

    def grouped(name: str) -> list[str]:
        values = {":g": {"S": "g"}}
        more = {"IndexName": "ByGroup", "KeyConditionExpression": "g = :g", "ExpressionAttributeValues": values}
        return [item["sk"]["N"] for item in lab("Query", TableName=name, **more)["Items"]]

    same = restore(lab, None, "Same")
    assert [i["IndexName"] for i in same["GlobalSecondaryIndexes"]] == ["ByGroup", "ByFour"]
    assert grouped("Same") == grouped("App")
    bare = restore(lab, None, "Bare", GlobalSecondaryIndexOverride=[], LocalSecondaryIndexOverride=[])
    assert not {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} & bare.keys()
    assert [one["AttributeName"] for one in bare["AttributeDefinitions"]] == ["pk", "sk"]
    by_group = wanted["GlobalSecondaryIndexes"][0]
    units = {"ReadCapacityUnits": 2, "WriteCapacityUnits": 3}
    one = restore(
        lab,
        None,
        "One",
        GlobalSecondaryIndexOverride=[{**by_group, "ProvisionedThroughput": units}],
        LocalSecondaryIndexOverride=[],
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride=units,
    )
    assert one["ProvisionedThroughput"]["WriteCapacityUnits"] == 3
    assert [i["ProvisionedThroughput"]["ReadCapacityUnits"] for i in one["GlobalSecondaryIndexes"]] == [2]
    assert grouped("One") == grouped("App")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"ProvisionedThroughputOverride": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
            "Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED",
        ),
        (
            {"BillingModeOverride": "PROVISIONED"},
            "Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED",
        ),
        (
            {
                "BillingModeOverride": "PAY_PER_REQUEST",
                "ProvisionedThroughputOverride": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
            },
            "Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST",
        ),
        (
            {
                "BillingModeOverride": "PROVISIONED",
                "ProvisionedThroughputOverride": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
            },
            "Must specify provisioned throughput for index ByGroup",
        ),
        (
            {
                "GlobalSecondaryIndexOverride": [
                    {
                        "IndexName": "Brand",
                        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ]
            },
            "Index Brand does not match a secondary index that existed in the source table and cannot be created "
            "during the restore operation",
        ),
    ],
    ids=["throughput", "no throughput", "contradiction", "no index throughput", "new index"],
)
def test_overrides_that_are_refused(
    lab: Any, table_definition: Callable[[str], dict[str, Any]], overrides: dict[str, Any], message: str
) -> None:
    lab("CreateTable", **table_definition("App"))
    keep(lab)
    assert lab.refused(
        "RestoreTableToPointInTime",
        SourceTableName="App",
        TargetTableName="Other",
        UseLatestRestorableTime=True,
        **overrides,
    ) == ("ValidationException", f"Invalid Request: {message}")
    assert lab("ListTables")["TableNames"] == ["App"]


def test_the_past_is_let_go_after_the_period(lab: Any) -> None:
    lab.create(None)
    keep(lab, days=1)
    for number in range(400):
        lab.put("a", number % 5, v={"N": str(number)})
        lab.clock.move(3600)
    undo = lab.engine._database.catalogue.tables["App"].capture.undo
    with lab.engine._database.reading() as connection:
        (kept,) = connection.execute(f"SELECT count(*) FROM {undo.name}").fetchone()
    assert kept <= 24 + 64
    restore(lab, lab.clock.now() - DAY + 1)
    assert {item["v"]["N"] for item in held(lab, "Restored").values()} == {str(n) for n in range(372, 377)}
    keep(lab, False)
    with lab.engine._database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'undo%'").fetchone() == (0,)


def test_a_clock_that_is_set_back(lab: Any) -> None:
    lab.create(None)
    keep(lab)
    lab.clock.move(100)
    lab.put("a", v={"N": "1"})
    middle = lab.clock.now()
    lab.clock.move(-50)
    lab.put("a", v={"N": "2"})
    restore(lab, None, "Latest")
    assert held(lab, "Latest") == held(lab, "App")
    lab.clock.move(100)
    restore(lab, middle - 10, "Before")
    assert held(lab, "Before") == {}


def test_a_deleted_table_takes_its_past_along(lab: Any) -> None:
    lab.create(None)
    keep(lab)
    lab.put("a")
    lab("DeleteTable", TableName="App")
    latest = {"UseLatestRestorableTime": True}
    assert lab.refused("RestoreTableToPointInTime", SourceTableName="App", TargetTableName="Other", **latest) == (
        "TableNotFoundException",
        "Table not found: App",
    )
    with lab.engine._database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name LIKE 'undo%'").fetchone() == (0,)


keys = st.tuples(st.sampled_from("ab"), st.integers(0, 2))
writes = st.tuples(st.sampled_from(["put", "put", "delete"]), keys, st.integers(0, 3))
steps = st.lists(
    st.one_of(st.lists(writes, min_size=1, max_size=4, unique_by=lambda write: write[1]), st.integers(0, 9)),
    min_size=1,
    max_size=15,
)


@given(todo=steps, choose=st.integers(0, 10**6), kept=st.booleans())
def test_any_moment_comes_back(make_lab: Callable[[], Any], todo: list[Any], choose: int, kept: bool) -> None:
    lab = make_lab()
    lab.create("KEYS_ONLY" if kept else None)
    lab.put("a", 1, v={"N": "99"})
    keep(lab)
    remembered = [(lab.clock.now(), held(lab, "App"))]
    for step in todo:
        if isinstance(step, int):
            lab.clock.move(step)
        else:
            actions: list[dict[str, Any]] = []
            for kind, (pk, sk), value in step:
                key = {"pk": {"S": pk}, "sk": {"N": str(sk)}}
                if kind == "put":
                    actions.append({"Put": {"TableName": "App", "Item": {**key, "v": {"N": str(value)}}}})
                else:
                    actions.append({"Delete": {"TableName": "App", "Key": key}})
            lab("TransactWriteItems", TransactItems=actions)
        remembered.append((lab.clock.now(), held(lab, "App")))
    moment, _ = remembered[choose % len(remembered)]
    # Of several states at one moment the last one stands.
    state = next(state for then, state in reversed(remembered) if then == moment)
    restore(lab, moment)
    assert held(lab, "Restored") == state
    assert lab.engine.verify() == []
