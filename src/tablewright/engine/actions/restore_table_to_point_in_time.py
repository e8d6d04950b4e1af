"""RestoreTableToPointInTime: a new table with what another one held at some moment."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import table_arn
from tablewright.engine.context import Context
from tablewright.engine.description import describe_new
from tablewright.engine.recovery.restored import restored_definition
from tablewright.engine.recovery.window import find_table, window_of
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage import TableStore, Transaction
from tablewright.engine.storage.restoring import begin_from_past
from tablewright.engine.validation.names import NOT_PRESENT, check_name
from tablewright.errors import RequestRefused, ResourceInUse

_ARN = re.compile(r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/[a-zA-Z0-9_.-]+")


def restore_table_to_point_in_time(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a RestoreTableToPointInTime request; a small table is whole at once, though told to be in the making."""
    latest, moment = bool(request.get("UseLatestRestorableTime")), request.get("RestoreDateTime")
    source_name = _source(request)
    if latest and moment is not None:
        raise RequestRefused(
            "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time restore "
            "request. Please specify either RestoreDateTime time or UseLatestRestorableTime"
        )
    if not latest and moment is None:
        raise RequestRefused(
            "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but not both"
        )
    source = find_table(context, source_name)
    target = check_name(request["TargetTableName"], "targetTableName")

    def work(transaction: Transaction) -> tuple[TableSchema, float]:
        transaction.require(source)
        now = transaction.now()
        window = window_of(source.schema.definition, now)
        if window is None:
            raise RequestRefused(
                f"Point in time recovery is not enabled for table '{source.name}'",
                wire_name="PointInTimeRecoveryUnavailableException",
            )
        told = math.floor(now) if moment is None else moment
        # Times in the log may run ahead of a clock that was set back; the latest state has all of them.
        until = math.inf if moment is None else window.check(moment)
        if target in transaction.catalogue.tables:
            raise ResourceInUse(f"Table already exists: {target}", wire_name="TableAlreadyExistsException")
        definition = restored_definition(source.schema.definition, request, now)
        undo = None if source.capture is None else source.capture.undo
        assert undo is not None
        schema = transaction.restore_table(
            target,
            definition,
            context.restored_portion,
            lambda table: begin_from_past(transaction.connection, table, source.schema.number, undo, until),
        )
        return schema, told

    schema, told = context.database.alter(work)
    if schema.definition.get("Restoring"):
        context.go_on_filling()
    return {"TableDescription": _described(context, schema, source, told)}


def _source(request: Mapping[str, Any]) -> str:
    name: str | None = request.get("SourceTableName")
    arn: str | None = request.get("SourceTableArn")
    if name is not None and arn is not None:
        raise RequestRefused("Must provide exactly one of: sourceTableArn, sourceTableName")
    if arn is not None and _ARN.fullmatch(arn) is None:
        raise RequestRefused("sourceTableArn is not a valid ARN")
    found = name if name is not None else arn
    if found is None:
        raise RequestRefused(NOT_PRESENT)
    return found


def _described(context: Context, schema: TableSchema, source: TableStore, told: float) -> dict[str, Any]:
    description = describe_new(context, schema)
    description["RestoreSummary"] = {
        "SourceTableArn": table_arn(context.region, source.name),
        "RestoreDateTime": told,
        "RestoreInProgress": True,
    }
    return description
