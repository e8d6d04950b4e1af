"""Which way to pay suits what was observed: what a month costs now, what it could cost, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from tablewright.cost.capacity import CapacityAdvice, Consumed, advise_places
from tablewright.cost.entities import TABLE
from tablewright.cost.prices import load_prices
from tablewright.model.deployment import Deployment, Provisioned
from tablewright.observe.judging import DAY, HOUR, lasted, money, percent
from tablewright.observe.parting import places_of, shares
from tablewright.observe.recommendation import Observed
from tablewright.observe.snapshot import WEEK, Minute, ReadyUnits, Snapshot
from tablewright.observe.telling import place as called
from tablewright.wording import quantity

IDLE = 0.30
"""The share of what is kept ready below which most of it is paid for nothing."""
STRAINED = 0.80
"""The share above which a little more is throttled."""
LEAST_IDLE, LEAST_STRAINED = DAY, HOUR
"""How long somebody must have looked before either is said: nights are idle everywhere."""
_MINUTE = 60


class KindUse(Struct, frozen=True):
    """Reads or writes of the table and its indexes together, in units a second."""

    average: float
    """Over the whole window."""
    peak: float
    """In its busiest minute."""
    ready: float | None
    """What is provisioned; None where each request is paid for."""

    @property
    def share(self) -> float | None:
        """How much of what is ready is used on average."""
        return self.average / self.ready if self.ready else None

    @property
    def peak_share(self) -> float | None:
        """How much of it is used in the busiest minute."""
        return self.peak / self.ready if self.ready else None


class Tight(Struct, frozen=True):
    """The table, or an index, that uses nearly all that is kept ready for it alone: others cannot lend it what they have."""

    place: str
    kind: str
    """reads or writes."""
    use: KindUse


class CapacityReport(Struct, frozen=True):
    """How a table should be paid for."""

    mode: str
    """How it is paid for now: on-demand, provisioned or unknown."""
    recommended: str
    """on-demand, provisioned, or scaled: provisioned and following the load. What it is now, if nothing is better."""
    reasoning: str
    seconds: float
    """The window: for how long somebody looked, of the last week."""
    reads: KindUse
    writes: KindUse
    currency: str
    monthly: float | None
    """What a month of reads and writes costs as it is; None where it is not known how it is paid for."""
    monthly_recommended: float | None
    ready: tuple[int, int] | None = None
    """Read and write units to keep ready, of the table and its indexes together, where that is recommended."""
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """The same for the table, whose name is empty, and for each global index."""
    notes: tuple[str, ...] = ()
    tight: tuple[Tight, ...] = ()
    """Of a table with indexes: which of them use nearly all of their own, the tightest first."""

    @property
    def savings(self) -> float | None:
        """What a month would save; less than nothing where more capacity is needed."""
        if self.monthly is None or self.monthly_recommended is None:
            return None
        return self.monthly - self.monthly_recommended

    @property
    def idle(self) -> bool:
        """Whether most of what is kept ready is not used, of reads or of writes."""
        return any(use.share is not None and use.share < IDLE for use in (self.reads, self.writes))

    @property
    def strained(self) -> bool:
        """Whether reads or writes use nearly all that is ready, together or for the table or an index alone."""
        return bool(self.tight) or any(
            use.share is not None and use.share > STRAINED for use in (self.reads, self.writes)
        )


def capacity_mode(seen: Observed) -> CapacityReport:
    """How the table should be paid for, by what was observed of the last week at most.

    Reads and writes of the table and of its indexes are taken together, and so is what is kept ready for them; what should be
    ready is told of each, parted as what the requests of the whole time took. What others consumed, whom nobody observed, is not counted. Where the mode is not known, nothing is recommended.
    """
    snapshot, prices = seen.snapshot, seen.prices or load_prices()
    minutes = _window(snapshot)
    known = snapshot.billing.mode in ("on-demand", "provisioned")
    kept = list(snapshot.billing.ready.values()) if snapshot.billing.mode == "provisioned" else []
    reads = _use([m.read_units for m in minutes], sum(r.reads for r in kept) if kept else None)
    writes = _use([m.write_units for m in minutes], sum(r.writes for r in kept) if kept else None)
    seconds = float(len(minutes) * _MINUTE)
    if not known or not minutes or (snapshot.billing.mode == "provisioned" and not kept):
        return CapacityReport(
            mode=snapshot.billing.mode if known else "unknown",
            recommended=snapshot.billing.mode if known else "unknown",
            reasoning=_unknown(known=known, minutes=bool(minutes)),
            seconds=seconds,
            reads=reads,
            writes=writes,
            currency=prices.currency,
            monthly=None,
            monthly_recommended=None,
        )
    places = places_of(seen)
    consumed = _consumed(snapshot, minutes, places)
    advice = advise_places(snapshot.table, places[1:], _paid(seen, places), consumed, prices)
    first = CapacityReport(
        mode=snapshot.billing.mode,
        recommended=advice.recommended_mode,
        reasoning="",
        seconds=seconds,
        reads=reads,
        writes=writes,
        currency=prices.currency,
        monthly=advice.now,
        monthly_recommended=advice.recommended,
        notes=_notes(advice, snapshot),
        tight=_tight(places, advice),
    )
    wanted = zip(places, advice.places, strict=True)
    return _reasoned(first, advice, {name: (place.reads.wanted, place.writes.wanted) for name, place in wanted})


def _window(snapshot: Snapshot) -> list[Minute]:
    """Every minute of the last week in which somebody looked, the idle ones as well; a minute that is seen in part counts
    as far as it is known: with what was consumed in it."""
    numbers = set(snapshot.minutes)
    last = max(
        [int(until // _MINUTE) for _, until in snapshot.spans if math.isfinite(until)] + list(numbers), default=0
    )
    first = last - WEEK + 1
    for since, until in snapshot.spans:
        if math.isfinite(since) and math.isfinite(until):
            numbers.update(range(max(first, math.ceil(since / _MINUTE)), int(until // _MINUTE)))
    return [snapshot.minutes.get(number, Minute()) for number in sorted(numbers) if number >= first]


def _use(units: Sequence[float], ready: float | None) -> KindUse:
    if not units:
        return KindUse(0.0, 0.0, ready)
    return KindUse(sum(units) / len(units) / _MINUTE, max(units) / _MINUTE, ready)


def _consumed(snapshot: Snapshot, minutes: Sequence[Minute], places: list[str]) -> list[Consumed]:
    """What each place consumed in each minute."""
    reads, writes = shares(snapshot, places)
    return [
        Consumed(
            place or TABLE,
            _MINUTE,
            tuple(m.read_units * reads.get(place, 0.0) for m in minutes),
            tuple(m.write_units * writes.get(place, 0.0) for m in minutes),
        )
        for place in places
    ]


def _paid(seen: Observed, places: list[str]) -> Deployment:
    """How the table is paid for now."""
    table_class = "STANDARD" if seen.plan is None else seen.plan.table.deployment.table_class
    if seen.snapshot.billing.mode != "provisioned":
        return Deployment(table_class=table_class)
    own, *others = (_whole(seen.snapshot.billing.ready.get(place)) for place in places)
    indexes = {
        name: Provisioned(read=reads, write=writes) for name, (reads, writes) in zip(places[1:], others, strict=True)
    }
    return Deployment(table_class=table_class, billing=Provisioned(read=own[0], write=own[1], indexes=indexes))


def _whole(ready: ReadyUnits | None) -> tuple[int, int]:
    return (1, 1) if ready is None else (max(1, round(ready.reads)), max(1, round(ready.writes)))


def _reasoned(report: CapacityReport, advice: CapacityAdvice, wanted: Mapping[str, tuple[int, int]]) -> CapacityReport:
    """The report with its reasons. Where what is ready is nearly used up, staying with it is no choice."""
    recommended, monthly = report.recommended, advice.recommended
    if report.strained:
        recommended = min(("on-demand", "provisioned"), key=lambda mode: advice.modes[mode])
        monthly = advice.modes[recommended]
    ready = None
    if recommended == "provisioned":
        ready = sum(reads for reads, _ in wanted.values()), sum(writes for _, writes in wanted.values())
    same = recommended == report.mode and not report.strained and monthly == report.monthly
    use = _told(report)
    if report.strained:
        why = f"{use}. More load would be throttled: {_instead(recommended, ready)} would bear the busiest minute with room to spare."
    elif same:
        why = f"{use}. No other way to pay saves as much as a twentieth."
    else:
        why = f"{use}. {_instead(recommended, ready)[:1].upper()}{_instead(recommended, ready)[1:]} would cost less."
    return CapacityReport(
        mode=report.mode,
        recommended=recommended,
        reasoning=why,
        seconds=report.seconds,
        reads=report.reads,
        writes=report.writes,
        currency=report.currency,
        monthly=report.monthly,
        monthly_recommended=monthly,
        ready=None if same else ready,
        places={} if same or ready is None else wanted,
        notes=report.notes,
        tight=report.tight,
    )


def _tight(places: Sequence[str], advice: CapacityAdvice) -> tuple[Tight, ...]:
    found: list[Tight] = []
    for name, place in zip(places, advice.places, strict=True) if len(places) > 1 else ():
        for kind, use in (("reads", place.reads), ("writes", place.writes)):
            if use.share is not None and use.share > STRAINED:
                found.append(Tight(name, kind, KindUse(use.average, use.peak, use.provisioned)))
    return tuple(sorted(found, key=lambda one: -(one.use.share or 0.0)))


def _told(report: CapacityReport) -> str:
    """How much is used, on average and at the peak, and in which window."""
    parts = []
    for what, use in (("reads", report.reads), ("writes", report.writes)):
        if use.share is None or use.peak_share is None:
            parts.append(
                f"{what} take {quantity(round(use.average, 2))} units a second, {quantity(round(use.peak, 2))} at the peak"
            )
        else:
            parts.append(
                f"{what} use {percent(use.share)} of {quantity(use.ready or 0)} units on average, {percent(use.peak_share)} at the peak"
            )
    alone = [
        f"{one.kind} of {called(one.place)} alone use {percent(one.use.share or 0.0)} of its {quantity(one.use.ready or 0)}"
        for one in report.tight
    ]
    return f"In the {lasted(report.seconds)} observed, {' and '.join(parts)}, which is the busiest minute{''.join(f'; {one}' for one in alone)}"


def _instead(mode: str, ready: tuple[int, int] | None) -> str:
    if ready is not None:
        return f"{quantity(ready[0])} read and {quantity(ready[1])} write units kept ready"
    return "capacity that follows the load" if mode == "scaled" else "on-demand capacity"


def _unknown(*, known: bool, minutes: bool) -> str:
    if not minutes:
        return "Nothing was consumed while somebody looked."
    if not known:
        return "It is not known how the table is paid for, so that nothing is recommended."
    return "It is not known how much capacity is kept ready, so that nothing is recommended."


def _notes(advice: CapacityAdvice, snapshot: Snapshot) -> tuple[str, ...]:
    found = [note for note in advice.notes if note.startswith(("The load", "Only"))]
    if sum(t.unmetered for t in snapshot.traffic):
        found.append("Some answers did not tell what they consumed, and are not counted.")
    return (*found, "What others consumed, whom nobody observed, is not counted.")


def shown_costs(report: CapacityReport) -> str:
    """What a month costs now and then, and what is saved, in words; nothing where it is not known."""
    if report.monthly is None or report.monthly_recommended is None or report.savings is None:
        return ""
    change = "saves" if report.savings >= 0 else "costs"
    return (
        f"A month of reads and writes costs {money(report.monthly)} {report.currency} now and "
        f"{money(report.monthly_recommended)} then, which {change} {money(abs(report.savings))}"
        f"{'' if report.savings >= 0 else ' more'}."
    )
