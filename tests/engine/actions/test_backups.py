"""CreateBackup, DescribeBackup, ListBackups, DeleteBackup and RestoreTableFromBackup."""

import threading
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine import Engine, open_engine

INDEXES = ("ByGroup", "ByFour", "ByLocal", "ByLocalKeys")


def fill(table: Any, numbers: range = range(30)) -> None:
    for number in numbers:
        more = {"g": {"S": f"g{number % 3}"}, "r": {"S": str(number)}, "h": {"N": "1"}, "l": {"S": "x"}}
        table.put(pk={"S": f"p{number % 4}"}, sk={"N": str(number)}, v={"B": "AAEC"}, **(more if number % 2 else {}))


def rows(call: Any, name: str, index: str | None = None) -> list[str]:
    found = call("Scan", TableName=name, **({} if index is None else {"IndexName": index}))
    return sorted(map(repr, found["Items"]))


def backup(call: Any, name: str = "First") -> str:
    arn: str = call("CreateBackup", TableName="App", BackupName=name)["BackupDetails"]["BackupArn"]
    return arn


def test_a_backup_is_described(table: Any, call: Any) -> None:
    fill(table)
    made = call("CreateBackup", TableName="App", BackupName="First")["BackupDetails"]
    assert (made["BackupStatus"], made["BackupType"], made["BackupName"]) == ("CREATING", "USER", "First")
    assert made["BackupArn"].startswith("arn:aws:dynamodb:local:000000000000:table/App/backup/")
    described = call("DescribeBackup", BackupArn=made["BackupArn"])["BackupDescription"]
    assert described["BackupDetails"] == {**made, "BackupStatus": "AVAILABLE"}
    source, table_now = described["SourceTableDetails"], call("DescribeTable", TableName="App")["Table"]
    assert source["ItemCount"] == 30
    assert source["TableSizeBytes"] == table_now["TableSizeBytes"] == made["BackupSizeBytes"]
    for same in ("TableId", "TableArn", "TableName", "KeySchema"):
        assert source[same] == table_now[same]
    features = described["SourceTableFeatureDetails"]
    assert [index["IndexName"] for index in features["GlobalSecondaryIndexes"]] == ["ByGroup", "ByFour"]
    assert "ProvisionedThroughput" not in features["LocalSecondaryIndexes"][0]


def test_a_restored_table_has_data_and_indexes(table: Any, call: Any) -> None:
    fill(table)
    before = {index: rows(call, "App", index) for index in (None, *INDEXES)}
    arn = backup(call)
    fill(table, range(20, 60))
    table("DeleteItem", Key={"pk": {"S": "p1"}, "sk": {"N": "1"}})
    answer = call("RestoreTableFromBackup", BackupArn=arn, TargetTableName="Copy")["TableDescription"]
    assert (answer["TableStatus"], answer["RestoreSummary"]["RestoreInProgress"]) == ("CREATING", True)
    assert {index: rows(call, "Copy", index) for index in (None, *INDEXES)} == before
    described = call("DescribeTable", TableName="Copy")["Table"]
    assert described["RestoreSummary"]["SourceBackupArn"] == arn
    assert described["RestoreSummary"]["RestoreInProgress"] is False
    call("PutItem", TableName="Copy", Item={"pk": {"S": "new"}, "sk": {"N": "1"}, "g": {"S": "g"}, "r": {"S": "r"}})
    assert len(rows(call, "Copy", "ByGroup")) == len(before["ByGroup"]) + 1


def test_a_backup_outlives_its_table_and_can_be_deleted(table: Any, call: Any) -> None:
    fill(table)
    arn = backup(call)
    call("DeleteTable", TableName="App")
    call("RestoreTableFromBackup", BackupArn=arn, TargetTableName="App")
    assert len(rows(call, "App")) == 30
    gone = call("DeleteBackup", BackupArn=arn)["BackupDescription"]
    assert gone["BackupDetails"]["BackupStatus"] == "DELETED"
    missing = ("BackupNotFoundException", f"Backup not found: {arn}")
    assert call.refused("DescribeBackup", BackupArn=arn) == missing
    assert call.refused("DeleteBackup", BackupArn=arn) == missing
    assert call.refused("RestoreTableFromBackup", BackupArn=arn, TargetTableName="Other") == missing
    assert call("ListBackups") == {"BackupSummaries": []}


def test_indexes_and_billing_can_be_overridden(table: Any, call: Any) -> None:
    fill(table)
    arn = backup(call)
    call(
        "RestoreTableFromBackup",
        BackupArn=arn,
        TargetTableName="Copy",
        BillingModeOverride="PROVISIONED",
        ProvisionedThroughputOverride={"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
        GlobalSecondaryIndexOverride=[],
        LocalSecondaryIndexOverride=[],
    )
    described = call("DescribeTable", TableName="Copy")["Table"]
    assert "GlobalSecondaryIndexes" not in described
    assert "LocalSecondaryIndexes" not in described
    assert {one["AttributeName"] for one in described["AttributeDefinitions"]} == {"pk", "sk"}
    assert described["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    assert "BillingModeSummary" not in described
    assert len(rows(call, "Copy")) == 30


def test_a_restored_table_has_no_history_of_capacity(call: Any) -> None:
    units = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}
    call(
        "CreateTable",
        TableName="App",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        ProvisionedThroughput=units,
    )
    call("UpdateTable", TableName="App", ProvisionedThroughput={**units, "ReadCapacityUnits": 3})
    call("RestoreTableFromBackup", BackupArn=backup(call), TargetTableName="Copy")
    described = call("DescribeTable", TableName="Copy")["Table"]["ProvisionedThroughput"]
    assert described == {"NumberOfDecreasesToday": 0, **units, "ReadCapacityUnits": 3}


def test_backups_are_listed_in_pages(table: Any, call: Any, table_definition: Any) -> None:
    call("CreateTable", **table_definition("Other"))
    call("CreateBackup", TableName="Other", BackupName="Apart")
    arns = [backup(call, f"Number{n}") for n in range(5)]
    assert len(call("ListBackups")["BackupSummaries"]) == 6
    first = call("ListBackups", TableName="App", Limit=3)
    assert [one["BackupArn"] for one in first["BackupSummaries"]] == arns[:3]
    rest = call("ListBackups", TableName="App", ExclusiveStartBackupArn=first["LastEvaluatedBackupArn"])
    assert [one["BackupArn"] for one in rest["BackupSummaries"]] == arns[3:]
    assert "LastEvaluatedBackupArn" not in rest
    assert call("ListBackups", BackupType="SYSTEM") == {"BackupSummaries": []}
    assert call("ListBackups", TimeRangeUpperBound=1.0) == {"BackupSummaries": []}
    assert len(call("ListBackups", TimeRangeLowerBound=1)["BackupSummaries"]) == 6


def test_what_is_refused(table: Any, call: Any) -> None:
    arn = backup(call)
    assert call.refused("CreateBackup", TableName="Nobody", BackupName="One") == (
        "TableNotFoundException",
        "Table not found: Nobody",
    )
    assert call.refused("CreateBackup", TableName="App", BackupName="a b")[0] == "ValidationException"
    assert call.refused("RestoreTableFromBackup", BackupArn=arn, TargetTableName="App") == (
        "TableAlreadyExistsException",
        "Table already exists: App",
    )
    assert call.refused("DescribeBackup", BackupArn="short")[0] == "ValidationException"
    assert call.refused("DescribeBackup", BackupArn="x" * 40) == (
        "ValidationException",
        f"Invalid backup ARN: {'x' * 40}",
    )


@pytest.mark.parametrize("where", ["memory:", "file"])
def test_a_backup_is_of_one_moment(where: str, tmp_path: Path, table_definition: Any) -> None:
    """Two items always change together; no backup may hold one change without the other."""
    target = where if where == "memory:" else str(tmp_path / "tables.db")
    with open_engine(target, synchronous="NORMAL") as engine:
        engine.execute("CreateTable", table_definition("App"))
        done = threading.Event()
        writer = threading.Thread(target=_write_pairs, args=(engine, done))
        writer.start()
        try:
            for number in range(5):
                made = engine.execute("CreateBackup", {"TableName": "App", "BackupName": f"Number{number}"})
                arn = made["BackupDetails"]["BackupArn"]
                engine.execute("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": f"Copy{number}"})
                items = engine.execute("Scan", {"TableName": f"Copy{number}"})["Items"]
                assert len({item["v"]["N"] for item in items}) <= 1
        finally:
            done.set()
            writer.join()
        assert engine.verify() == []


def _write_pairs(engine: Engine, done: threading.Event) -> None:
    value = 0
    while not done.is_set():
        value += 1
        items = [{"pk": {"S": "p"}, "sk": {"N": str(n)}, "v": {"N": str(value)}} for n in range(2)]
        puts = [{"Put": {"TableName": "App", "Item": item}} for item in items]
        engine.execute("TransactWriteItems", {"TransactItems": puts})


def test_damage_to_a_backup_is_noticed(tmp_path: Path, table_definition: Any) -> None:
    import sqlite3

    path = tmp_path / "tables.db"
    with open_engine(path, synchronous="NORMAL") as engine:
        engine.execute("CreateTable", table_definition("App"))
        engine.execute("PutItem", {"TableName": "App", "Item": {"pk": {"S": "a"}, "sk": {"N": "1"}}})
        engine.execute("CreateBackup", {"TableName": "App", "BackupName": "First"})
    connection = sqlite3.connect(path)
    connection.execute("UPDATE backup_1 SET item = x'7b7d'")
    connection.commit()
    connection.close()
    with open_engine(path, synchronous="NORMAL") as engine:
        (problem,) = engine.verify()
        assert "backup 1" in str(problem)
