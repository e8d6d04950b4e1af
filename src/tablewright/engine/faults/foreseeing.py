"""What a write is going to change, as far as the request and what is stored show it beforehand."""

from __future__ import annotations

from contextlib import suppress

from tablewright.engine.faults.calls import Call, Member
from tablewright.engine.storage import Change
from tablewright.engine.validation.expressions import all_expressions
from tablewright.engine.writes import UPDATE_OR_ATTRIBUTES
from tablewright.errors import TablewrightError
from tablewright.values import check_item, item_size


def foreseen(call: Call, member: Member) -> Change | None:
    """What the write of one member comes to; None where it comes to nothing, or will be refused anyway."""
    table = call.tables.get(member.table)
    if table is None or not member.kind or member.item is None:
        return None
    # Whatever is wrong with the request is told by its action, in due order.
    with suppress(AttributeError, KeyError, TypeError, ValueError, TablewrightError):
        item = check_item(member.item)
        # In a batch there are none.
        expressions = all_expressions(member.source, UPDATE_OR_ATTRIBUTES)
        key = table.schema.key(item)
        with call.database.reading() as connection:
            old = table.get(connection, key)
        stored = None if old is None else old.item
        if expressions.condition is not None and not expressions.condition(stored, expressions.values):
            return None
        new = None if member.kind == "Delete" else item
        if member.kind == "Update":
            base = item if stored is None else stored
            update = expressions.update
            new = base if update is None else update.apply(base, expressions.values).item
        return Change(table, key, old, new, 0 if new is None else item_size(new))
    return None
