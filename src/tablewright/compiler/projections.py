"""What the items of an index hold, and what a read of them would miss."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from tablewright.compiler.entity_plan import NO_FORM, EntityPlan
from tablewright.compiler.keyfields import KeyFields, key_fields_of
from tablewright.compiler.keys import KeyPlan
from tablewright.compiler.paths import KeyPath
from tablewright.expressions import ast
from tablewright.model.indexes import Index
from tablewright.model.table import TableModel
from tablewright.values.types import Item

STAMPS = "the version and times"
"""What a view with a Stored needs, as messages call it."""


def stamp_attributes(plan: EntityPlan) -> list[str]:
    """The attributes that a Stored is made of."""
    names, options = plan.names, plan.options
    return [
        *([names.version] if options.version else []),
        *([names.created, names.updated] if options.timestamps else []),
        *([names.schema] if options.schema_version is not None else []),
    ]


def projected_names(table: TableModel, index: Index) -> frozenset[str] | None:
    """The attributes that an index copies; None for all."""
    if index.projection == "ALL":
        return None
    keys = [table.pk.name, *([table.sk.name] if table.sk is not None else []), *(a.name for a in index.attributes)]
    return frozenset((*keys, *index.include))


def held_attributes(path: KeyPath) -> frozenset[str] | None:
    """The attributes that a read through this key finds in items; None for all."""
    return None if path.index is None else projected_names(path.plan.table, path.index)


def held_attribute(path: KeyPath, name: str) -> bool:
    """Whether a read through this key can get an attribute; a local index fetches what it lacks."""
    held = held_attributes(path)
    return held is None or name in held or (path.index is not None and path.index.local)


def fetches(path: KeyPath, asked: Iterable[ast.Path]) -> bool:
    """Whether a read of these attributes (all, if none are named) makes a local index ask the table for each item; a global
    one never does."""
    held = held_attributes(path)
    names = frozenset(str(attribute[0]) for attribute in asked)
    return path.index is not None and path.index.local and held is not None and not (names and names <= held)


def missing_attributes(path: KeyPath) -> list[str]:
    """What a whole entity needs and this index does not hold: fields that its keys do not tell, its version and its time
    stamps."""
    plan = path.plan
    held = held_attributes(path)
    if held is None:
        return []
    told = _told(path).keys
    wanted = {f.path[0] for f in plan.fields.values() if f.name not in told}
    if plan.options.version:
        wanted.add(plan.names.version)
    if plan.options.timestamps:
        wanted |= {plan.names.created, plan.names.updated}
    return sorted(wanted - held)


def _keys(path: KeyPath) -> tuple[KeyPlan, ...]:
    plan = path.plan
    return (*path.pk, *path.sk, *(k for k in (plan.pk, plan.sk) if k is not None))


def _told(path: KeyPath) -> KeyFields:
    """The fields that the keys of an item in this index tell."""
    plan = path.plan
    alone = {name: field for name, field in plan.fields.items() if len(field.path) == 1}
    told = key_fields_of(plan.name, plan.fields, _keys(path), plan.key_fields)
    return replace(told, keys={name: key for name, key in told.keys.items() if name in alone})


def completing(plan: EntityPlan, path: KeyPath) -> EntityPlan:
    """The plan of whole entities that are read through this key: where an index does not hold all of them, with what its
    keys tell."""
    index = path.index
    if index is None or index.local or index.projection == "ALL":
        return plan
    told, decode = _told(path), plan.decode

    def decode_completed(item: Item) -> Any:
        return decode(told.completed(item))

    return replace(plan, decode=decode_completed, forms=NO_FORM)


def held_fields(path: KeyPath) -> frozenset[str]:
    """What a read through this key finds in the items: fields that are stored there, or part of a key that is, and STAMPS."""
    plan = path.plan
    names = held_attributes(path)
    if names is None:
        return frozenset((*plan.fields, STAMPS))
    stored = {f.name for f in plan.fields.values() if f.path[0] in names}
    if names.issuperset(stamp_attributes(plan)):
        stored.add(STAMPS)
    return frozenset(stored | {n for k in _keys(path) for n in k.fields})
