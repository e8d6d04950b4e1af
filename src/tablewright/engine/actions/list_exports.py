"""ListExports: the exports of one table or all, the latest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import table_of
from tablewright.engine.context import Context
from tablewright.engine.storage import jobs
from tablewright.engine.transfer.telling import page_token, read_token, summarise_export

_PAGE = 25


def list_exports(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a ListExports request."""
    arn: str | None = request.get("TableArn")
    limit: int = request.get("MaxResults") or _PAGE
    before = read_token(request.get("NextToken"))
    with context.database.reading() as connection:
        found = jobs.list_jobs(connection, "export", None if arn is None else table_of(arn), before, limit + 1)
    response: dict[str, Any] = {"ExportSummaries": [summarise_export(context, job) for job in found[:limit]]}
    if len(found) > limit:
        response["NextToken"] = page_token(found[limit - 1].number)
    return response
