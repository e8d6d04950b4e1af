"""DescribeImport: how an import went."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import import_of
from tablewright.engine.context import Context
from tablewright.engine.storage import jobs
from tablewright.engine.transfer import telling
from tablewright.errors import ResourceNotFound


def describe_import(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeImport request."""
    named = import_of(request["ImportArn"])
    job = None
    if named is not None:
        with context.database.reading() as connection:
            job = jobs.find_job(connection, "import", *named)
    if job is None:
        raise ResourceNotFound(
            f"The specified import was not found: {request['ImportArn']}", wire_name="ImportNotFoundException"
        )
    return {"ImportTableDescription": telling.describe_import(context, job)}
