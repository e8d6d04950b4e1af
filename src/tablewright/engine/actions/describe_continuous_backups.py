"""DescribeContinuousBackups: whether a table keeps its past, and how far back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.recovery.window import describe_backups, find_table
from tablewright.engine.validation.names import required_name


def describe_continuous_backups(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeContinuousBackups request."""
    table = find_table(context, required_name(request))
    return {"ContinuousBackupsDescription": describe_backups(table.schema.definition, context.clock.now())}
