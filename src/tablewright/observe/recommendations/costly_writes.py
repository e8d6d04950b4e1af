"""costly-writes: single requests consume more write units than the threshold, and not just now and then."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.judging import a_second, all_units, listed, milliseconds, percent, priced, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.thresholds import often, writes
from tablewright.wording import counted, quantity


class CostlyWrites(Rule):
    """Single requests consume more write units than the threshold, and not just now and then.

    A write takes a unit for each KB of the whole item, however little changes; as many in each index that holds what changed;
    twice as many in a transaction.

    It fires when at least 10 writes of a kind, and at least 1% of them, took more than `Thresholds.write_units`, which is 100 if
    nothing else is said; it is a warning. What the indexes took is told beside it, where the answers say so. Batches and
    transactions write many items with one request, and are told with what a request takes.

    Keep what changes often in a small item of its own, let indexes hold fewer attributes, and use transactions only where
    items must change together.

    > 30% of PutItem of Report took more than 100 write units, and the dearest 240.
    """

    name = "costly-writes"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.traffic:
            if writes(traffic) and often(traffic.costly, traffic):
                yield _told(seen, traffic)


def _told(seen: Observed, traffic: Traffic) -> Recommendation:
    snapshot, limit = seen.snapshot, seen.snapshot.thresholds.write_units
    share = share_of(traffic.costly, traffic.requests)
    copies = sorted(traffic.index_units.items(), key=lambda one: (-one[1], one[0]))
    told = [f"{name} {quantity(round(units, 1))}" for name, units in copies if units]
    action = "Keep what changes often in a small item of its own, apart from what is large."
    if told:
        action += f" Let {copies[0][0]} hold fewer attributes: it took {percent(share_of(copies[0][1], traffic.write_units))} of it."
    if traffic.operation.startswith("Transact"):
        action += " A transaction takes twice as much: write alone what need not change together with something else."
    return Recommendation(
        rule=CostlyWrites.name,
        severity="warning",
        category="cost",
        subject=traffic.name,
        message=(
            f"{percent(share)} of {traffic.name} took more than {counted(limit, 'write unit')}, and the dearest "
            f"{quantity(round(traffic.most_units, 1))}."
        ),
        details=(
            f"{quantity(traffic.costly)} of {counted(traffic.requests, 'request')} were dear; all of them took "
            f"{counted(round(traffic.write_units, 1), 'write unit')}{priced(seen, writes=traffic.write_units)}"
            f"{f', of these {listed(told)}' if told else ''}. Half of them took {milliseconds(traffic.latency.quantile(0.5))}, and 1% "
            f"more than {milliseconds(traffic.latency.quantile(0.99))}."
        ),
        action=action,
        code=f'GSI("{copies[0][0]}", projection=[...])' if told else None,
        affected=(traffic.name,),
        evidence={
            "costly": traffic.costly,
            "requests": traffic.requests,
            "threshold": limit,
            "most_units": traffic.most_units,
            "write_units": traffic.write_units,
            "p50_ms": traffic.latency.quantile(0.5) * 1000,
            "p99_ms": traffic.latency.quantile(0.99) * 1000,
        },
        impact=share_of(5 * traffic.write_units, all_units(snapshot)),
        frequency=a_second(snapshot, traffic.costly),
        effort=2,
    )
