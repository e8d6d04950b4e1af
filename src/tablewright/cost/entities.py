"""What writing and keeping one entity costs: each kind of write with its index copies and markers, and the bytes stored."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import reduce
from operator import add

from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.compiler.changes import ChangeSummary
from tablewright.compiler.entity_plan import EntityPlan, IndexBinding
from tablewright.compiler.plan import TablePlan
from tablewright.cost.sizes import Sizes
from tablewright.cost.writes import Units
from tablewright.model.change import Assign
from tablewright.model.entity import Entity
from tablewright.model.expectations import ItemsExpected
from tablewright.values.sizes import read_units, write_units


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
    """Of the whole request: with the markers of unique values, and with the mirror of a link."""
    update: Units
    """Of a write that changes no key."""
    delete: Units
    own: Units
    """Of a write on average: of a create, of a change of which it was said how often it is made, or as it was observed; without the
    mirror, which is an entity with a cost of its own."""
    changes: Mapping[str, Units] = field(default_factory=dict)
    """Of each declared change, at worst."""
    change_rates: Mapping[str, float] = field(default_factory=dict)
    """How often each is made in a second, at the peak, where that was said; these are among the writes."""
    writes: float | None = None
    """Expected in a second, at the peak; those of a link are those of its mirror as well."""
    stored: Mapping[str, int] = field(default_factory=dict)
    """Bytes in the table, with markers, and in each index; without what is charged for every item."""
    records: Mapping[str, int] = field(default_factory=dict)
    """How many items there are in the table, with markers, and in each index."""
    captured: float = 0.0
    """Kilobytes that a create changes in the table, each item rounded up: what Kinesis and further regions count."""
    taken: Mapping[str, float] = field(default_factory=dict)
    """How many times what a create takes of the table and of each index a write takes of it, where that was observed."""
    reads: float = 0.0
    """Read units that a write takes to know the item, where that was observed."""
    change_reads: Mapping[str, float] = field(default_factory=dict)
    """Read units of each declared change that must know the item first, unless it is given an entity that was read."""

    def charged(self, place: str, overhead: int) -> int:
        """Bytes that are paid for in the table or an index, with what is charged for every item."""
        return self.stored[place] + overhead * self.records[place]


TABLE = "the table"
"""Stands for the table among the names of indexes, which hold no space."""


def entity_cost(plan: TablePlan, entity: EntityPlan, held_shares: Mapping[str, float] | None = None) -> EntityCost:
    """The cost of an entity, from what is expected of it. `held_shares` says of indexes which share of the items, and of the
    writes, they hold; all, if not said."""
    expected = _expected(plan, entity)
    shares = held_shares or {}
    sides = [_Side(side, _expected(plan, side), shares if side is entity else {}) for side in _together(plan, entity)]
    sizes, copies = sides[0].sizes, sides[0].copies
    items = expected.items or 0
    taken = {place: times for place, times in expected.taken.items() if place not in shares}
    held = {
        name: math.ceil(items * shares[name]) if name in shares else expected.indexed.get(name, items)
        for name in copies
    }
    changes = {n: c for n, c in plan.changes.items() if plan.table.changes[n].entity is entity.entity}
    return EntityCost(
        name=entity.name,
        items=expected.items,
        size=sizes.item,
        size_said=expected.size is not None,
        copies=copies,
        create=_sum(side.whole() for side in sides),
        update=_sum(side.kept() for side in sides),
        delete=_sum(side.whole() for side in sides),
        own=_as_taken(_usual(plan, entity, sides[0], expected.writes or 0.0), taken),
        changes={n: _sum(side.changed(c) for side in sides) for n, c in changes.items()},
        change_rates=_rates(plan, entity.entity),
        writes=expected.writes,
        stored={
            TABLE: items * (sizes.item + sum(sizes.marker(u) for u in entity.uniques)),
            **{name: held[name] * size for name, size in copies.items()},
        },
        records={TABLE: items * (1 + len(entity.uniques)), **held},
        captured=write_units(sizes.item) + sum(write_units(sizes.marker(u)) for u in entity.uniques),
        taken=taken,
        reads=expected.reads,
        change_reads={
            n: read_units(sizes.item, consistent=True) for n, c in changes.items() if _must_read(plan, entity, n, c)
        },
    )


def _must_read(plan: TablePlan, entity: EntityPlan, name: str, change: ChangeSummary) -> bool:
    """Whether a change needs something that neither it nor the key of the item says: the rest of an index key that moves, or
    a unique value that is given up."""
    if entity.unique_fields & change.fields:
        return True
    variants = plan.table.changes[name].variants.values()
    given = [{str(a.path[0]) for a in v.actions if isinstance(a, Assign) and len(a.path) == 1} for v in variants]
    known = set.intersection(*given) | entity.key_fields if given else entity.key_fields
    return any(b.made and b.sources & change.fields and not b.sources <= known for b in entity.bindings)


def _as_taken(units: Units, taken: Mapping[str, float]) -> Units:
    """What a write takes where a create takes these units; what was not observed is a create."""
    indexes = {name: n * taken.get(name, 1.0) for name, n in units.indexes.items()}
    return Units(units.table * taken.get(TABLE, 1.0), {name: n for name, n in indexes.items() if n})


def _together(plan: TablePlan, entity: EntityPlan) -> list[EntityPlan]:
    """An entity, and its mirror if it has one, which is written in the same transaction."""
    other = plan.table.mirrors.get(entity.entity)
    return [entity] if other is None else [entity, plan.of(other)]


def _expected(plan: TablePlan, entity: EntityPlan) -> ItemsExpected:
    """What is expected of an entity. There are as many links as mirrors, whichever of them was spoken of."""
    own, *others = (plan.table.expectations.of(side.entity) for side in _together(plan, entity))
    changed = sum(plan.table.expectations.changed(side.entity) for side in _together(plan, entity))
    for other in others:
        rates = [rate for rate in (own.writes, other.writes, changed or None) if rate is not None]
        own = replace(own, items=other.items if own.items is None else own.items, writes=max(rates, default=None))
    return own


def _rates(plan: TablePlan, entity: type[Entity]) -> dict[str, float]:
    """How often each declared change of an entity is made, where that was said."""
    said = {name: plan.table.expectations.of_change(entity, name).rate for name in plan.changes}
    return {name: rate for name, rate in said.items() if rate is not None}


def _usual(plan: TablePlan, entity: EntityPlan, side: _Side, writes: float) -> Units:
    """A write on average. Changes of which it was said how often they are made cost what they do at worst; any other write costs
    what a create does."""
    rates = {n: r for one in _together(plan, entity) for n, r in _rates(plan, one.entity).items() if r}
    if not rates:
        return side.whole()
    shares = [(side.changed(plan.changes[name]), rate / writes) for name, rate in rates.items()]
    shares.append((side.whole(), max(0.0, 1 - sum(rates.values()) / writes)))
    return _sum(
        Units(units.table * share, {name: n * share for name, n in units.indexes.items()})
        for units, share in shares
        if share
    )


class _Side:
    """One item that a write concerns: the entity's own, or its mirror."""

    def __init__(self, plan: EntityPlan, expected: ItemsExpected, held: Mapping[str, float]) -> None:
        self._plan, self.sizes, self._held = plan, Sizes(plan, expected.size), held
        self.copies = {b.index.name: self.sizes.copy(b) for b in plan.bindings}

    def _copied(self, index: str, times: float = 1) -> float:
        """Units of so many writes of a copy, as often as an index holds one."""
        return times * write_units(self.copies[index]) * self._held.get(index, 1.0)

    def whole(self) -> Units:
        """A create or a delete."""
        together = bool(self._plan.uniques) or self._plan.mirrored
        markers = sum(write_units(self.sizes.marker(u), transactional=True) for u in self._plan.uniques)
        indexes = {name: self._copied(name) for name in self.copies}
        return Units(write_units(self.sizes.item, together) + markers, indexes)

    def kept(self) -> Units:
        """A write that changes no key."""
        copied = [b.index.name for b in self._plan.bindings if b.index.projection != "KEYS_ONLY"]
        return Units(write_units(self.sizes.item, self._plan.mirrored), {name: self._copied(name) for name in copied})

    def changed(self, change: ChangeSummary) -> Units:
        """The worst case of a change: every key that can move does."""
        moved = [u for u in self._plan.uniques if u.fields & change.fields]
        markers = sum(2 * write_units(self.sizes.marker(u), transactional=True) for u in moved)
        touched = {b.index.name: _touched(self._plan, b, change) for b in self._plan.bindings}
        own = write_units(self.sizes.item, transactional=bool(moved) or self._plan.mirrored)
        return Units(own + markers, {name: self._copied(name, n) for name, n in touched.items() if n})


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


def _sum(units: Iterable[Units]) -> Units:
    return reduce(add, units)
