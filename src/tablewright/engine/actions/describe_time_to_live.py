"""DescribeTimeToLive: whether a table's items expire, and by which attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.validation.names import required_name


def describe_time_to_live(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeTimeToLive request. Changes take effect at once, so there is nothing in between."""
    context.database.refresh()
    settings = context.table(required_name(request), by_name=True).schema.definition.get("TimeToLive")
    if settings is None:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    return {
        "TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": settings["AttributeName"]},
    }
