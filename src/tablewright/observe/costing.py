"""What was observed of a table, as the figures that cost goes by."""

from __future__ import annotations

import math

from tablewright.cost.entities import TABLE
from tablewright.cost.estimating import Planned
from tablewright.cost.observed import ObservedEstimate, ObservedReads, ObservedUse, ObservedWrites
from tablewright.cost.observed import estimate_observed as estimate_use
from tablewright.cost.prices import Prices
from tablewright.observe.snapshot import WEEK, Snapshot, Traffic
from tablewright.observe.telling import tells_sizes, writes_of
from tablewright.values.operations import WRITES

_MINUTE = 60


def estimate_observed(
    table: Planned, snapshot: Snapshot, prices: Prices | None = None, *, share: float = 1.0
) -> ObservedEstimate:
    """What a month costs if all of it is as what was observed, beside what the model expects."""
    return estimate_use(table, observed_use(table, snapshot), prices, share=share)


def observed_use(table: Planned, snapshot: Snapshot) -> ObservedUse:
    """The figures of a snapshot. Where answers did not tell what they consumed, those of the same shape stand for them."""
    use = ObservedUse(
        since=snapshot.spans[0][0] if snapshot.spans else 0.0,
        until=snapshot.until,
        seconds=snapshot.seconds,
        minutes=_minutes(snapshot),
        unmetered=sum(t.unmetered for t in snapshot.traffic),
        refused_units=sum(t.refused_units for t in snapshot.traffic),
    )
    for traffic in snapshot.traffic:
        metered = traffic.requests - traffic.unmetered
        scale = traffic.requests / metered if metered > 0 else 1.0
        wrote = bool(traffic.write_units) or traffic.operation in WRITES
        if wrote:
            _written(use, traffic, scale)
        elif tells_sizes(table.plan.table, traffic):
            _sized(use, traffic)
        if traffic.read_units or not wrote:
            _read(use, traffic, scale)
    return use


def _read(use: ObservedUse, traffic: Traffic, scale: float) -> None:
    if traffic.write is not None and traffic.entity is not None:
        use.entities.setdefault(traffic.entity, ObservedWrites()).reads += traffic.read_units * scale
        return
    named, name = (use.other_reads, traffic.name) if traffic.pattern is None else (use.patterns, traffic.pattern)
    found = named.setdefault(name, ObservedReads())
    found.requests += traffic.requests
    found.units += traffic.read_units * scale
    found.returned += traffic.returned
    found.scanned += traffic.scanned
    place = traffic.index or TABLE
    found.places[place] = found.places.get(place, 0.0) + traffic.read_units * scale


def _sized(use: ObservedUse, traffic: Traffic) -> None:
    """Whole items that are read tell their size, also of what is only written in transactions."""
    if traffic.entity is not None and traffic.sized:
        own = use.entities.setdefault(traffic.entity, ObservedWrites())
        own.sized, own.size = own.sized + traffic.sized, own.size + traffic.size


def _written(use: ObservedUse, traffic: Traffic, scale: float) -> None:
    named, name = (use.other_writes, traffic.name) if traffic.entity is None else (use.entities, traffic.entity)
    found = named.setdefault(name, ObservedWrites())
    found.requests += writes_of(traffic)
    found.units += traffic.write_units * scale
    for index, units in traffic.index_units.items():
        found.indexes[index] = found.indexes.get(index, 0.0) + units * scale
    found.parted = found.parted and (traffic.parted > 0 or not traffic.write_units)
    found.sized += traffic.sized
    found.size += traffic.size


def _minutes(snapshot: Snapshot) -> list[tuple[float, float]]:
    """Each minute that somebody looked at, also those in which nothing happened. Those that were seen in part are put together to
    whole ones of the same rate: the five seconds of a trial are no calm minute."""
    looked = _looked(snapshot)
    whole, pieces = list[tuple[float, float]](), list[tuple[float, float, float]]()
    for number in sorted(looked.keys() | snapshot.minutes.keys())[-WEEK:]:
        minute, seen = snapshot.minutes.get(number), looked.get(number) or _MINUTE
        units = (0.0, 0.0) if minute is None else (minute.read_units, minute.write_units)
        if seen >= _MINUTE:
            whole.append(units)
        else:
            pieces.append((seen, *units))
    seconds = sum(seen for seen, _, _ in pieces)
    count = round(seconds / _MINUTE) if whole else math.ceil(seconds / _MINUTE)
    scale = _MINUTE / seconds if seconds else 0.0
    return whole + [(sum(r for _, r, _ in pieces) * scale, sum(w for _, _, w in pieces) * scale)] * count


def _looked(snapshot: Snapshot) -> dict[int, float]:
    """For how many seconds of each of the last minutes somebody looked."""
    looked = dict[int, float]()
    first = snapshot.until // _MINUTE - WEEK
    for since, until in snapshot.spans:
        if not math.isfinite(since) or not math.isfinite(until):
            continue
        for number in range(int(max(since // _MINUTE, first)), math.ceil(until / _MINUTE)):
            begin, end = max(since, number * _MINUTE), min(until, (number + 1) * _MINUTE)
            looked[number] = looked.get(number, 0.0) + end - begin
    return looked
