"""Capacity that was consumed, held against what is paid for: what a month costs now, what it could cost, and how.

What is stored costs the same in any mode, so that only reads and writes are counted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from tablewright.cost.entities import TABLE
from tablewright.cost.estimating import Planned, enough
from tablewright.cost.prices import (
    MONTH,
    Prices,
    Rates,
    deployed_class,
    deployed_rates,
    load_prices,
    on_demand,
    provisioned,
)
from tablewright.cost.scaling import Policy, Scaled, deployed_policy, follow
from tablewright.errors import ArgumentError
from tablewright.model.deployment import Deployment, Provisioned
from tablewright.model.entity import did_you_mean

_WORTH = 0.05
"""From which share of the cost on a saving is worth a change."""
_MINUTE = 60
_UNEVEN = 4
"""From how many times the average on a peak makes a load uneven, which scaling follows too late."""


class Consumed(Struct, frozen=True):
    """Units that the table or a global index consumed, in periods of the same length: what CloudWatch's sums are."""

    place: str
    """The name of a global index, or `tablewright.cost.entities.TABLE`."""
    seconds: int
    """How long a period is."""
    reads: tuple[float, ...]
    writes: tuple[float, ...]


class Use(Struct, frozen=True):
    """Reads or writes of one place, in units a second."""

    average: float
    peak: float
    """The most of all periods."""
    provisioned: int | None
    """What is kept ready; None where each request is paid for."""
    wanted: int
    """What would be enough for the peak, used to seven tenths."""

    @property
    def share(self) -> float | None:
        """How much of what is kept ready is used on average."""
        return None if self.provisioned is None else self.average / self.provisioned


class PlaceUse(Struct, frozen=True):
    """The table or a global index."""

    place: str
    reads: Use
    writes: Use


class CapacityAdvice(Struct, frozen=True):
    """What a month of reads and writes costs, and what it could cost."""

    table: str
    currency: str
    mode: str
    """How it is paid for now: on-demand, provisioned, or scaled."""
    now: float
    recommended_mode: str
    recommended: float
    saved: float
    places: tuple[PlaceUse, ...]
    modes: dict[str, float]
    """What each mode would cost: on-demand, provisioned for the peak, and scaled with the load."""
    notes: tuple[str, ...]


def advise_capacity(table: Planned, consumed: Iterable[Consumed], prices: Prices | None = None) -> CapacityAdvice:
    """Compares what was consumed with what the model's deployment pays for."""
    model = table.plan.table
    known = [i.name for i in model.indexes.values() if not i.local]
    return advise_places(model.label, known, model.deployment, consumed, prices)


def advise_places(
    label: str,
    known: Sequence[str],
    deployment: Deployment,
    consumed: Iterable[Consumed],
    prices: Prices | None = None,
) -> CapacityAdvice:
    """The same for a table that need not have a model; `known` are its global indexes."""
    prices, measured = prices or load_prices(), list(consumed)
    for one in measured:
        if one.place != TABLE and one.place not in known:
            raise ArgumentError(f"{label} has no global index {one.place!r}.{did_you_mean(one.place, known)}")
        if one.seconds < 1 or not one.reads or len(one.reads) != len(one.writes):
            raise ArgumentError(f"What {one.place} consumed has no periods, or not the same for reads and writes.")
    if not measured:
        raise ArgumentError("Nothing is said to be consumed.", hint="Give the sums of CloudWatch, of a week or more.")
    billing = deployment.billing
    rates = deployed_rates(prices, deployment)
    places = tuple(_place(one, billing if isinstance(billing, Provisioned) else None) for one in measured)
    modes = {
        "on-demand": sum(_on_demand(one, rates) for one in measured),
        "provisioned": sum(_kept(p.reads.wanted, p.writes.wanted, rates) for p in places),
        "scaled": sum(_scaled(one, rates, None) for one in measured),
    }
    if isinstance(billing, Provisioned):
        mode = "scaled" if (billing.max_read or billing.max_write) else "provisioned"
        now = sum(_scaled(one, rates, billing.of(one.place)) for one in measured)
    else:
        mode, now = "on-demand", modes["on-demand"]
    uneven = any(_late(one, place) for one, place in zip(measured, places, strict=True))
    open_to = [name for name in modes if name != "scaled" or not uneven]
    best = min(open_to, key=lambda name: (modes[name], name))
    if modes[best] > now * (1 - _WORTH):
        best, recommended = mode, now
    else:
        recommended = modes[best]
    return CapacityAdvice(
        table=label,
        currency=prices.currency,
        mode=mode,
        now=now,
        recommended_mode=best,
        recommended=recommended,
        saved=now - recommended,
        places=places,
        modes=modes,
        notes=(
            *_unpriced(deployment, prices),
            *_unmeasured((TABLE, *known), places),
            *_notes(places, measured, uneven=uneven),
        ),
    )


def _late(one: Consumed, place: PlaceUse) -> bool:
    """Whether scaling comes too late. Minutes show it; of longer periods, their peaks tell."""
    if one.seconds == _MINUTE:
        return _followed(one, Policy()).throttled > 0
    return any(use.peak > _UNEVEN * use.average for use in (place.reads, place.writes) if use.average)


def _followed(one: Consumed, policy: Policy) -> Scaled:
    return follow([u / _MINUTE for u in one.reads], [u / _MINUTE for u in one.writes], policy)


def _place(one: Consumed, billing: Provisioned | None) -> PlaceUse:
    own = None if billing is None else billing.of(one.place)
    return PlaceUse(
        one.place,
        _use(one.reads, one.seconds, None if own is None else own.read),
        _use(one.writes, one.seconds, None if own is None else own.write),
    )


def _use(units: Sequence[float], seconds: int, provisioned: int | None) -> Use:
    peak = max(units) / seconds
    return Use(sum(units) / len(units) / seconds, peak, provisioned, enough(peak))


def _on_demand(one: Consumed, rates: Rates) -> float:
    month = MONTH / (one.seconds * len(one.reads))
    return on_demand(rates, reads=sum(one.reads) * month, writes=sum(one.writes) * month, stored=0.0).total


def _kept(reads: float, writes: float, rates: Rates) -> float:
    return provisioned(rates, reads=reads, writes=writes, stored=0.0).total


def _scaled(one: Consumed, rates: Rates, billing: Provisioned | None) -> float:
    """What is kept ready on average where it follows the load; with a deployment, as that says. Minutes are followed as
    DynamoDB does; of longer periods, each has what it needs."""
    policy = Policy() if billing is None else deployed_policy(billing)
    if one.seconds == _MINUTE:
        run = _followed(one, policy)
        return _kept(run.reads.average, run.writes.average, rates)
    kept = []
    for units, limits in ((one.reads, policy.reads), (one.writes, policy.writes)):
        kept.append(sum(limits.within(enough(u / one.seconds, policy.target)) for u in units) / len(units))
    return _kept(kept[0], kept[1], rates)


def _unpriced(deployment: Deployment, prices: Prices) -> list[str]:
    own = deployed_class(deployment)
    return [] if own in prices.classes else [f"The table class {own} has no prices here: those of another were taken."]


def _unmeasured(known: Sequence[str], places: Sequence[PlaceUse]) -> list[str]:
    missing = [name for name in known if name not in {place.place for place in places}]
    return [f"Nothing was said of {', '.join(missing)}, which is not counted."] if missing else []


def _notes(places: Sequence[PlaceUse], measured: Sequence[Consumed], *, uneven: bool) -> list[str]:
    found = []
    for place in places:
        for what, use in (("reads", place.reads), ("writes", place.writes)):
            if use.provisioned is not None and use.peak > use.provisioned:
                found.append(
                    f"{place.place}: the peak of {what} is above what is provisioned; what was refused is not counted."
                )
    if uneven:
        found.append("The load is uneven, so that scaling would come too late for its peaks.")
    days = min(one.seconds * len(one.reads) for one in measured) / 86_400
    if days < 7:
        found.append(f"Only {days:.1f} days were looked at; a week shows more.")
    longest = max(one.seconds for one in measured)
    if longest > 300:
        found.append(f"Peaks are averages of {longest / 60:.0f} minutes; shorter ones were higher.")
    return found


def shown_capacity(advice: CapacityAdvice) -> str:
    """The advice as lines of text."""
    lines = [f"{advice.table}: {advice.mode}, {advice.now:,.2f} {advice.currency} a month for reads and writes"]
    for place in advice.places:
        for what, use in (("reads", place.reads), ("writes", place.writes)):
            kept = ""
            if use.provisioned is not None and use.share is not None:
                kept = f", of {use.provisioned:,} provisioned ({use.share:.0%} used)"
            lines.append(f"  {place.place}: {what} {use.average:,.1f} a second, {use.peak:,.1f} at the peak{kept}")
    lines += [f"  {mode}: {month:,.2f}" for mode, month in sorted(advice.modes.items(), key=lambda m: m[1])]
    if advice.saved:
        said = (
            f"Recommended: {advice.recommended_mode}, {advice.recommended:,.2f} a month; it saves {advice.saved:,.2f}."
        )
        lines.append(said)
        if advice.recommended_mode == "provisioned":
            wanted = [f"{p.place} {p.reads.wanted:,} and {p.writes.wanted:,}" for p in advice.places]
            lines.append(f"  Read and write units: {', '.join(wanted)}.")
    else:
        lines.append("Recommended: leave it as it is.")
    return "\n".join([*lines, *(f"  - {note}" for note in advice.notes)])
