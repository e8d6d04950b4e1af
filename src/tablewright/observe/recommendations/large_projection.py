"""large-projection: a pattern reads large items whole, every time."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.judging import (
    KILOBYTE,
    a_second,
    all_units,
    design_of,
    kilobytes,
    listed,
    readers_of,
    share_of,
)
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import by_boto
from tablewright.values.sizes import READ_UNIT
from tablewright.wording import counted, quantity

_LARGE = 10 * KILOBYTE
_ENOUGH = 100
_MEASURED = 10
"""Items whose size was measured, which are few of all."""
_WHOLE = 0.9
"""The share of requests for whole items from which on it is a habit."""
_VIEW = "fields that are needed: .only(View)"
_BOTO_CODE = 'asked = {"ProjectionExpression": "#a, #b", "ExpressionAttributeNames": {"#a": ..., "#b": ...}}'


class LargeProjection(Rule):
    """A pattern reads large items whole, every time.

    What is large takes long to send and to decode, and every 4 KB take a read unit, or half of one.

    It fires when the items that a pattern reads have more than 10 KB on average, at least 90% of its requests ask for whole
    items, and 100 requests and 10 measured items were seen; it is info. What all of the requests consumed must agree. Where somebody watched which fields are used, these are
    named.

    A projection expression, which is what `.only(View)` sends, saves transfer and decoding. It saves no read units: DynamoDB
    reads the whole item all the same. Read units are saved by an index that holds fewer attributes, or by splitting the item
    into a small one that is read often and a large one that is read seldom.

    > orders_of() reads whole items of 24 KB on average.
    """

    name = "large-projection"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.of("GetItem", "BatchGetItem", "Query", "TransactGetItems"):
            if traffic.requests < _ENOUGH or traffic.sized < _MEASURED or traffic.size / traffic.sized <= _LARGE:
                continue
            if (
                _by_units(traffic) > _LARGE
                and share_of(traffic.requests - traffic.projected, traffic.requests) >= _WHOLE
            ):
                yield _told(seen, traffic, traffic.size / traffic.sized)


def _by_units(traffic: Traffic) -> float:
    """Bytes of an item on average, or a little more, by what all requests consumed; any number where that is not known."""
    if not traffic.scanned or not traffic.read_units:
        return float("inf")
    consistent = share_of(traffic.consistent, traffic.requests)
    return traffic.read_units * 2 * READ_UNIT / (1 + consistent) / traffic.scanned


def _told(seen: Observed, traffic: Traffic, average: float) -> Recommendation:
    snapshot = seen.snapshot
    whole = traffic.requests - traffic.projected
    figures = (
        f"{quantity(whole)} of {counted(traffic.requests, 'request')} asked for whole items; the {quantity(traffic.sized)} that "
        f"were measured have {kilobytes(average)} on average and {kilobytes(max(traffic.largest, average))} at most. Each takes "
        f"some {counted(max(1, round(average / READ_UNIT)) / 2, 'read unit')}, and as many with a projection expression."
    )
    use = None if traffic.pattern is None else snapshot.fields.get(traffic.pattern)
    used = [] if use is None or use.fetched < _ENOUGH else sorted(use.used)
    if used and use is not None:
        figures += (
            f" Of {counted(use.fetched, 'entity', 'entities')} that were watched, only {listed(used)} were looked at."
        )
    index = traffic.index
    fewer = (
        f"let {index} hold fewer attributes, or make another index that does"
        if index
        else "read them through an index that holds few attributes, or split the item into a small and a large one"
    )
    ask = "attributes that are needed: a ProjectionExpression" if by_boto(seen.plan, traffic) else _VIEW
    return Recommendation(
        rule=LargeProjection.name,
        severity="info",
        category="performance",
        subject=traffic.name,
        message=f"{traffic.name} reads whole items of {kilobytes(average)} on average.",
        details=figures,
        action=f"Ask for the {ask} saves transfer, though no read units. To save these as well, {fewer}.",
        code=_code(seen, traffic, used),
        affected=(traffic.name,),
        evidence={
            "average": average,
            "requests": traffic.requests,
            "whole": whole,
            "measured": traffic.sized,
        },
        impact=share_of(traffic.read_units, all_units(snapshot)),
        frequency=a_second(snapshot, whole),
        effort=1,
    )


def _code(seen: Observed, traffic: Traffic, used: list[str]) -> str:
    if by_boto(seen.plan, traffic):
        return _BOTO_CODE
    reads = readers_of(design_of(seen), traffic.pattern)
    entity = traffic.entity or (reads[0].plan.name if reads else None)
    if not entity or not entity.isidentifier():
        return "table.query(..., projection=[...])"
    fields = (
        "".join(f"    {name}: ...\n" for name in used if name.isidentifier())
        or "    ...  # the fields that are needed, by their names\n"
    )
    return f"class {entity}Summary(BaseModel):\n{fields}\nreturn query({entity}, ...).only({entity}Summary)"
