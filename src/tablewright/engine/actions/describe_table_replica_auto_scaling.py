"""DescribeTableReplicaAutoScaling: which the engine has for no table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.validation.names import required_name


def describe_table_replica_auto_scaling(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeTableReplicaAutoScaling request."""
    table = context.table(required_name(request), by_name=True)
    return {"TableAutoScalingDescription": {"TableName": table.name, "TableStatus": "ACTIVE", "Replicas": []}}
