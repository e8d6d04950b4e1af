"""Recovery to a point in time: whether it is on, switched on and off, and a new table as another one was."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct

from tablewright.client.calls import Call, Pause, Steps
from tablewright.errors import ArgumentError, ServiceError
from tablewright.evolve.backups.waiting import SLOWEST, Tell, moment, restored

_ATTEMPTS = 30
"""How often recovery is tried to be switched on for a table that is not ready for it yet."""


class Recovery(Struct, frozen=True):
    """Whether a table can be restored as it was, and from when on."""

    on: bool
    earliest: datetime | None = None
    latest: datetime | None = None
    days: int | None = None


def recovery_of(table: str) -> Steps[Recovery]:
    """What a table says of it."""
    answer = yield Call("DescribeContinuousBackups", {"TableName": table}, repeatable=True)
    return _recovery(answer)


def _recovery(answer: dict[str, Any]) -> Recovery:
    told = answer["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    if told.get("PointInTimeRecoveryStatus") != "ENABLED":
        return Recovery(False)
    times = [told.get(name) for name in ("EarliestRestorableDateTime", "LatestRestorableDateTime")]
    earliest, latest = (None if one is None else moment(one) for one in times)
    return Recovery(True, earliest, latest, told.get("RecoveryPeriodInDays"))


def switch_recovery(table: str, *, on: bool, days: int | None = None) -> Steps[Recovery]:
    """Switches it on, perhaps for so many days, or off, which forgets the past. A new table is not ready for it at once."""
    wanted: dict[str, Any] = {"PointInTimeRecoveryEnabled": on}
    if days is not None:
        wanted["RecoveryPeriodInDays"] = days
    for attempt in range(_ATTEMPTS):
        try:
            answer = yield Call(
                "UpdateContinuousBackups", {"TableName": table, "PointInTimeRecoverySpecification": wanted}
            )
        except ServiceError as error:
            if error.wire_name != "ContinuousBackupsUnavailableException" or attempt == _ATTEMPTS - 1:
                raise
            yield Pause(min(attempt, SLOWEST), what="Waiting for continuous backups")
        else:
            return _recovery(answer)
    raise AssertionError("the last attempt returns or raises")


def restore_to(source: str, target: str, when: datetime | None, tell: Tell) -> Steps[dict[str, Any]]:
    """Makes a new table that holds what another one held at a moment, or at the latest one there is; its description."""
    known = yield from recovery_of(source)
    if not known.on:
        raise ArgumentError(f"Recovery of {source} is off.", hint="Restore a backup: tablewright backup list.")
    request: dict[str, Any] = {"SourceTableName": source, "TargetTableName": target}
    if when is None:
        request["UseLatestRestorableTime"] = True
    else:
        if (known.earliest and when < known.earliest) or (known.latest and when > known.latest):
            raise ArgumentError(
                f"{source} can be restored as it was from {known.earliest} to {known.latest}.",
                hint="Name a moment in between, or leave it out for the latest.",
            )
        request["RestoreDateTime"] = when.timestamp()
    return (yield from restored("RestoreTableToPointInTime", request, tell))
