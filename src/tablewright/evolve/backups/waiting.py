"""Waiting for tables that are being made."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.tables import describe
from tablewright.errors import ResourceInUse, ResourceNotFound

SLOWEST = 8
"""Polls slow down up to this step of the back-off."""
Tell = Callable[[str], object]
"""Who is told what is being waited for."""
_MISSING = 3
"""How often a table that was just ordered may be unknown: descriptions lag behind."""
_THERE = frozenset({"TableAlreadyExistsException", "TableInUseException"})
"""What a restore into a table that is there is refused with."""


def until_active(table: str, tell: Tell) -> Steps[dict[str, Any]]:
    """The table's description, once it and all its indexes are ACTIVE and nothing is being restored any more."""
    attempt = 0
    while True:
        found = yield from describe(table)
        if found is None and attempt >= _MISSING:
            raise ResourceNotFound(f"There is no table {table}.", hint="Its restore failed, or somebody deleted it.")
        if found is not None:
            states = [found["TableStatus"], *(i["IndexStatus"] for i in found.get("GlobalSecondaryIndexes", []))]
            if set(states) == {"ACTIVE"} and not found.get("RestoreSummary", {}).get("RestoreInProgress"):
                return found
            tell(f"{table} is {found['TableStatus']}: {states.count('ACTIVE')} of {len(states)} parts are ready.")
        yield Pause(min(attempt, SLOWEST), what=f"Waiting for {table}")
        attempt += 1


def restored(operation: str, request: dict[str, Any], tell: Tell) -> Steps[dict[str, Any]]:
    """Orders a new table, and waits until it can be used; its description. One that is in the making from the same is waited for."""
    target = request["TargetTableName"]
    try:
        yield Call(operation, request)
    except ResourceInUse as error:
        if error.wire_name not in _THERE:
            raise
        found = yield from describe(target)
        if not _begun(found or {}, request):
            error.hint = "A restore never writes over a table: give the new one another name."
            raise
        tell(f"{target} is in the making already.")
    return (yield from until_active(target, tell))


def _begun(found: dict[str, Any], request: dict[str, Any]) -> bool:
    """Whether a table is being restored from the same as is asked for: somebody stopped waiting for it."""
    summary = found.get("RestoreSummary", {})
    if not summary.get("RestoreInProgress"):
        return False
    if "BackupArn" in request:
        return bool(summary.get("SourceBackupArn") == request["BackupArn"])
    source = summary.get("SourceTableArn", "").rpartition("/")[2]
    wanted, told = request.get("RestoreDateTime"), summary.get("RestoreDateTime")
    if "SourceBackupArn" in summary or source != request["SourceTableName"]:
        return False
    return wanted is None or (told is not None and moment(told) == moment(wanted))


def changed(table: str, request: dict[str, Any], tell: Tell) -> Steps[None]:
    """An UpdateTable, and the time that it takes."""
    yield Call("UpdateTable", {"TableName": table, **request})
    yield from until_active(table, tell)


def moment(told: Any) -> datetime:
    """A time as the service tells it: seconds, or a datetime where botocore has read it."""
    return told.astimezone(UTC) if isinstance(told, datetime) else datetime.fromtimestamp(float(told), UTC)
