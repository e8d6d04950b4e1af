"""slow-requests: requests take longer than the threshold, and not just now and then."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.judging import a_second, milliseconds, percent, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import by_boto
from tablewright.observe.thresholds import often
from tablewright.wording import counted, quantity

_MANY = 100
"""Items in an answer from which on their number is the reason."""


class SlowRequests(Rule):
    """Requests take longer than the threshold, and not just now and then.

    DynamoDB answers most requests in less than ten milliseconds. What takes longer is usually large, far away, or was tried
    several times: the time is that of the whole call, with pauses and further attempts.

    It fires when at least 10 requests of a kind, and at least 1% of them, took longer than `Thresholds.slow_ms`, which is 100
    milliseconds if nothing else is said; it is a warning.

    What to do follows from the figures: attempts after the first point to throttling, many items in an answer to a limit that
    is missing; otherwise it is the size of the items, or the way to DynamoDB.

    > 4.2% of orders_of() took longer than 100 ms: half of all took 12 ms, and 1% more than 340 ms.
    """

    name = "slow-requests"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.traffic:
            if often(traffic.slow, traffic):
                yield _told(seen, traffic)


def _told(seen: Observed, traffic: Traffic) -> Recommendation:
    snapshot, limit = seen.snapshot, seen.snapshot.thresholds.slow_ms
    half, most = traffic.latency.quantile(0.5), traffic.latency.quantile(0.99)
    share = share_of(traffic.slow, traffic.requests)
    again, each = share_of(traffic.retries, traffic.requests), traffic.scanned / max(1, traffic.requests)
    action, code = _remedy(again, each)
    code = None if by_boto(seen.plan, traffic) else code
    return Recommendation(
        rule=SlowRequests.name,
        severity="warning",
        category="performance",
        subject=traffic.name,
        message=(
            f"{percent(share)} of {traffic.name} took longer than {quantity(limit)} ms: half of all took "
            f"{milliseconds(half)}, and 1% more than {milliseconds(most)}."
        ),
        details=(
            f"{quantity(traffic.slow)} of {counted(traffic.requests, 'request')} were slow. They looked at "
            f"{counted(round(each, 1), 'item')} on average, and {quantity(traffic.retries)} times another attempt was made."
        ),
        action=action,
        code=code,
        affected=(traffic.name,),
        evidence={
            "slow": traffic.slow,
            "requests": traffic.requests,
            "threshold_ms": limit,
            "p50_ms": half * 1000,
            "p99_ms": most * 1000,
            "retries": traffic.retries,
        },
        impact=share * share_of(traffic.requests, snapshot.requests),
        frequency=a_second(snapshot, traffic.slow),
        effort=1,
    )


def _remedy(again: float, each: float) -> tuple[str, str | None]:
    if again >= 0.01:
        return (
            "They were tried again, which takes most of the time: look for throttling, by a hot partition or too little capacity.",
            None,
        )
    if each >= _MANY:
        return "Ask for fewer items at a time: a page holds what a reader looks at.", "db.run(pattern, ...).page(50)"
    return (
        "Look at the size of the items, and at the way to DynamoDB: the region, connections that are kept, a cache for what is "
        "read again and again.",
        "db = table.open(..., cache=ReadCache())",
    )
