"""What writing and keeping one entity costs: each kind of write with its index copies and markers, and the bytes stored."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from tablewright.compiler.changes import ChangeSummary
from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.cost.sizes import Sizes
from tablewright.cost.writes import Units
from tablewright.model.expectations import ItemsExpected
from tablewright.values.sizes import write_units


class EntityCost(Struct, frozen=True):
    """What one entity costs."""

    name: str
    items: int | None
    """How many are expected; None if nobody said it."""
    size: int
    """Bytes of a usual item."""
    size_said: bool
    """Whether that was said, or follows from the types of the fields."""
    copies: Mapping[str, int]
    """Bytes of its copy in each index."""
    create: Units
    update: Units
    """Of a write that changes no key."""
    delete: Units
    changes: Mapping[str, Units] = field(default_factory=dict)
    """Of each declared change, at worst."""
    writes: float | None = None
    """Expected in a second, at the peak."""
    stored: Mapping[str, int] = field(default_factory=dict)
    """Bytes in the table, with markers, and in each index; without what is charged for every item."""
    records: Mapping[str, int] = field(default_factory=dict)
    """How many items there are in the table, with markers, and in each index."""


TABLE = "the table"
"""Stands for the table among the names of indexes, which hold no space."""


def entity_cost(plan: EntityPlan, expected: ItemsExpected, changes: Mapping[str, ChangeSummary]) -> EntityCost:
    """The cost of an entity; `changes` are those that are declared for it."""
    sizes = Sizes(plan, expected.size)
    copies = {b.index.name: sizes.copy(b) for b in plan.bindings}
    together = bool(plan.uniques) or plan.mirrored
    markers = sum(write_units(sizes.marker(u), transactional=True) for u in plan.uniques)
    whole = Units(
        write_units(sizes.item, together) + markers, {name: write_units(size) for name, size in copies.items()}
    )
    kept = {b.index.name: write_units(copies[b.index.name]) for b in plan.bindings if b.index.projection != "KEYS_ONLY"}
    mirrored = 2 if plan.mirrored else 1
    items = expected.items or 0
    held = {name: expected.indexed.get(name, items) for name in copies}
    return EntityCost(
        name=plan.name,
        items=expected.items,
        size=sizes.item,
        size_said=expected.size is not None,
        copies=copies,
        create=_times(mirrored, whole),
        update=_times(mirrored, Units(write_units(sizes.item, plan.mirrored), kept)),
        delete=_times(mirrored, whole),
        changes={n: _times(mirrored, _change_cost(plan, sizes, copies, c)) for n, c in changes.items()},
        writes=expected.writes,
        stored={
            TABLE: items * (sizes.item + sum(sizes.marker(u) for u in plan.uniques)),
            **{name: held[name] * size for name, size in copies.items()},
        },
        records={TABLE: items * (1 + len(plan.uniques)), **held},
    )


def _change_cost(plan: EntityPlan, sizes: Sizes, copies: Mapping[str, int], change: ChangeSummary) -> Units:
    """The worst case of a change: every key that can move does."""
    moved = [u for u in plan.uniques if u.fields & change.fields]
    markers = sum(2 * write_units(sizes.marker(u), transactional=True) for u in moved)
    indexes = {b.index.name: _touched(plan, b, change) * write_units(copies[b.index.name]) for b in plan.bindings}
    own = write_units(sizes.item, transactional=bool(moved) or plan.mirrored)
    return Units(own + markers, {name: units for name, units in indexes.items() if units})


def _touched(plan: EntityPlan, binding: IndexBinding, change: ChangeSummary) -> int:
    """How many writes an index needs: two where the key moves, one where something that it copies changes."""
    if binding.sources & change.fields:
        return 2
    written = {plan.fields[name].path[0] for name in change.fields}
    if plan.options.timestamps:
        written.add(plan.names.updated)
    if plan.options.version:
        written.add(plan.names.version)
    return int(binding.index.projection == "ALL" or not written.isdisjoint(binding.index.include))


def _times(factor: int, units: Units) -> Units:
    return units if factor == 1 else Units(units.table * factor, {n: u * factor for n, u in units.indexes.items()})
