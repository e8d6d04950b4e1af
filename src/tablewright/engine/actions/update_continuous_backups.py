"""UpdateContinuousBackups: switch point-in-time recovery of a table on or off, or change its period."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.recovery.restored import refuse_source
from tablewright.engine.recovery.window import MOST_DAYS, describe_backups, find_table, window_of
from tablewright.engine.storage import Transaction
from tablewright.engine.validation.names import required_name
from tablewright.errors import RequestRefused


def update_continuous_backups(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an UpdateContinuousBackups request; switching off forgets the past."""
    table = find_table(context, required_name(request))
    wanted = request["PointInTimeRecoverySpecification"]
    days = wanted.get("RecoveryPeriodInDays")
    if days is not None and not wanted["PointInTimeRecoveryEnabled"]:
        raise RequestRefused(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."
        )

    def work(transaction: Transaction) -> dict[str, Any]:
        transaction.require(table)
        now = transaction.now()
        definition = dict(table.schema.definition)
        window = window_of(definition, now)
        if not wanted["PointInTimeRecoveryEnabled"]:
            refuse_source(transaction.catalogue, "Table", table.schema.number)
            definition.pop("PointInTimeRecovery", None)
        elif window is None:
            definition["PointInTimeRecovery"] = {"Since": now, "Days": days or MOST_DAYS}
        else:
            # A longer period does not bring back what the shorter one let go.
            kept = definition["PointInTimeRecovery"]["Days"]
            definition["PointInTimeRecovery"] = {"Since": window.earliest, "Days": days or kept}
        if definition != table.schema.definition:
            transaction.change_table(table, definition)
        return describe_backups(definition, now)

    return {"ContinuousBackupsDescription": context.database.alter(work)}
