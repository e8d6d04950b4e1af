"""ListExports: the exports of one table or all, the latest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.transfer.telling import listed, summarise_export


def list_exports(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a ListExports request."""
    found, more = listed(
        context, "export", request.get("TableArn"), request.get("MaxResults"), request.get("NextToken")
    )
    return {"ExportSummaries": [summarise_export(context, job) for job in found], **more}
