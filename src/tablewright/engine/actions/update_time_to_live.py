"""UpdateTimeToLive: let a table's items expire by an attribute, or stop that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage import Transaction
from tablewright.engine.validation.names import required_name
from tablewright.errors import RequestRefused


def update_time_to_live(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an UpdateTimeToLive request; items that are there already expire too, in a large table a little later."""
    name, wanted = required_name(request), request["TimeToLiveSpecification"]
    context.database.refresh()
    table = context.table(name, by_name=True)

    def work(transaction: Transaction) -> TableSchema:
        transaction.require(table)
        context.require_active(table)
        definition = dict(table.schema.definition)
        known = definition.get("TimeToLive")
        if known is not None and known["AttributeName"] != wanted["AttributeName"]:
            raise RequestRefused(
                f"TimeToLive is active on a different AttributeName: current AttributeName is {known['AttributeName']}"
            )
        if wanted["Enabled"] is (known is not None):
            raise RequestRefused(f"TimeToLive is already {'enabled' if wanted['Enabled'] else 'disabled'}")
        if wanted["Enabled"]:
            definition["TimeToLive"] = {"AttributeName": wanted["AttributeName"]}
        else:
            del definition["TimeToLive"]
        return transaction.change_table(table, definition, context.first_portion)

    schema = context.database.alter(work)
    if wanted["Enabled"]:
        if schema.definition["TimeToLive"].get("Filling"):
            context.go_on_filling()
        if context.sweeper is not None:
            context.sweeper.start()
    return {
        "TimeToLiveSpecification": {"Enabled": wanted["Enabled"], "AttributeName": wanted["AttributeName"]},
    }
