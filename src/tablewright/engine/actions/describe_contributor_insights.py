"""DescribeContributorInsights: which the engine has for no table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.validation.names import required_name
from tablewright.errors import ResourceNotFound


def describe_contributor_insights(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeContributorInsights request."""
    table = context.table(required_name(request), by_name=True)
    response = {"TableName": table.name}
    index: str | None = request.get("IndexName")
    if index is not None:
        if index not in table.schema.index:
            raise ResourceNotFound(f"Requested resource not found: Index: {index} not found")
        response["IndexName"] = index
    return {**response, "ContributorInsightsStatus": "DISABLED"}
