"""UpdateTable: capacity settings, and one global index created, changed or deleted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.description import describe_changing
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage import Transaction
from tablewright.engine.validation.names import required_name
from tablewright.engine.validation.tables import changed_definition, check_changes


def update_table(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an UpdateTable request; a new index of a small table is filled before the answer, others behind it."""
    check_changes(request)
    context.database.refresh()
    table = context.table(required_name(request), by_name=True)
    context.require_active(table)
    definition = changed_definition(request, table.schema, context.clock.now())

    def work(transaction: Transaction) -> TableSchema:
        transaction.require(table)
        return transaction.change_table(table, definition, context.first_portion)

    schema = context.database.alter(work)
    if schema.filling is not None:
        context.go_on_filling()
    statistics = context.statistics(context.table(schema.name))
    return {"TableDescription": describe_changing(context, table.schema, schema, statistics)}
