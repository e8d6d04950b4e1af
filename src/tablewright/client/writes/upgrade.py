"""Upgrading one stored item: from an older schema version to the model's, with its index keys and unique values.

What the item says stays the same, so neither its version nor its times move: whoever holds a lock on it keeps that.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write, at, holds
from tablewright.client.writes.items import check_size
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.sealing import opened_envelope
from tablewright.errors import DecodeError, SchemaVersionError
from tablewright.expressions import ast
from tablewright.values.types import Item

_COMPARED = 128
"""Attributes that a condition may name: an expression has 4 KB at most."""


class Upgraded(Struct, frozen=True):
    """The item as it becomes, and what has to be written for that. The first action is on the item itself."""

    item: Item
    actions: tuple[Action, ...]


def upgraded(plan: EntityPlan, old: Item, *, home: Item | None = None) -> Upgraded:
    """What makes a current item of an older one, under the condition that it is still what was read. `home`: the key that it should
    have by the model, where it still lies under an older one."""
    write = Write(plan, plan.key_of_item(old))
    item = {**plan.current(old), plan.names.type: {"S": plan.options.type}}
    _refuse_unfit(plan, item, old)
    values = _key_values(plan, item)
    _refuse_moved(plan, values, home or write.key)
    for name, value in values.items():
        field = plan.fields.get(name)
        if field is not None and len(field.path) == 1 and field.path[0] not in item and not field.absent(value):
            item[field.path[0]] = field.encode(value)  # a default that a key is made of may differ each time
    keys, _ = plan.index_attributes(values)
    item = {name: av for name, av in item.items() if name not in _index_attributes(plan)} | keys
    check_size(plan, item)
    actions: list[ast.UpdateAction] = [
        ast.SetAction((name,), ast.Value(av))
        for name, av in item.items()
        if name not in write.key and old.get(name) != av
    ]
    actions += [ast.RemoveAction((name,)) for name in old if name not in item]
    guard = conjunction([write.exists(), *as_read(plan, old)])
    update = Action("Update", write.key, update=ast.Update(tuple(actions)), condition=guard)
    moves = markers.moves(write, _markers_before(plan, old), plan.markers(values)) if plan.uniques else []
    return Upgraded(item, (update, *moves))


def _key_values(plan: EntityPlan, item: Item) -> dict[str, Any]:
    """The fields that keys and unique values are made of."""
    sources = {name for binding in plan.kept for name in binding.sources}
    return plan.values_in(item, sources | plan.unique_fields | plan.key_fields)


def _refuse_unfit(plan: EntityPlan, item: Item, old: Item) -> None:
    """The item must fit its entity. What is sealed cannot be looked into here, and nothing but what was there can stand there: an
    upcast has no key, so that what it makes would be stored as it is, and what it takes from elsewhere is bound to that."""
    if not plan.seals:
        plan.decode(item)
        return
    sealed = {field.name for field in plan.seals}
    for field in plan.fields.values():
        stored = at(item, field.path)
        if stored is None and field.default is None and field.name not in plan.in_key.keys:
            raise DecodeError(
                f"A {plan.name} that upcasts made lacks {field.name!r}, which has no default.",
                hint="Nothing was written. Let the upcast add it, or give the field a default.",
            )
        encrypted = None if field.sealing is None else field.sealing.encrypted
        if encrypted is None or stored is None or stored == at(old, field.path):
            continue
        if field.omit_none and "NULL" in stored:
            continue
        if opened_envelope(stored) is not None or not encrypted.plain:
            raise SchemaVersionError(
                f"The upcasts of {plan.name} make {field.name!r}, which is encrypted, so that nobody could read it.",
                hint="Nothing was written. An upcast can keep or drop what is encrypted under its name. Put it there with the new "
                "model's own code, or allow plain values with Encrypted(..., plain=True) until every item is written once more.",
                context={"entity": plan.name, "field": field.name},
            )
    plan.values_in(item, plan.fields.keys() - sealed)


def _refuse_moved(plan: EntityPlan, values: dict[str, Any], key: Item) -> None:
    if plan.key(values) != key:
        raise SchemaVersionError(
            f"The upcasts of {plan.name} change a field of its primary key, so that it would be another item.",
            hint="Nothing was written. An upcast leaves the item where it is; keys are changed by a migration.",
            context={"entity": plan.name},
        )


def _index_attributes(plan: EntityPlan) -> set[str]:
    """The attributes of index keys that are made for it; those of older versions go, if this one has none."""
    fields = {field.path[0] for field in plan.fields.values()}
    table = {key.name for key in (plan.table.pk, plan.table.sk) if key is not None}
    return {a.name for index in plan.table.indexes.values() for a in index.attributes} - fields - table


def _markers_before(plan: EntityPlan, old: Item) -> dict[str, Item | None]:
    """The unique values that the older item holds, where it has them as the current ones have."""
    try:
        return markers.stored_markers(plan, old)
    except DecodeError:
        return {}


def as_read(plan: EntityPlan, item: Item) -> list[ast.Condition]:
    """An item is still what was read, attribute by attribute: other code may write it without a version or a time."""
    names, write = plan.names, Write(plan, plan.key_of_item(item))
    if len(item) > _COMPARED:
        return [*write.exactly(item), holds((names.schema,), item.get(names.schema))]
    known = {*item, names.schema, names.updated, names.version} - write.key.keys()
    return [holds((name,), item.get(name)) for name in sorted(known)]
