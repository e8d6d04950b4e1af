"""Where the money of an estimate goes, and what would cost less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.projections import projected_names
from tablewright.compiler.reads import GetPlan, QueryPlan, ReadPlan, indexes_of, parts_of
from tablewright.compiler.selection import UNKNOWN
from tablewright.cost.entities import TABLE, EntityCost
from tablewright.cost.prices import GIGABYTE, MONTH, Prices, deployed_rates
from tablewright.cost.reads import PatternCost
from tablewright.cost.sizes import Sizes
from tablewright.values.sizes import write_units

_SHORT = 2
"""Characters of an attribute's name that was chosen to be short."""
_NOTABLE = 0.2
"""The share of an item from which on the names of its attributes are worth a word."""
_MOST = 0.5
_MUCH = 5
"""How many times what it returns a pattern may read before its filter is worth a word."""


class Share(Struct, frozen=True):
    """What one part of a model costs in a month, on demand, in the table class that it is deployed with."""

    subject: str
    what: str
    """Reads, writes, reads before writes, storage or recovery."""
    month: float


class Saving(Struct, frozen=True):
    """Something that would cost less."""

    kind: str
    subject: str
    text: str
    month: float | None
    """How much less in a month, on demand, at most; None where that cannot be told."""


class Accounts:
    """The bill of a month, by what causes it."""

    def __init__(
        self,
        plan: TablePlan,
        entities: tuple[EntityCost, ...],
        patterns: tuple[PatternCost, ...],
        prices: Prices,
        share: float,
    ) -> None:
        self._plan, self._entities, self._patterns, self._prices, self._share = plan, entities, patterns, prices, share
        self._costs = {cost.name: cost for cost in entities}
        self._rates = deployed_rates(prices, plan.table.deployment)

    def shares(self) -> tuple[Share, ...]:
        """Every part that costs something, the dearest first."""
        found = [
            Share(f"{p.name}()", "reads", self._reads(p.units * p.rate))
            for p in self._patterns
            if p.rate is not None and p.units * p.rate > 0
        ]
        for entity in self._entities:
            before = self._reads(entity.reads * (entity.writes or 0.0))
            found.append(Share(entity.name, "reads before writes", before))
            for place in entity.stored:
                subject = entity.name if place == TABLE else f"{entity.name} on {place}"
                found.append(Share(subject, "writes", self._index_writes(entity, place)))
                found.append(Share(subject, "storage", self._storage(entity, place)))
                found.append(Share(subject, "recovery", self._recovery(entity, place)))
        return tuple(sorted((s for s in found if s.month > 0), key=lambda s: (-s.month, s.subject, s.what)))

    def savings(self) -> tuple[Saving, ...]:
        """What would cost less, the largest saving first."""
        found = [
            *(*self._unread(), *self._idle(), *self._wide(), *self._dense()),
            *(*self._filtered(), *self._long_names(), *self._endless()),
        ]
        return tuple(sorted(found, key=lambda s: (-(s.month or 0.0), s.kind, s.subject)))

    # -------------------------------------------------------------------------------------------------- money

    def _reads(self, units: float) -> float:
        return units * self._share * MONTH / 1e6 * self._rates.reads

    def _writes(self, units: float) -> float:
        return units * self._share * MONTH / 1e6 * self._rates.writes

    def _bytes(self, count: float) -> float:
        return count / GIGABYTE * self._rates.storage

    def _index_writes(self, entity: EntityCost, place: str) -> float:
        units = entity.own.table if place == TABLE else entity.own.indexes.get(place, 0.0)
        return self._writes(units * (entity.writes or 0.0))

    def _storage(self, entity: EntityCost, place: str) -> float:
        return self._bytes(entity.charged(place, self._prices.item_overhead))

    def _recovery(self, entity: EntityCost, place: str) -> float:
        index = self._plan.table.indexes.get(place)
        if self._plan.table.deployment.recovery_days is None or not (index is None or index.local):
            return 0.0
        return entity.charged(place, self._prices.item_overhead) / GIGABYTE * (self._rates.recovery or 0.0)

    def _index_month(self, entity: EntityCost, index: str) -> float:
        return self._index_writes(entity, index) + self._storage(entity, index) + self._recovery(entity, index)

    # ------------------------------------------------------------------------------------------------ savings

    def _readers(self, index: str) -> list[GetPlan | QueryPlan]:
        reads: list[GetPlan | QueryPlan] = []
        for variants in self._plan.patterns.values():
            for plan in variants.values():
                reads += [part for part in parts_of(plan) if part.served.path.index_name == index]
        return reads

    def _bound(self, index: str) -> Iterator[tuple[EntityPlan, EntityCost]]:
        for plan in self._plan.entities.values():
            if index in self._costs[plan.name].copies:
                yield plan, self._costs[plan.name]

    def _unread(self) -> Iterator[Saving]:
        """Indexes that no pattern reads."""
        for name, index in self._plan.table.indexes.items():
            if not self._readers(name):
                month = sum(self._index_month(cost, name) for _, cost in self._bound(name))
                text = "No pattern reads it: drop it, or declare what does."
                if index.local:
                    text = "No pattern reads it. Local indexes stay as long as their table: leave it out of a new one."
                yield Saving("unread-index", name, text, month)

    def _idle(self) -> Iterator[Saving]:
        """Indexes that patterns read of which nobody said that they run, where it was said of others."""
        rates = {p.name: p.rate for p in self._patterns}
        if not any(rates.values()):
            return
        for name, index in self._plan.table.indexes.items():
            readers = [p for p, variants in self._plan.patterns.items() if name in _indexes(variants)]
            if not readers or any(rates[reader] for reader in readers):
                continue
            month = sum(self._index_month(cost, name) for _, cost in self._bound(name))
            called = ", ".join(f"{reader}()" for reader in readers)
            drop = "leave it out of a new table" if index.local else "drop it with them"
            text = f"Nobody says that its readers run: {called}. Say how often they do, or {drop}."
            yield Saving("idle-index", name, text, month)

    def _filtered(self) -> Iterator[Saving]:
        """Patterns that read much more than their filters leave."""
        for cost in self._patterns:
            returned = self._plan.table.expectations.of_pattern(cost.name).results
            filters = [
                condition
                for plan in self._plan.patterns[cost.name].values()
                for part in parts_of(plan)
                if isinstance(part, QueryPlan)
                for condition in part.filters
            ]
            if not filters or returned is None or cost.items <= _MUCH * max(1, returned):
                continue
            fields = ", ".join(dict.fromkeys(leaf.field for condition in filters for leaf in condition.leaves()))
            text = (
                f"It reads {cost.items:,} items for the {returned:,} that its filter leaves: an index with {fields} in its key reads "
                "only those, and costs its own writes and storage (--what-if 'add ...' tells them)."
            )
            spare = cost.units * (1 - returned / cost.items)
            yield Saving(
                "filtered-reads", f"{cost.name}()", text, self._reads(spare * cost.rate) if cost.rate else None
            )

    def _wide(self) -> Iterator[Saving]:
        """Indexes that copy more than anybody reads from them."""
        for name, index in self._plan.table.indexes.items():
            readers = self._readers(name)
            if index.projection != "ALL" or not readers or not all(read.projection for read in readers):
                continue
            wanted = {str(path[0]) for read in readers for path in read.projection}
            keys = {a.name for a in (self._plan.table.pk, self._plan.table.sk, *index.attributes) if a is not None}
            month = 0.0
            for plan, cost in self._bound(name):
                sizes = Sizes(plan, cost.size if cost.size_said else None).attributes
                narrow = min(cost.copies[name], sum(sizes.get(n, 0) for n in wanted | keys))
                units = (write_units(cost.copies[name]) - write_units(narrow)) * cost.taken.get(name, 1.0)
                month += self._writes(units * (cost.writes or 0.0))
                month += self._bytes((cost.copies[name] - narrow) * cost.records[name])
            more = sorted(wanted - keys)
            shown = f"projection=[{', '.join(repr(n) for n in more)}]" if more else 'projection="KEYS_ONLY"'
            new = (
                "in a new table, since local indexes stay as they are" if index.local else "of a new index in its place"
            )
            text = f"Its readers take little of what it copies: {shown} is enough, {new}."
            yield Saving("wide-projection", name, text, month)

    def _dense(self) -> Iterator[Saving]:
        """Indexes whose readers only ever ask for one value of a field, and which hold the items with the others too."""
        for name in self._plan.table.indexes:
            for plan, cost in self._bound(name):
                binding = next(b for b in plan.bindings if b.index.name == name)
                reads = [read for read in self._readers(name) if read.plan is plan]
                if binding.condition is not None or not binding.made or not reads:
                    continue
                constants = [
                    {f: s.constant for f, s in read.served.known.items() if s.constant is not UNKNOWN} for read in reads
                ]
                for field in sorted(set.intersection(*(set(one) for one in constants)) & plan.fields.keys()):
                    values = {repr(one[field]) for one in constants}
                    if len(values) > 1:
                        continue
                    distinct = self._plan.table.expectations.of_field(plan.entity, field).distinct
                    month = self._index_month(cost, name) * (1 - 1 / distinct) if distinct else None
                    text = (
                        f"Its readers only ask for {field} == {values.pop()}: a sparse index holds no more than that."
                    )
                    yield Saving("dense-index", f"{plan.name} on {name}", text, month)

    def _long_names(self) -> Iterator[Saving]:
        for plan in self._plan.entities.values():
            cost = self._costs[plan.name]
            keys = {key.attribute.name for binding in plan.bindings for key in binding.keys} | set(_own_keys(plan))
            paths = {f.path[0] for f in plan.fields.values()} - keys
            spare = {path: len(path) - _SHORT for path in paths if len(path) > _SHORT}
            if sum(spare.values()) < _NOTABLE * cost.size or not cost.items:
                continue
            copied = [TABLE, *(b.index.name for b in plan.bindings if projected_names(plan.table, b.index) is None)]
            saved = sum(spare.values())
            units = write_units(cost.size) - write_units(max(1, cost.size - saved))
            written = units * (cost.writes or 0.0) * sum(cost.taken.get(place, 1.0) for place in copied)
            month = self._writes(written) + len(copied) * self._bytes(saved * cost.items)
            text = f"Names of attributes are {saved / cost.size:.0%} of an item: stored={{...}} gives them short ones."
            yield Saving("long-names", plan.name, text, month)

    def _endless(self) -> Iterator[Saving]:
        """The bulk of what is stored, where it never expires."""
        whole = sum(sum(self._storage(e, place) for place in e.stored) for e in self._entities)
        for plan in self._plan.entities.values():
            cost = self._costs[plan.name]
            month = sum(self._storage(cost, place) for place in cost.stored)
            if whole and month > _MOST * whole and plan.options.ttl is None:
                text = f"It is {month / whole:.0%} of what is stored, and never expires: ttl= or an archive keeps it small."
                yield Saving("never-expires", plan.name, text, None)


def _indexes(variants: Mapping[tuple[object, ...], ReadPlan]) -> set[str | None]:
    return {name for plan in variants.values() for name in indexes_of(plan)}


def _own_keys(plan: EntityPlan) -> list[str]:
    return [plan.pk.attribute.name, *([plan.sk.attribute.name] if plan.sk is not None else [])]
