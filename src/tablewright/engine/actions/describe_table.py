"""DescribeTable: a table's definition and figures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.backfill import is_filling
from tablewright.engine.context import Context
from tablewright.engine.description import describe
from tablewright.engine.validation.names import required_name


def describe_table(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeTable request."""
    context.database.refresh()
    table = context.table(required_name(request), by_name=True)
    if is_filling(table):
        context.go_on_filling()
    return {"Table": describe(context, table.schema, context.statistics(table))}
