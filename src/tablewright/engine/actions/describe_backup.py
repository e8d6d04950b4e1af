"""DescribeBackup: a backup, and what its table was like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine import backups
from tablewright.engine.context import Context


def describe_backup(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeBackup request."""
    with context.database.reading() as connection:
        backup = backups.require_backup(connection, request["BackupArn"])
    return {"BackupDescription": backups.describe_backup(context, backup)}
