"""What was observed of a table, as the figures that cost goes by."""

from __future__ import annotations

from tablewright.cost.entities import TABLE
from tablewright.cost.estimating import Planned
from tablewright.cost.observed import ObservedEstimate, ObservedReads, ObservedUse, ObservedWrites
from tablewright.cost.observed import estimate_observed as estimate_use
from tablewright.cost.prices import Prices
from tablewright.observe.snapshot import WEEK, Snapshot, Traffic

_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})


def estimate_observed(
    table: Planned, snapshot: Snapshot, prices: Prices | None = None, *, share: float = 1.0
) -> ObservedEstimate:
    """What a month costs if all of it is as what was observed, beside what the model expects."""
    return estimate_use(table, observed_use(snapshot), prices, share=share)


def observed_use(snapshot: Snapshot) -> ObservedUse:
    """The figures of a snapshot. Where answers did not tell what they consumed, those of the same shape stand for them."""
    use = ObservedUse(
        since=snapshot.spans[0][0] if snapshot.spans else 0.0,
        until=snapshot.until,
        seconds=snapshot.seconds,
        minutes=_minutes(snapshot),
        unmetered=sum(t.unmetered for t in snapshot.traffic),
    )
    for traffic in snapshot.traffic:
        metered = traffic.requests - traffic.unmetered
        scale = traffic.requests / metered if metered > 0 else 1.0
        wrote = bool(traffic.write_units) or traffic.operation in _WRITES
        if wrote:
            _written(use, traffic, scale)
        if traffic.read_units or not wrote:
            _read(use, traffic, scale)
    return use


def _read(use: ObservedUse, traffic: Traffic, scale: float) -> None:
    named, name = (use.other_reads, traffic.name) if traffic.pattern is None else (use.patterns, traffic.pattern)
    found = named.setdefault(name, ObservedReads())
    found.requests += traffic.requests
    found.units += traffic.read_units * scale
    found.returned += traffic.returned
    place = traffic.index or TABLE
    found.places[place] = found.places.get(place, 0.0) + traffic.read_units * scale
    if traffic.entity is not None and traffic.sized and traffic.index is None and not traffic.projected:
        # Whole items of the table tell their size, also of what is only written in transactions.
        own = use.entities.setdefault(traffic.entity, ObservedWrites())
        own.sized, own.size = own.sized + traffic.sized, own.size + traffic.size


def _written(use: ObservedUse, traffic: Traffic, scale: float) -> None:
    named, name = (use.other_writes, traffic.name) if traffic.entity is None else (use.entities, traffic.entity)
    found = named.setdefault(name, ObservedWrites())
    # A batch is as many writes as it has items; a transaction is one, with the markers that it takes along.
    found.requests += traffic.keys if traffic.operation == "BatchWriteItem" else traffic.requests
    found.units += traffic.write_units * scale
    for index, units in traffic.index_units.items():
        found.indexes[index] = found.indexes.get(index, 0.0) + units * scale
    found.sized += traffic.sized
    found.size += traffic.size


def _minutes(snapshot: Snapshot) -> list[tuple[float, float]]:
    """Each whole minute that somebody looked at, also those in which nothing happened."""
    looked = {m for since, until in snapshot.spans for m in range(int(since // 60) + 1, int(until // 60))}
    every = sorted(looked | set(snapshot.minutes))[-WEEK:]
    found = ((m, snapshot.minutes.get(m)) for m in every)
    return [(0.0, 0.0) if minute is None else (minute.read_units, minute.write_units) for _, minute in found]
