"""ListBackups: the backups of one table or all, in the order in which they were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import table_of
from tablewright.engine.backups import describe_summary, parse_backup
from tablewright.engine.context import Context
from tablewright.engine.storage import backups
from tablewright.errors import RequestRefused

_PAGE = 100
_FAR = 1e300


def list_backups(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a ListBackups request. All backups here are made by users."""
    if request.get("BackupType") not in (None, "USER", "ALL"):
        return {"BackupSummaries": []}
    name: str | None = request.get("TableName")
    limit: int = request.get("Limit") or _PAGE
    low, high = request.get("TimeRangeLowerBound"), request.get("TimeRangeUpperBound")
    start: str | None = request.get("ExclusiveStartBackupArn")
    with context.database.snapshot() as connection:
        after = 0
        if start is not None:
            first = backups.find_backup(connection, *parse_backup(start))
            if first is None:
                raise RequestRefused("The provided starting BackupArn is not valid")
            after = first.number
        found = backups.list_backups(
            connection,
            None if name is None else table_of(name),
            -_FAR if low is None else _near(low),
            _FAR if high is None else _near(high),
            after,
            limit + 1,
        )
    response: dict[str, Any] = {"BackupSummaries": [describe_summary(context, backup) for backup in found[:limit]]}
    if len(found) > limit:
        response["LastEvaluatedBackupArn"] = response["BackupSummaries"][-1]["BackupArn"]
    return response


def _near(moment: float) -> float:
    """A moment that SQLite can compare: JSON has whole numbers that are larger."""
    return float(max(-_FAR, min(moment, _FAR)))
