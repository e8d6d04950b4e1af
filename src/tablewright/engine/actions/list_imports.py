"""ListImports: the imports of one table or all, the latest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.transfer.telling import listed, summarise_import


def list_imports(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a ListImports request."""
    found, more = listed(context, "import", request.get("TableArn"), request.get("PageSize"), request.get("NextToken"))
    return {"ImportSummaryList": [summarise_import(context, job) for job in found], **more}
