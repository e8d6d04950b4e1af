"""CreateBackup: a copy of a table as it is, kept in the same file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import table_of
from tablewright.engine.backups import describe_details
from tablewright.engine.context import Context
from tablewright.engine.description import table_id
from tablewright.engine.storage import Transaction, backups
from tablewright.engine.validation.names import required_name
from tablewright.errors import ResourceInUse, ResourceNotFound


def create_backup(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a CreateBackup request; the backup is whole at once, though told to be in the making."""
    name = table_of(required_name(request))

    def work(transaction: Transaction) -> backups.Backup:
        table = transaction.catalogue.tables.get(name)
        if table is None:
            raise ResourceNotFound(f"Table not found: {name}", wire_name="TableNotFoundException")
        if table.restoring:
            raise ResourceInUse(f"Table is being restored: {name}", wire_name="TableInUseException")
        transaction.begin_writing()
        return backups.add_backup(
            transaction.connection, table, request["BackupName"], table_id(table.schema), transaction.now()
        )

    return {"BackupDetails": describe_details(context, context.database.alter(work), "CREATING")}
