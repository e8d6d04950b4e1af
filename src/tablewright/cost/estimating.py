"""What a month of a model's use costs, from what is expected of it; with everything that was taken for granted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec import Struct

from tablewright.compiler.plan import TablePlan
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


def estimate(table: Planned, prices: Prices | None = None, *, share: float = 1.0) -> Estimate:
    """What a month of the model's use costs. `share` is how much of the peak rates the whole month sees on average."""
    if not 0 <= share <= 1:
        raise ArgumentError("The share of the peak is a number from 0 to 1.")
    prices, plan = prices or load_prices(), table.plan
    said = plan.table.expectations
    sizes = {entity: Sizes(p, said.of(entity).size) for entity, p in plan.entities.items()}
    entities = tuple(entity_cost(plan, p) for p in plan.entities.values())
    patterns = tuple(pattern_cost(name, variants, sizes, said) for name, variants in plan.patterns.items())
    reads = _sums((p.index or TABLE, p.units * (p.rate or 0.0)) for p in patterns)
    writes = _sums(
        (name, units * (e.writes or 0.0))
        for e in entities
        for name, units in ((TABLE, e.own.table), *e.own.indexes.items())
    )
    stored = sum(e.charged(place, prices.item_overhead) for e in entities for place in e.stored)
    local = {i.name for i in plan.table.indexes.values() if i.local}
    kept = {"stored": stored, "recoverable": _recoverable(plan, entities, prices, local)}
    offers: list[Offer] = []
    for name, rates in prices.classes.items():
        month = {"reads": sum(reads.values()) * share * MONTH, "writes": sum(writes.values()) * share * MONTH}
        offers.append(Offer(name, "on-demand", on_demand(rates, **kept, **month)))
        places = [TABLE, *(i for i in plan.table.indexes if i not in local)]
        ready = {
            "reads": _capacity(reads, places, local),
            "writes": _capacity(writes, places, local),
        }
        offers.append(Offer(name, "provisioned", provisioned(rates, **kept, **ready)))
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
        stored=stored,
        offers=tuple(sorted(offers, key=lambda o: (o.bill.total, o.mode, o.table_class))),
        shares=accounts.shares(),
        savings=accounts.savings(),
        assumptions=tuple(_assumptions(plan, entities, patterns, prices, share)),
    )


def _recoverable(plan: TablePlan, entities: tuple[EntityCost, ...], prices: Prices, local: set[str]) -> int:
    """Bytes that recovery to a point in time is paid for: those of the table and of its local indexes."""
    if plan.table.deployment.recovery_days is None:
        return 0
    return sum(
        e.charged(place, prices.item_overhead)
        for e in entities
        for place in e.stored
        if place == TABLE or place in local
    )


def _sums(figures: Iterable[tuple[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for name, value in figures:
        sums[name] = sums.get(name, 0.0) + value
    return sums


def enough(rate: float, target: float = UTILISATION) -> int:
    """Units to keep ready for so many a second, of which a share is used."""
    return max(1, math.ceil(round(rate / target, 6)))


def _capacity(units: Mapping[str, float], places: list[str], local: set[str]) -> int:
    """Units to provision: each place for its own peak, and at least one; a local index lives on the table's."""
    total = 0
    for place in places:
        peak = units.get(place, 0.0) + (sum(units.get(name, 0.0) for name in local) if place == TABLE else 0.0)
        total += enough(peak)
    return total


def _assumptions(
    plan: TablePlan,
    entities: tuple[EntityCost, ...],
    patterns: tuple[PatternCost, ...],
    prices: Prices,
    share: float,
) -> list[str]:
    found = [
        f"Prices are those of {prices.region} since {prices.since}, without taxes and without the free tier.",
        f"The whole month sees {share:.0%} of the rates that were said for the peak."
        if share < 1
        else "The whole month is as busy as its peak; say a share of it if it is not.",
        "Every write costs what a create does: a change of an index key costs more, see the declared changes.",
        "Optional fields are there, and every write is one in each index that the item can be in.",
        f"Provisioned capacity is used to {UTILISATION:.0%} at the peak, and does not scale.",
        "Backups on demand, streams, transfer, and reads before writes are not counted.",
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
