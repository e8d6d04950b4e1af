"""ListGlobalTables: of which the engine has none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context


def list_global_tables(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a ListGlobalTables request."""
    return {"GlobalTables": []}
