"""Waiting for tables that are being made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.tables import describe
from tablewright.errors import ResourceNotFound

SLOWEST = 8
"""Polls slow down up to this step of the back-off."""
Tell = Callable[[str], object]
"""Who is told what is being waited for."""
_MISSING = 3
"""How often a table that was just ordered may be unknown: descriptions lag behind."""


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


def changed(table: str, request: dict[str, Any], tell: Tell) -> Steps[None]:
    """An UpdateTable, and the time that it takes."""
    yield Call("UpdateTable", {"TableName": table, **request})
    yield from until_active(table, tell)
