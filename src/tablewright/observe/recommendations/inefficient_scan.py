"""inefficient-scan: a scan looks at many items to return few."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.observe.judging import a_second, all_units, at_most, percent, priced, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import by_boto
from tablewright.wording import counted, quantity

_EFFICIENT = 0.20
_ENOUGH_SCANS = 10
_ENOUGH_ITEMS = 1_000
_LEAST_UNITS = 0.5
"""What the smallest read takes."""
_BOTO_CODE = 'table.query(IndexName=..., KeyConditionExpression=Key("...").eq(...))  # update_table() makes the index'


class InefficientScan(Rule):
    """A scan looks at many items to return few.

    Every item that a scan looks at is paid for; the filter is applied afterwards. The table grows, and what is asked for does
    not, so that each scan costs more than the one before.

    It fires when scans with a filter return surely less than 20% of the items that they look at, once 10 such requests and
    1,000 items were seen; it is a warning. What would be saved follows from the figures: a query reads what it returns, and
    at least half a unit for each request.

    Declare the pattern, and give it a key: `tablewright check` says which index would serve it. Scans that sweep the whole
    table on purpose, without a filter, are not meant.

    > Scan returns 2% of the items that it looks at.
    """

    name = "inefficient-scan"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.of("Scan"):
            looked_at, returned = traffic.filtered_scanned, traffic.filtered_returned
            if traffic.filtered < _ENOUGH_SCANS or looked_at < _ENOUGH_ITEMS:
                continue
            if at_most(returned, looked_at) < _EFFICIENT:
                yield _told(seen, traffic, share_of(returned, looked_at))


def _told(seen: Observed, traffic: Traffic, efficiency: float) -> Recommendation:
    snapshot = seen.snapshot
    units = traffic.read_units * share_of(traffic.filtered_scanned, max(traffic.scanned, traffic.filtered_scanned))
    needed = min(units, max(units * efficiency, _LEAST_UNITS * traffic.filtered))
    figures = (
        f"{quantity(traffic.filtered_returned)} of {counted(traffic.filtered_scanned, 'item')} passed the filter, in "
        f"{counted(traffic.filtered, 'request')}"
    )
    if units:
        figures += (
            f" that took {counted(round(units, 1), 'read unit')}{priced(seen, reads=units)}. A query that reads what it returns "
            f"would take some {quantity(round(needed, 1))}"
        )
    where = f" on {traffic.index}" if traffic.index else ""
    return Recommendation(
        rule=InefficientScan.name,
        severity="warning",
        category="cost",
        subject=f"{traffic.name}{where}",
        message=f"{traffic.name}{where} returns {percent(efficiency)} of the items that it looks at.",
        details=f"{figures}.",
        action=(
            "Query instead: give what the filter tests a place in a key, of the table or of an index. A filter saves transfer, "
            "and no read units."
        ),
        code=_BOTO_CODE if by_boto(seen.plan, traffic) else _declared(traffic.entity),
        affected=(traffic.name,),
        saves=1 - needed / units if units else None,
        evidence={
            "returned": traffic.filtered_returned,
            "scanned": traffic.filtered_scanned,
            "efficiency": efficiency,
            "requests": traffic.filtered,
            "read_units": units,
            "needed_units": needed,
        },
        impact=share_of(units, all_units(snapshot)),
        frequency=a_second(snapshot, traffic.filtered),
        effort=2,
    )


def _declared(entity: str | None) -> str:
    if not entity or not entity.isidentifier():
        return 'Table(..., indexes=[GSI("GSI1")])  # and GSI1=("...", "...") in the keys of what is looked for'
    return (
        "@table.pattern\n"
        f"def found(value: str) -> Query[{entity}]:\n"
        f"    return query({entity}, {entity}.tested == value)  # the field that the filter tests"
    )
