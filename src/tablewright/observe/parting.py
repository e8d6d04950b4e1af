"""How what a table consumed parts among it and its global indexes, each of which has capacity of its own."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tablewright.observe.recommendation import Observed
from tablewright.observe.snapshot import TABLE, Snapshot, Traffic


def places_of(seen: Observed) -> list[str]:
    """The table and its global indexes: by what is provisioned, by the model, or by what was asked."""
    snapshot, plan = seen.snapshot, seen.plan
    if snapshot.billing.mode == "provisioned":
        named = list(snapshot.billing.ready)
    elif plan is not None:
        named = [index.name for index in plan.table.indexes.values() if not index.local]
    else:
        named = [name for t in snapshot.traffic for name in (*([t.index] if t.index else []), *t.index_units)]
    return [TABLE, *sorted(set(named) - {TABLE})]


def shares(snapshot: Snapshot, places: list[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Which share of the reads and of the writes each place took; a local index lives on what the table has. As long as no
    answer told it, it is taken to be as what is provisioned."""
    ready = snapshot.billing.ready
    reads, writes = dict.fromkeys(places, 0.0), dict.fromkeys(places, 0.0)
    told = False
    for traffic in snapshot.traffic:
        place = traffic.index or TABLE
        reads[place if place in reads else TABLE] += traffic.read_units
        told = told or _told(traffic)
        writes[TABLE] += traffic.write_units
        for name, units in traffic.index_units.items():
            if name in writes and name != TABLE:
                writes[name] += units
                writes[TABLE] -= units
    return (
        _shares(reads) or _shares({name: units.reads for name, units in ready.items()}) or _all_on_the_table(places),
        (_shares(writes) if told else None)
        or _shares({name: units.writes for name, units in ready.items()})
        or _shares(writes)
        or _all_on_the_table(places),
    )


def _told(traffic: Traffic) -> bool:
    """Whether some of these writes were looked at closely, so that it is known which indexes took part."""
    return bool(traffic.write_units and (traffic.index_units or traffic.sized))


def _shares(units: Mapping[str, float]) -> dict[str, float] | None:
    whole = sum(units.values())
    return {name: max(0.0, some) / whole for name, some in units.items()} if 0 < whole < math.inf else None


def _all_on_the_table(places: list[str]) -> dict[str, float]:
    return {name: float(name == TABLE) for name in places}
