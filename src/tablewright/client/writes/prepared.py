"""Writes whose request is known but for its values: made once for each shape, and filled in.

Most writes are of this kind: a new item without unique fields, an update that assigns fields which no key, rule or lock
depends on. The planning of a write decides whether it is one of them, and speaks again when a condition fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.client.writes.action import Action
from tablewright.client.writes.create import Create
from tablewright.client.writes.update import Update
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import NativeKey
from tablewright.expressions import ExpressionBuilder, all_of, ast
from tablewright.values.sizes import MAX_ITEM_SIZE, attribute_size
from tablewright.values.types import Item

_NOW = "now"
_MOST = 500
"""Shapes that are kept of one entity; a program has a handful."""

Shape = tuple[str, ...]


class PreparedUpdate(Struct, frozen=True, eq=False):
    """An update that assigns these fields, as a request without its key and new values."""

    members: Mapping[str, Any]
    values: Mapping[str, Any]
    """The values that are always the same."""
    places: Mapping[str, str]
    """The placeholder of each field."""
    now: str | None
    keys: tuple[NativeKey, ...] = ()
    """The fields among them that are key attributes of an index, and follow the stricter rules of keys."""

    def request(
        self, plan: EntityPlan, table: str, key: Item, given: Mapping[str, Any], now: str
    ) -> dict[str, Any] | None:
        """The request for these values; None where one of them cannot simply be stored."""
        values = dict(self.values)
        size = 0
        for name, value in given.items():
            field = plan.fields[name]
            accepted = field.accept(value)
            if field.absent(accepted):
                return None
            stored = values[self.places[name]] = field.encode(accepted)
            size += attribute_size(stored)
            for key_plan in self.keys:
                if key_plan.field.name == name:
                    key_plan.encode({name: accepted})
        if size > MAX_ITEM_SIZE:
            return None
        if self.now is not None:
            values[self.now] = {"S": now}
        return {"TableName": table, "Key": key, "ExpressionAttributeValues": values, **self.members}


def prepared_update(plan: EntityPlan, shape: Shape) -> PreparedUpdate | None:
    """The update that assigns these fields, if it was prepared."""
    return plan.prepared.get(shape)


def prepare_update(write: Update, shape: Shape) -> None:
    """Keeps the request of an update that turned out to depend on nothing but its values."""
    plan, changes = write.plan, write.changes
    if len(plan.prepared) >= _MOST or not write.is_plain or plan.hooks is not None or plan.mirrored or plan.seals:
        return
    if len(changes.actions) != len(shape) or not all(_assigns(action) for action in changes.actions):
        return
    actions: list[ast.UpdateAction] = [ast.SetAction(plan.fields[n].path, ast.ValueRef(n)) for n in shape]
    stamp = (plan.names.updated,)
    for action in write.stamps(_NOW):
        stamped = isinstance(action, ast.SetAction) and action.path == stamp
        actions.append(ast.SetAction(stamp, ast.ValueRef(_NOW)) if stamped else action)
    builder = ExpressionBuilder().update(*actions).condition(all_of(write.exists(), *write.in_version()))
    members = builder.build()
    values = members.pop("ExpressionAttributeValues")
    members |= {"ReturnValuesOnConditionCheckFailure": "ALL_OLD", "ReturnValues": "ALL_NEW"}
    places = dict(builder.parameters)
    keys = tuple(key for binding in plan.kept for key in binding.shared if key.field.name in shape)
    plan.prepared[shape] = PreparedUpdate(members, values, places, places.pop(_NOW, None), keys)


def _assigns(action: ast.UpdateAction) -> bool:
    return isinstance(action, ast.SetAction) and len(action.path) == 1 and isinstance(action.value, ast.Value)


def prepared_create(plan: EntityPlan) -> Mapping[str, Any] | None:
    """What the request for a new item has besides the item; None where there is more to it."""
    found = plan.prepared.get(())
    if found is None:
        plain = not plan.uniques and plan.hooks is None and not plan.mirrored and plan.hides is None
        absent = Create(plan, {}).absent()
        found = Action("Put", {}, item={}, condition=absent).body("") if plain else {}
        found.pop("TableName", None)
        found.pop("Item", None)
        plan.prepared[()] = found
    return found or None
