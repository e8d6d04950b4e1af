"""Mirrored links: the two items of a link are written together, so that either direction tells the same."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from tablewright.client.context import Context
from tablewright.client.writes.base import Write
from tablewright.client.writes.changes import Checked
from tablewright.client.writes.create import Create
from tablewright.client.writes.delete import Delete
from tablewright.client.writes.put import Put
from tablewright.client.writes.update import Update
from tablewright.client.writes.upsert import Upsert
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import FieldPlan
from tablewright.expressions import ast
from tablewright.values.types import Item


def mirrors_of(context: Context, writes: Sequence[Write]) -> list[tuple[int, Write]]:
    """The writes of the other items, each with the position of the write that it belongs to."""
    found = []
    for position, write in enumerate(writes):
        entity = write.plan.table.mirrors.get(write.plan.entity)
        if entity is not None:
            other = _mirror(context.plan.of(entity), write)
            if other is not None:
                found.append((position, other))
    return found


def _mirror(plan: EntityPlan, write: Write) -> Write | None:
    """The same write to the other item. The caller's condition and lock are on the one that was named."""
    key, values = mirror_key(write.plan, plan, write.key)
    match write:
        case Create():
            return Create(plan, key, values=write.values, was=write.was)
        case Put():
            return Put(plan, key, values=write.values)
        case Update():
            return Update(plan, key, changes=_sealed_anew(plan, write.changes), values=values, copy=write.copy)
        case Upsert():
            creating, changing = _mirror(plan, write.creating), _mirror(plan, write.changing)
            assert isinstance(creating, Create)
            assert isinstance(changing, Update)
            write.other = Upsert(plan, key, creating=creating, changing=changing, look=write.look, other=write)
            return write.other
        case Delete():
            return Delete(plan, key)
    return None


def _sealed_anew(plan: EntityPlan, changes: Checked) -> Checked:
    """The same changes, with values of their own where they are sealed: what is encrypted is bound to its item."""
    fields: dict[ast.Path, FieldPlan] = {f.path: f for f in plan.seals}
    if not fields:
        return changes
    actions = [
        replace(a, value=ast.Value(fields[a.path].encode(changes.assigned[fields[a.path].name])))
        if isinstance(a, ast.SetAction) and a.path in fields
        else a
        for a in changes.actions
    ]
    return replace(changes, actions=tuple(actions))


def mirror_key(plan: EntityPlan, other: EntityPlan, key: Item) -> tuple[Item, dict[str, object]]:
    """The key of the other item, and the fields that it is made of."""
    values = dict(plan.pk.decode(key[plan.pk.attribute.name]))
    if plan.sk is not None:
        values |= plan.sk.decode(key[plan.sk.attribute.name])
    return other.key(values), {name: values[name] for name in other.key_fields}
