"""What a month of a model's use costs, from what is expected of it; with everything that was taken for granted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
from tablewright.cost.beside import NOTHING, Beside, Replicated, Volume, beside_notes, with_beside
from tablewright.cost.entities import TABLE, EntityCost, entity_cost
from tablewright.cost.prices import MONTH, Bill, Prices, deployed_class, load_prices, on_demand, provisioned
from tablewright.cost.reads import PatternCost, pattern_cost
from tablewright.cost.savings import Accounts, Saving, Share
from tablewright.cost.sizes import ELEMENTS, TEXT, Sizes
from tablewright.errors import ArgumentError

UTILISATION = 0.7
"""The share of provisioned capacity that should be used at the peak."""


class Planned(Protocol):
    """A table with its plan."""

    plan: TablePlan


class Offer(Struct, frozen=True):
    """One way to pay for a month."""

    table_class: str
    mode: str
    bill: Bill


class Estimate(Struct, frozen=True):
    """What a model costs."""

    table: str
    region: str
    since: str
    currency: str
    entities: tuple[EntityCost, ...]
    patterns: tuple[PatternCost, ...]
    reads: Mapping[str, float]
    """Read units in a second at the peak, of the table and of each index."""
    writes: Mapping[str, float]
    """Write units in a second at the peak, of the table and of each index."""
    stored: int
    """Bytes that are paid for, with what is charged for every item."""
    offers: tuple[Offer, ...]
    """Every table class and mode, the cheapest first."""
    shares: tuple[Share, ...]
    """What causes the cost on demand, the dearest first."""
    savings: tuple[Saving, ...]
    """What would cost less, the largest saving first."""
    assumptions: tuple[str, ...]

    def bill(self, mode: str = "on-demand", table_class: str = "standard") -> Bill:
        """What it costs in this mode and table class."""
        for offer in self.offers:
            if (offer.mode, offer.table_class) == (mode, table_class):
                return offer.bill
        known = ", ".join(sorted(f"{o.mode} {o.table_class}" for o in self.offers))
        raise ArgumentError(f"There is no price for {mode} {table_class}.", hint=f"There are: {known}.")


def estimate(
    table: Planned,
    prices: Prices | None = None,
    *,
    share: float = 1.0,
    beside: Beside = NOTHING,
    held: Mapping[str, Mapping[str, float]] | None = None,
) -> Estimate:
    """What a month of the model's use costs. `share` is how much of the peak rates the whole month sees on average,
    `beside` what is used beside the table, such as backups. `held` says of an entity which share of it an index holds,
    where the model does not: `{"Order": {"GSI2": 0.05}}`."""
    if not 0 <= share <= 1:
        raise ArgumentError("The share of the peak is a number from 0 to 1.")
    prices, plan = prices or load_prices(), table.plan
    said = plan.table.expectations
    sizes = {entity: Sizes(p, said.of(entity).size) for entity, p in plan.entities.items()}
    entities = tuple(entity_cost(plan, p, (held or {}).get(p.name)) for p in plan.entities.values())
    patterns = tuple(pattern_cost(name, variants, sizes, said) for name, variants in plan.patterns.items())
    reads = _sums(
        (
            *((p.index or TABLE, p.units * (p.rate or 0.0)) for p in patterns),
            *((TABLE, e.reads * (e.writes or 0.0)) for e in entities if e.reads),
        )
    )
    writes = _sums(
        (name, units * (e.writes or 0.0))
        for e in entities
        for name, units in ((TABLE, e.own.table), *e.own.indexes.items())
    )
    local = {i.name for i in plan.table.indexes.values() if i.local}
    volume = _volume(plan, entities, prices, local, share, (reads, writes))
    kept = {"stored": volume.stored, "recoverable": volume.recoverable}
    offers: list[Offer] = []
    for name, rates in prices.classes.items():
        month = {"reads": sum(reads.values()) * share * MONTH, "writes": sum(writes.values()) * share * MONTH}
        bill = with_beside(on_demand(rates, **kept, **month), beside, volume, rates, prices, None)
        offers.append(Offer(name, "on-demand", bill))
        ready_reads, ready_writes = (capacity(plan, units) for units in (reads, writes))
        bill = provisioned(rates, **kept, reads=sum(ready_reads.values()), writes=sum(ready_writes.values()))
        own = Replicated(ready_writes[TABLE], sum(ready_writes.values()) - ready_writes[TABLE])
        offers.append(Offer(name, "provisioned", with_beside(bill, beside, volume, rates, prices, own)))
    accounts = Accounts(plan, entities, patterns, prices, share)
    return Estimate(
        table=plan.table.label,
        region=prices.region,
        since=prices.since,
        currency=prices.currency,
        entities=entities,
        patterns=patterns,
        reads=reads,
        writes=writes,
        stored=volume.stored,
        offers=tuple(sorted(offers, key=lambda o: (o.bill.total, o.mode, o.table_class))),
        shares=accounts.shares(),
        savings=accounts.savings(),
        assumptions=(
            *_assumptions(plan, entities, patterns, prices, share),
            *beside_notes(beside, volume, prices, streamed=plan.table.stream is not None),
            *_uncounted(beside, observed=any(e.taken for e in entities)),
        ),
    )


def _volume(
    plan: TablePlan,
    entities: tuple[EntityCost, ...],
    prices: Prices,
    local: set[str],
    share: float,
    rates: tuple[Mapping[str, float], Mapping[str, float]],
) -> Volume:
    """What the table holds, and what happens to it on average. Recovery and backups are of the table and its local indexes."""
    held = _sums((place, e.charged(place, prices.item_overhead)) for e in entities for place in e.stored)
    own = round(sum(size for place, size in held.items() if place == TABLE or place in local))
    return Volume(
        peak=(rates[0].get(TABLE, 0.0), rates[1].get(TABLE, 0.0)),
        changes=sum((e.writes or 0.0) * (1 + len(plan.of(t).uniques)) for t, e in _paired(plan, entities)) * share,
        captured=sum((e.writes or 0.0) * e.captured for e in entities) * share,
        copied=sum(units for place, units in rates[1].items() if place != TABLE) * share,
        table=own,
        stored=round(sum(held.values())),
        recoverable=0 if plan.table.deployment.recovery_days is None else own,
    )


def _paired(plan: TablePlan, entities: tuple[EntityCost, ...]) -> Iterable[tuple[Any, EntityCost]]:
    return zip(plan.entities, entities, strict=True)


def _sums(figures: Iterable[tuple[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, value in figures:
        sums[name] = sums.get(name, 0.0) + value
    return sums


def enough(rate: float, target: float = UTILISATION) -> int:
    """Units to keep ready for so many a second, of which a share is used."""
    return max(1, math.ceil(round(rate / target, 6)))


def peaks(plan: TablePlan, units: Mapping[str, float]) -> dict[str, float]:
    """Units a second by what has capacity of its own: the table, and each global index; a local one lives on the table's."""
    found = {TABLE: 0.0, **{i.name: 0.0 for i in plan.table.indexes.values() if not i.local}}
    for place, rate in units.items():
        found[place if place in found else TABLE] += rate
    return found


def capacity(plan: TablePlan, units: Mapping[str, float]) -> dict[str, int]:
    """Units to provision: each place for its own peak, and at least one."""
    return {place: enough(rate) for place, rate in peaks(plan, units).items()}


def _uncounted(beside: Beside, *, observed: bool) -> list[str]:
    without = [
        *([] if beside.backups else ["backups on demand"]),
        "transfer",
        *([] if observed else ["reads before writes"]),
    ]
    said = without[0] if len(without) < 2 else f"{', '.join(without[:-1])}, and {without[-1]}"
    return [f"{said[0].upper()}{said[1:]} {'are' if len(without) > 1 else 'is'} not counted."]


AS_CREATES = (
    "Every write costs what a create does, but for changes of which it is said how often they are made: one that moves an index key "
    "costs more there, a delete and an insert.",
    "Optional fields are there, and every write is one in each index that the item can be in.",
)
"""What is assumed of writes as long as nobody observed what they take."""


def how_busy(share: float) -> str:
    """What is assumed of a month beside its peak."""
    if share < 1:
        return f"The whole month sees {share:.0%} of the rates that were said for the peak."
    return "The whole month is as busy as its peak; say a share of it if it is not."


def _assumptions(
    plan: TablePlan,
    entities: tuple[EntityCost, ...],
    patterns: tuple[PatternCost, ...],
    prices: Prices,
    share: float,
) -> list[str]:
    found = [
        f"Prices are those of {prices.region} since {prices.since}, without taxes and without the free tier.",
        how_busy(share),
        *([] if any(e.taken for e in entities) else AS_CREATES),
        f"Provisioned capacity is used to {UTILISATION:.0%} at the peak, and does not scale.",
    ]
    if plan.table.deployment.recovery_days is not None and any(r.recovery is None for r in prices.classes.values()):
        found.append("Recovery to a point in time is switched on and not counted where these prices name none for it.")
    deployed = deployed_class(plan.table.deployment)
    if deployed not in prices.classes:
        found.append(
            f"The table class {deployed} has no prices here, and what causes the cost goes by those of another."
        )
    if prices.item_overhead:
        found.append(f"{prices.item_overhead} bytes are charged for every item beside its own, in each index as well.")
    guessed = [e.name for e in entities if not e.size_said]
    if guessed:
        found.append(
            f"Sizes that nobody said follow from the fields, with texts of {TEXT} characters and lists of {ELEMENTS}: "
            f"{', '.join(guessed)}."
        )
    for what, names in (
        ("items", [e.name for e in entities if e.items is None]),
        ("writes", [e.name for e in entities if e.writes is None]),
        ("rate", [f"{p.name}()" for p in patterns if p.rate is None]),
    ):
        if names:
            found.append(f"Counted as none, since nobody said {what}: {', '.join(names)}.")
    found += [f"{p.name}(): {note}." for p in patterns for note in p.assumed]
    said = plan.table.expectations
    sparse = [
        f"{p.name} on {b.index.name}"
        for e, p in plan.entities.items()
        for b in p.bindings
        if b.condition is not None and b.index.name not in said.of(e).indexed
    ]
    if sparse:
        found.append(
            "Sparse indexes hold less than is counted here, as long as expect(..., indexed={...}) does not say how much: "
            f"{', '.join(sparse)}."
        )
    return found
