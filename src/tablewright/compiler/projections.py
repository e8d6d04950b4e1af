"""What the items of an index hold, and what a read of them would miss."""

from __future__ import annotations

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.paths import KeyPath

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


def missing_attributes(path: KeyPath) -> list[str]:
    """What a whole entity needs and this index does not project: fields, its version and its time stamps."""
    plan, index = path.plan, path.index
    if index is None or index.projection == "ALL":
        return []
    keys = (*path.pk, *path.sk, *(k for k in (plan.pk, plan.sk) if k is not None))
    held = {k.attribute.name for k in keys} | set(index.include)
    wanted = {f.path[0] for f in plan.fields.values()}
    if plan.options.version:
        wanted.add(plan.names.version)
    if plan.options.timestamps:
        wanted |= {plan.names.created, plan.names.updated}
    return sorted(wanted - held)


def held_fields(path: KeyPath) -> frozenset[str]:
    """What a read through this key finds in the items: fields that are stored there, or part of a key that is, and STAMPS."""
    plan, index = path.plan, path.index
    if index is None or index.projection == "ALL":
        return frozenset((*plan.fields, STAMPS))
    table_keys = [k for k in (plan.pk, plan.sk) if k is not None]
    names = {k.attribute.name for k in (*path.pk, *path.sk, *table_keys)} | set(index.include)
    stored = {f.name for f in plan.fields.values() if f.path[0] in names}
    if names.issuperset(stamp_attributes(plan)):
        stored.add(STAMPS)
    return frozenset(stored | {n for k in (*path.pk, *path.sk, *table_keys) for n in k.fields})
