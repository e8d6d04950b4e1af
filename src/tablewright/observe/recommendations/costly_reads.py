"""costly-reads: single requests consume more read units than the threshold, and not just now and then."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.judging import a_second, all_units, milliseconds, percent, priced, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import by_boto
from tablewright.observe.thresholds import often, writes
from tablewright.wording import counted, quantity


class CostlyReads(Rule):
    """Single requests consume more read units than the threshold, and not just now and then.

    A page of 1 MB takes 128 read units, or 256 if it is read consistently. Ten such pages in a second are more than a third of
    what a partition bears.

    It fires when at least 10 reads of a kind, and at least 1% of them, took more than `Thresholds.read_units`, which is 100 if
    nothing else is said; it is a warning.

    Ask for the first items only where these are enough, or let an index hold fewer attributes. Smaller pages spread the load, and
    read as much in all. A scan reads everything: declare a pattern, and `tablewright check` says which key serves it. A read that can
    be eventually consistent takes half. A filter, and a projection expression, save nothing of it.

    > 12% of orders_of() took more than 100 read units, and the dearest 256.
    """

    name = "costly-reads"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.traffic:
            if not writes(traffic) and often(traffic.costly, traffic):
                yield _told(seen, traffic)


def _told(seen: Observed, traffic: Traffic) -> Recommendation:
    snapshot, limit = seen.snapshot, seen.snapshot.thresholds.read_units
    share = share_of(traffic.costly, traffic.requests)
    consistent = share_of(traffic.consistent, traffic.requests)
    said = "ConsistentRead" if by_boto(seen.plan, traffic) else ".consistent()"
    half = f" Leave {said} out where it is not needed, which halves it." if consistent else ""
    return Recommendation(
        rule=CostlyReads.name,
        severity="warning",
        category="cost",
        subject=traffic.name,
        message=(
            f"{percent(share)} of {traffic.name} took more than {counted(limit, 'read unit')}, and the dearest "
            f"{quantity(round(traffic.most_units, 1))}."
        ),
        details=(
            f"{quantity(traffic.costly)} of {counted(traffic.requests, 'request')} were dear; all of them took "
            f"{counted(round(traffic.read_units, 1), 'read unit')}{priced(seen, reads=traffic.read_units)}, and looked at "
            f"{counted(traffic.scanned, 'item')}. Half of them took {milliseconds(traffic.latency.quantile(0.5))}, and 1% more than "
            f"{milliseconds(traffic.latency.quantile(0.99))}."
        ),
        action=f"{_action(traffic)}{half}",
        code=f"db.run({traffic.pattern}, ...).page(50)" if (traffic.pattern or "").isidentifier() else None,
        affected=(traffic.name,),
        saves=consistent / (1 + consistent) if consistent else None,
        evidence={
            "costly": traffic.costly,
            "requests": traffic.requests,
            "threshold": limit,
            "most_units": traffic.most_units,
            "read_units": traffic.read_units,
            "p50_ms": traffic.latency.quantile(0.5) * 1000,
            "p99_ms": traffic.latency.quantile(0.99) * 1000,
        },
        impact=share_of(traffic.read_units, all_units(snapshot)),
        frequency=a_second(snapshot, traffic.costly),
        effort=1,
    )


def _action(traffic: Traffic) -> str:
    if traffic.operation == "Scan":
        return (
            "A scan reads everything, however small its pages are: declare what is looked for as a pattern, and tablewright check says "
            "whether a key serves it, and which one would."
        )
    if traffic.operation in ("GetItem", "BatchGetItem", "TransactGetItems"):
        return "Keep what is large and seldom looked at in items of its own, or outside of the table."
    return (
        "Ask for the first items only, where these are enough, or through an index that holds fewer attributes. Pages that are smaller "
        "spread the load over time; all of them together read as much."
    )
