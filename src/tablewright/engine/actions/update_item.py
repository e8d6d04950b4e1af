"""UpdateItem: change attributes of one item, or create it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.outcomes import finish_write
from tablewright.engine.storage import Change, Transaction
from tablewright.engine.writes import UPDATE_OR_ATTRIBUTES, Update, prepare_update
from tablewright.values import Item, dumps, loads


def update_item(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an UpdateItem request."""
    write = prepare_update(context, request, UPDATE_OR_ATTRIBUTES)

    def work(transaction: Transaction) -> Change:
        change = write.plan(transaction)
        transaction.apply(change)
        return change

    change = context.database.write(work)
    response: dict[str, Any] = {}
    attributes = _attributes(request.get("ReturnValues"), write, change)
    if attributes:
        response["Attributes"] = attributes
    return finish_write(request, change, response)


def _attributes(wanted: str | None, write: Update, change: Change) -> Item | None:
    if wanted == "ALL_OLD":
        return change.old.item if change.old is not None else None
    # What is new may share parts with the request; the caller gets parts of its own.
    if wanted == "ALL_NEW":
        return loads(change.body) if change.new is not None else None
    if write.result is not None and change.old is not None and wanted == "UPDATED_OLD":
        return write.result.updated_old()
    if write.result is not None and wanted == "UPDATED_NEW":
        return loads(dumps(write.result.updated_new()))  # type: ignore[no-any-return]
    return None
