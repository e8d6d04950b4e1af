"""How far back a table can be restored, and how that is told."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from tablewright.engine.arns import table_of
from tablewright.engine.context import Context
from tablewright.engine.storage import TableStore
from tablewright.engine.storage.undo_log import DAY
from tablewright.errors import RequestRefused, ResourceNotFound

MOST_DAYS = 35
"""The recovery period of a table for which none is given."""


class Window(NamedTuple):
    """The moments to which a table can be restored."""

    earliest: float
    latest: float

    def check(self, moment: float) -> float:
        """A moment that was asked for, if it lies in the window; callers often know whole seconds only."""
        if not math.floor(self.earliest) <= moment <= self.latest:
            raise RequestRefused(
                f"RestoreDateTime '{_told(moment)}' must be within EarliestRestorableDateTime "
                f"'{_told(self.earliest)}' and LatestRestorableDateTime '{_told(self.latest)}'",
                wire_name="InvalidRestoreTimeException",
            )
        return max(moment, self.earliest)


def window_of(definition: Mapping[str, Any], now: float) -> Window | None:
    """The window of a table that keeps its past; None for one that does not."""
    settings = definition.get("PointInTimeRecovery")
    if settings is None:
        return None
    earliest = max(settings["Since"], now - settings["Days"] * DAY)
    return Window(earliest, max(now, earliest))


def describe_backups(definition: Mapping[str, Any], now: float) -> dict[str, Any]:
    """The ContinuousBackupsDescription of a table, in whole seconds."""
    recovery: dict[str, Any] = {"PointInTimeRecoveryStatus": "DISABLED"}
    window = window_of(definition, now)
    if window is not None:
        recovery = {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": definition["PointInTimeRecovery"]["Days"],
            "EarliestRestorableDateTime": math.floor(window.earliest),
            "LatestRestorableDateTime": math.floor(window.latest),
        }
    return {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": recovery}


def find_table(context: Context, name: str) -> TableStore:
    """The table of this name; operations on backups have their own word for one that is missing."""
    context.database.refresh()
    try:
        return context.table(name)
    except ResourceNotFound as error:
        raise ResourceNotFound(f"Table not found: {table_of(name)}", wire_name="TableNotFoundException") from error


def _told(moment: float) -> str:
    try:
        return datetime.fromtimestamp(math.floor(moment), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, ValueError, OSError):
        return str(moment)
