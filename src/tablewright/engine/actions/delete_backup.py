"""DeleteBackup: forget a backup and its items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.backups import describe_backup, require_backup
from tablewright.engine.context import Context
from tablewright.engine.recovery.restored import refuse_source
from tablewright.engine.storage import Transaction, backups


def delete_backup(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DeleteBackup request."""

    def work(transaction: Transaction) -> backups.Backup:
        backup = require_backup(transaction.connection, request["BackupArn"])
        refuse_source(transaction.catalogue, "Backup", backup.number)
        transaction.begin_writing()
        backups.remove_backup(transaction.connection, backup)
        return backup

    return {"BackupDescription": describe_backup(context, context.database.alter(work), "DELETED")}
