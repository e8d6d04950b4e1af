"""DescribeLimits: the quotas of an account."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context


def describe_limits(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeLimits request with the service's defaults; nothing here enforces them."""
    return {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }
