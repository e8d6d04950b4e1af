"""DeleteItem: remove one item, under a condition if one is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.outcomes import finish_write, refuse_return_values
from tablewright.engine.storage import Change, Transaction
from tablewright.engine.writes import CONDITION_OR_EXPECTED, prepare_delete


def delete_item(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DeleteItem request."""
    wanted = refuse_return_values(request)
    write = prepare_delete(context, request, CONDITION_OR_EXPECTED)

    def work(transaction: Transaction) -> Change:
        change = write.plan(transaction)
        transaction.apply(change)
        return change

    change = context.database.write(work)
    response: dict[str, Any] = {}
    if wanted == "ALL_OLD" and change.old is not None:
        response["Attributes"] = change.old.item
    return finish_write(request, change, response)
