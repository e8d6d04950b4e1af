"""ExportTableToPointInTime: a table's items in files, as they are or as they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import table_of
from tablewright.engine.context import Context
from tablewright.engine.description import table_id
from tablewright.engine.recovery.window import window_of
from tablewright.engine.storage import jobs
from tablewright.engine.transfer.jobs import run_export, start_job
from tablewright.engine.transfer.sources import inside
from tablewright.engine.transfer.telling import TOKEN_SECONDS, bucket_folder, describe_export, same_request
from tablewright.errors import RequestRefused, ResourceInUse, ResourceNotFound


def export_table_to_point_in_time(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an ExportTableToPointInTime request; the files are there at once, though told to be in the making."""
    _refuse_unsupported(request)
    name = table_of(request["TableArn"])
    context.database.refresh()
    table = context.database.catalogue.tables.get(name)
    if table is None:
        raise ResourceNotFound(f"Table not found: {name}", wire_name="TableNotFoundException")
    bucket = bucket_folder(context, request["S3Bucket"])
    token, now = request.get("ClientToken"), context.clock.now()
    if token is not None:
        with context.database.reading() as connection:
            known = jobs.recall_job(connection, "export", token, now - TOKEN_SECONDS)
        if known is not None:
            if not same_request(known.request, request):
                raise ResourceInUse(
                    "There was a conflict when writing to the specified S3 bucket: the token stands for another export.",
                    wire_name="ExportConflictException",
                )
            return {"ExportDescription": describe_export(context, known)}
    window = window_of(table.schema.definition, now)
    if window is None:
        raise RequestRefused(
            f"Point in time recovery is not enabled for table '{name}'",
            wire_name="PointInTimeRecoveryUnavailableException",
        )
    moment: float | None = request.get("ExportTime")
    if moment is not None and not int(window.earliest) <= moment <= now:
        raise RequestRefused(
            "The specified ExportTime is outside of the point in time recovery window.",
            wire_name="InvalidExportTimeException",
        )
    inside(bucket, (request.get("S3Prefix") or "").strip("/"))
    job = start_job(context, "export", name, table_id(table.schema), request)
    run_export(context, table, job, bucket, moment)
    return {"ExportDescription": describe_export(context, job)}


def _refuse_unsupported(request: Mapping[str, Any]) -> None:
    if request.get("ExportFormat") == "ION":
        raise RequestRefused("ExportFormat ION is not supported; the engine exports DYNAMODB_JSON.")
    if request.get("ExportType") == "INCREMENTAL_EXPORT":
        raise RequestRefused("ExportType INCREMENTAL_EXPORT is not supported; the engine makes a FULL_EXPORT.")
    if request.get("FilterSpecification") is not None:
        raise RequestRefused("FilterSpecification is not supported; the engine exports whole tables.")
