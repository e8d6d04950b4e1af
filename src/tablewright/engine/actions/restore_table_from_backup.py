"""RestoreTableFromBackup: a new table with the items and indexes of a backup."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import backup_arn, table_arn
from tablewright.engine.backups import require_backup
from tablewright.engine.context import Context
from tablewright.engine.description import describe_new
from tablewright.engine.recovery.restored import restored_definition
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage import Transaction
from tablewright.engine.storage.restoring import begin_from_backup
from tablewright.errors import ResourceInUse


def restore_table_from_backup(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a RestoreTableFromBackup request; a small table is whole at once, though told to be in the making."""
    target: str = request["TargetTableName"]

    def work(transaction: Transaction) -> TableSchema:
        backup = require_backup(transaction.connection, request["BackupArn"])
        if target in transaction.catalogue.tables:
            raise ResourceInUse(f"Table already exists: {target}", wire_name="TableAlreadyExistsException")
        now = transaction.now()
        definition = restored_definition(backup.definition, request, now)
        definition["RestoreSummary"] = {
            "SourceBackupArn": backup_arn(context.region, backup.table, backup.stamp),
            "SourceTableArn": table_arn(context.region, backup.table),
            "RestoreDateTime": round(backup.created, 3),
            "RestoreInProgress": False,
        }
        return transaction.restore_table(
            target,
            definition,
            context.restored_portion,
            lambda table: begin_from_backup(transaction.connection, table, backup.number),
        )

    schema = context.database.alter(work)
    if schema.definition.get("Restoring"):
        context.go_on_filling()
    description = describe_new(context, schema)
    description["RestoreSummary"]["RestoreInProgress"] = True
    return {"TableDescription": description}
