"""UpdateItem: change attributes of one item, or create it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.outcomes import finish_write
from tablewright.engine.storage import Change, Transaction
from tablewright.engine.validation.expressions import Expressions, Values
from tablewright.engine.writes import TOO_LARGE, UPDATE_OR_ATTRIBUTES, Update, prepare_update
from tablewright.errors import RequestRefused
from tablewright.expressions import CompiledUpdateExpression
from tablewright.values import MAX_ITEM_SIZE, Item, dumps, loads

# An expression of 4 KB cannot use so few characters so often that they pass the limit.
_SMALL = 100


def update_item(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer an UpdateItem request."""
    write = prepare_update(context, request, UPDATE_OR_ATTRIBUTES)
    if write.expressions.values:
        _check_charge(write.expressions)

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


def _check_charge(expressions: Expressions) -> None:
    """Refuse an update that is too large by itself, before its condition is looked at and whatever becomes of the item.

    Only this operation counts so; transactions and statements count the item that comes out.
    """
    values, update = expressions.values, expressions.update
    if not isinstance(update, CompiledUpdateExpression) or not _may_be_large(values):
        return
    if update.charge(values) > MAX_ITEM_SIZE:
        raise RequestRefused(TOO_LARGE)


def _may_be_large(values: Values) -> bool:
    """Whether the values could be too large however often an expression uses them."""
    length = 0
    for value in values.values():
        for content in value.values():
            if content.__class__ is str:
                length += len(content)
            elif content.__class__ is not bool:
                return True
    return length > _SMALL


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
