"""DeleteTable: a table, its items and its indexes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.description import describe_leaving
from tablewright.engine.recovery.restored import refuse_source
from tablewright.engine.storage import Transaction, attachments
from tablewright.engine.validation.names import required_name
from tablewright.errors import RequestRefused, ResourceInUse


def delete_table(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DeleteTable request; the table is gone at once."""
    name = required_name(request)
    context.database.refresh()
    table = context.table(name, by_name=True)
    statistics = context.statistics(table)

    def work(transaction: Transaction) -> None:
        transaction.require(table)
        context.require_active(table)
        refuse_source(transaction.catalogue, "Table", table.schema.number)
        if table.schema.definition.get("DeletionProtectionEnabled"):
            raise RequestRefused(
                "Resource cannot be deleted as it is currently protected against deletion. "
                "Disable deletion protection first."
            )
        if table.schema.filling is not None:
            raise ResourceInUse(
                "Attempt to change a resource which is still in use: Cannot delete table while indexes are being "
                "created, updated, or deleted."
            )
        transaction.remove_table(table)
        attachments.forget_attachments(transaction.connection, table.schema.number)

    context.database.alter(work)
    return {"TableDescription": describe_leaving(context, table.schema, statistics)}
