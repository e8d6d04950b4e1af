"""Read, change, write: an entity edited in place becomes an update of just the fields that changed."""

from __future__ import annotations

from typing import Any

from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.operations import plan_update
from tablewright.client.performing import perform, read_current
from tablewright.client.targets import resolve_at_once
from tablewright.client.writes.base import unchanged
from tablewright.compiler.conditions import conjunction
from tablewright.errors import ConcurrentModificationError, ConditionalCheckError, ImmutableFieldError
from tablewright.model.change import Assign
from tablewright.model.entity import stored


def edited(context: Context, before: Any, after: Any) -> Steps[None]:
    """Writes the fields that differ, if they are still stored as they were read."""
    plan = context.plan.of(type(after))
    values = plan.validated(after)
    changed = [name for name in plan.fields if values[name] != getattr(before, name)]
    for name in changed:
        if name in plan.key_fields:
            raise ImmutableFieldError(
                f"{plan.name}.{name} is part of the primary key and cannot be changed.",
                field=name,
                hint="Delete the item and create another one, in one transaction.",
            )
    if not changed:
        return
    found = resolve_at_once(context, before)
    write = plan_update(context, found, [Assign((name,), values[name]) for name in changed])
    write.condition = conjunction(unchanged(plan, frozenset(changed), found.guess))
    try:
        attributes = yield from perform(context, write, returning="ALL_NEW")
    except ConcurrentModificationError:
        raise
    except ConditionalCheckError as error:
        if type(error) is not ConditionalCheckError:
            raise
        raise ConcurrentModificationError(
            f"Somebody else changed the same fields of this {plan.name} since it was read.",
            hint="Nothing was written; edit it again.",
            context={"entity": plan.name, "fields": changed},
        ) from error
    if attributes is None:
        attributes = yield from read_current(context, write)
    if attributes is not None:
        known = stored(plan.decode(attributes))
        if known is not None:
            after.__dict__.update({name: values[name] for name in changed})
            after.__dict__["__stored__"] = known
