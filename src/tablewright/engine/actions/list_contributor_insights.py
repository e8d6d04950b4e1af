"""ListContributorInsights: which the engine has for no table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.validation.names import required_name


def list_contributor_insights(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a ListContributorInsights request."""
    if request.get("TableName") is not None:
        context.table(required_name(request), by_name=True)
    return {"ContributorInsightsSummaries": []}
