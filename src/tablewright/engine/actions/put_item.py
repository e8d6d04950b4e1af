"""PutItem: store a whole item, under a condition if one is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.outcomes import finish_write, refuse_return_values
from tablewright.engine.storage import Change, Transaction
from tablewright.engine.writes import CONDITION_OR_EXPECTED, prepare_put


def put_item(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a PutItem request."""
    wanted = refuse_return_values(request)
    write = prepare_put(context, request, CONDITION_OR_EXPECTED)

    def work(transaction: Transaction) -> Change:
        if write.expressions.condition is None:
            # Most puts are of new items: then nothing has to be read.
            transaction.require(write.table)
            change = write.change(None)
            if transaction.add(change):
                return change
        change = write.plan(transaction)
        transaction.apply(change)
        return change

    change = context.database.write(work)
    response: dict[str, Any] = {}
    if wanted == "ALL_OLD" and change.old is not None:
        response["Attributes"] = change.old.item
    return finish_write(request, change, response)
