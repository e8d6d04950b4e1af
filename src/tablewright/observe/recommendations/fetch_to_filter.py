"""Queries whose filter drops most of what they read."""

from __future__ import annotations

from collections.abc import Iterator

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import QueryPlan, ReadPlan, parts_of
from tablewright.model.annotations import members
from tablewright.model.conditions import Between, Compare, IsIn, StartsWith
from tablewright.observe.judging import a_second, percent, share_of
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Traffic
from tablewright.observe.telling import reads_of
from tablewright.wording import counted, quantity

_FEW = 0.2
"""The share of what was looked at below which a filter does the selecting."""
_REQUESTS = 20
_LOOKED_AT = 10
"""Items in a usual request: what drops some of a handful costs nothing."""

_SERVED = (Between, Compare, IsIn, StartsWith)
"""Conditions that a key can serve."""


class FetchToFilter(Rule):
    """A query reads much and its filter drops most of it.

    A filter works after the reading: what it drops was paid for, and took its part of the page of 1 MB. It saves transfer
    and nothing else. What selects should be a key.

    It fires when 20 queries or more had a filter, looked at ten items each or more, and returned less than 20% of them.

    Put the fields that the filter asks for into the sort key, or into the key of an index, which is sparse where only one
    value is ever asked for. What is dropped because it has expired or was deleted softly goes away by a shorter time to live.

    > unpaid() keeps 5% of what it reads; a filter drops the rest.
    """

    name = "fetch-to-filter"

    def find(self, seen: Observed) -> Iterator[Recommendation]:
        for traffic in seen.snapshot.of("Query"):
            looked_at = traffic.filtered_scanned
            if traffic.filtered < _REQUESTS or looked_at < _LOOKED_AT * traffic.filtered:
                continue
            if share_of(traffic.filtered_returned, looked_at) < _FEW:
                yield _recommendation(seen, traffic)


def _recommendation(seen: Observed, traffic: Traffic) -> Recommendation:
    kept = share_of(traffic.filtered_returned, traffic.filtered_scanned)
    plans = reads_of(seen.plan, traffic.pattern)
    asked = list(dict.fromkeys(name for plan in plans for name in _asked(plan)))
    units = traffic.read_units * share_of(traffic.filtered, traffic.requests)
    whole = sum(t.read_units for t in seen.snapshot.traffic)
    if asked:
        action = f"Let a key select by {', '.join(asked)}: in the sort key, or in an index of its own, sparse where one value is asked for."
    elif plans:
        action = (
            "The pattern has no filter of its own: what is dropped has expired, or was deleted softly. Let it live a shorter "
            "time, or move what is over to a table or key of its own."
        )
    else:
        action = "Let a key select what the filter does: put its fields into the sort key, or into the key of an index."
    return Recommendation(
        rule=FetchToFilter.name,
        severity="warning",
        category="cost",
        subject=traffic.name,
        message=f"{traffic.name} keeps {percent(kept)} of what it reads; a filter drops the rest.",
        details=(
            f"{counted(traffic.filtered, 'query', 'queries')} with a filter looked at {counted(traffic.filtered_scanned, 'item')} "
            f"and returned {quantity(traffic.filtered_returned)}, for {counted(round(units, 1), 'read unit')}. A filter saves "
            "transfer only: what it drops is paid for."
        ),
        action=action,
        code=_code(seen.plan, plans, asked),
        affected=(traffic.name,),
        saves=1 - kept,
        evidence={
            "requests": traffic.filtered,
            "scanned": traffic.filtered_scanned,
            "returned": traffic.filtered_returned,
            "efficiency": kept,
            "read_units": units,
        },
        impact=share_of(units, whole),
        frequency=a_second(seen.snapshot, traffic.filtered),
        effort=2,
    )


def _asked(plan: ReadPlan) -> Iterator[str]:
    """The fields that a read's own filter asks for; the time of expiry is not its own."""
    for part in parts_of(plan):
        for condition in part.filters if isinstance(part, QueryPlan) else ():
            yield from (leaf.field for leaf in condition.leaves() if leaf.field != part.plan.options.ttl)


def _code(plan: TablePlan | None, plans: list[ReadPlan], asked: list[str]) -> str | None:
    """A key that holds what the query knows and what the filter asks for, on an index that the entity is not in yet: what must
    be equal selects the partition, and the rest comes first in the sort key."""
    first = next((part for read in plans for part in parts_of(read) if isinstance(part, QueryPlan)), None)
    if plan is None or first is None or not asked or not all(isinstance(c, _SERVED) for c in first.filters):
        return None
    taken = {binding.index.name for binding in first.plan.bindings}
    free = next((name for name, index in plan.table.indexes.items() if name not in taken and not index.local), None)
    leaves = [leaf for condition in first.filters for leaf in condition.leaves()]
    equal = {leaf.field for leaf in leaves if isinstance(leaf, IsIn) or (isinstance(leaf, Compare) and leaf.op == "=")}
    known = [*first.served.known, *(name for name in asked if name in equal and name not in first.served.known)]
    sorts = [name for name in asked if name not in known]
    sorts += [name for key in first.served.path.sk for name in key.fields if name not in {*known, *sorts}]
    sorts = sorts or sorted(first.plan.key_fields - set(known)) or known[-1:]
    partition = "#".join(f"{name.upper()}#{{{name}}}" for name in known)
    rest = "#".join(_sorted_by(first, name) for name in sorts)
    return (
        f'{first.plan.name}.keys = Keys(..., {free or f"GSI{len(plan.table.indexes) + 1}"}=("{partition}", "{rest}"))'
    )


def _sorted_by(part: QueryPlan, name: str) -> str:
    """A field in a sort key: numbers are padded, so that 10 comes after 9."""
    source = part.plan.sources.get(name)
    return f"{{{name}:010}}" if source is not None and int in members(source.annotation) else f"{{{name}}}"
