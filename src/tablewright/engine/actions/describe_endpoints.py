"""DescribeEndpoints: where requests should go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context


def describe_endpoints(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeEndpoints request; never with an address of the service, where a caller did not mean to go."""
    return {"Endpoints": [{"Address": "localhost", "CachePeriodInMinutes": 1440}]}
