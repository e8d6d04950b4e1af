"""Observations that tests make up: places, traffic, and snapshots of them."""

from collections.abc import Iterable, Mapping
from typing import Any

from tablewright import Table
from tablewright.observe.advising import all_rules
from tablewright.observe.recommendation import Observed, Recommendation
from tablewright.observe.snapshot import TABLE, Peak, Place, Snapshot, Traffic

START = 1_750_000_000.0
HOUR = 3_600.0
DAY = 24 * HOUR


def asked(
    weights: Mapping[str, float],
    *,
    reads: float = 0.5,
    writes: float = 0.0,
    peaks: Mapping[str, Peak] | None = None,
) -> Place:
    """A place whose partition keys were asked so often, each time for so many units."""
    place = Place(peaks=dict(peaks or {}), last_used=START)
    place.requests.add_all(weights)
    place.reads.add_all({key: weight * reads for key, weight in weights.items()})
    place.writes.add_all({key: weight * writes for key, weight in weights.items()})
    place.partitions.add(weights)
    return place


def evenly(keys: int, each: float, form: str = "USER#{}") -> dict[str, float]:
    """So many keys, asked alike."""
    return {form.format(number): each for number in range(keys)}


def observed(
    *traffic: Traffic,
    table: Table | None = None,
    hours: float = 1.0,
    places: Mapping[str, Place] | None = None,
    **more: Any,
) -> Observed:
    """What rules look at."""
    snapshot = Snapshot(
        table="Shop",
        spans=[(START, START + hours * HOUR)],
        traffic=list(traffic),
        places=dict(places or {}),
        **more,
    )
    return Observed(snapshot, None if table is None else table.plan)


def at_the_table(place: Place, table: Table | None = None, **more: Any) -> Observed:
    """Only the table's own partitions were asked."""
    return observed(
        Traffic(operation="GetItem", requests=int(place.requests.total)), table=table, places={TABLE: place}, **more
    )


def told(rule: str, seen: Observed) -> list[Recommendation]:
    """What one rule says."""
    return list(all_rules()[rule].find(seen))


def latencies(traffic: Traffic, seconds: Iterable[float]) -> Traffic:
    """The same traffic with the time that each of its requests took."""
    traffic.latency.add(seconds)
    return traffic
