"""DescribeExport: how an export went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import export_of
from tablewright.engine.context import Context
from tablewright.engine.storage import jobs
from tablewright.engine.transfer import telling
from tablewright.errors import ResourceNotFound


def describe_export(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeExport request."""
    named = export_of(request["ExportArn"])
    job = None
    if named is not None:
        with context.database.reading() as connection:
            job = jobs.find_job(connection, "export", *named)
    if job is None:
        raise ResourceNotFound(
            f"The specified export was not found: {request['ExportArn']}", wire_name="ExportNotFoundException"
        )
    return {"ExportDescription": telling.describe_export(context, job)}
