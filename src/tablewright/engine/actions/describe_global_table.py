"""DescribeGlobalTable: of which the engine has none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.errors import ResourceNotFound


def describe_global_table(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeGlobalTable request."""
    name: str = request["GlobalTableName"]
    raise ResourceNotFound(
        f"Global table not found: GlobalTable with name: '{name}' does not exist.",
        wire_name="GlobalTableNotFoundException",
    )
