"""The child of the crash test of copies: backs a table up, restores it, exports and imports it, over and over."""

from __future__ import annotations

import sys
from typing import Any

from tablewright.engine import Engine, open_engine

TABLE = "App"
ITEMS = 300


def prepare(engine: Engine) -> None:
    """Create the table with an index, and fill it."""
    if engine.execute("ListTables", {})["TableNames"]:
        return
    definition: dict[str, Any] = {
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "ByGroup",
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        ],
    }
    engine.execute("CreateTable", definition)
    for number in range(ITEMS):
        item = {"pk": {"S": str(number)}, "g": {"S": f"g{number % 7}"}, "v": {"S": "x" * 500}}
        engine.execute("PutItem", {"TableName": TABLE, "Item": item})


def main(path: str, folder: str, run: str) -> None:
    """Copy until killed; a line on stdout names each copy that was acknowledged."""
    engine = open_engine(path)
    number = 0
    while True:
        number += 1
        made = engine.execute("CreateBackup", {"TableName": TABLE, "BackupName": f"run{run}.{number}"})
        arn = made["BackupDetails"]["BackupArn"]
        print(arn, flush=True)
        engine.execute("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": f"Restored.{run}.{number}"})
        print(f"Restored.{run}.{number}", flush=True)
        exported = engine.export_table(TABLE, f"{folder}/{run}.{number}")
        engine.import_table(exported.folder, f"Imported.{run}.{number}")
        print(f"Imported.{run}.{number}", flush=True)
        if number > 3:
            engine.execute("DeleteTable", {"TableName": f"Restored.{run}.{number}"})
            print(f"-Restored.{run}.{number}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:4])
