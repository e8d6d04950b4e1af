"""DescribeTimeToLive: whether a table's items expire, and by which attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.validation.names import required_name


def describe_time_to_live(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeTimeToLive request; in between is only what a large table still has to find out of its items."""
    context.database.refresh()
    settings = context.table(required_name(request), by_name=True).schema.definition.get("TimeToLive")
    if settings is None:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    if settings.get("Filling"):
        context.go_on_filling()
    status = "ENABLING" if settings.get("Filling") else "ENABLED"
    return {"TimeToLiveDescription": {"TimeToLiveStatus": status, "AttributeName": settings["AttributeName"]}}
