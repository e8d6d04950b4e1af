"""Queries whose filter drops most of what they read."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import QueryPlan, ReadPlan, parts_of
from tablewright.model.annotations import members
from tablewright.model.conditions import Between, Compare, Condition, IsIn, StartsWith, Test
from tablewright.model.keys import attr_is
from tablewright.model.symbols import has_symbols
from tablewright.observe.judging import a_second, listed, percent, share_of, shown_value
from tablewright.observe.recommendation import Observed, Recommendation, Rule
from tablewright.observe.snapshot import Snapshot, Traffic
from tablewright.observe.telling import reads_of
from tablewright.wording import counted, quantity

_FEW = 0.2
"""The share of what was looked at below which a filter does the selecting."""
_REQUESTS = 20
_LOOKED_AT = 10
"""Items in a usual request: what drops some of a handful costs nothing."""

_WRITE = 5
"""A write unit costs as much as five read units."""

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
    code = _code(seen.plan, plans, asked)
    written = 0.0 if code is None else _written(seen.snapshot, plans)
    if asked:
        action = (
            f"Let a key select by {listed(asked)}: in the sort key, or in an index of its own, sparse where one value is asked for. Then ask for it by a "
            f"condition in query(...), and leave .filter(...) out."
        )
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
            f"transfer only: what it drops is paid for.{_added(written)}"
        ),
        action=action,
        code=code,
        affected=(traffic.name,),
        saves=max(0.0, 1 - kept - share_of(_WRITE * written, units)),
        evidence={
            "requests": traffic.filtered,
            "scanned": traffic.filtered_scanned,
            "returned": traffic.filtered_returned,
            "efficiency": kept,
            "read_units": units,
            "index_write_units": written,
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


def _query(plans: list[ReadPlan]) -> QueryPlan | None:
    return next((part for read in plans for part in parts_of(read) if isinstance(part, QueryPlan)), None)


def _written(snapshot: Snapshot, plans: list[ReadPlan]) -> float:
    """Write units that an index of all items would have taken, at most: as many as the table itself."""
    first = _query(plans)
    own = [t for t in snapshot.traffic if first is not None and t.entity == first.plan.name]
    return max(0.0, sum(t.write_units - sum(t.index_units.values()) for t in own))


def _added(written: float) -> str:
    if not written:
        return ""
    return (
        f" An index of its own would have taken up to {counted(round(written, 1), 'write unit')} for the writes seen, each as dear as five read "
        "units, and fewer if it is sparse."
    )


def _code(plan: TablePlan | None, plans: list[ReadPlan], asked: list[str]) -> str | None:
    """A key that holds what the query knows and what the filter asks for, on an index that the entity is not in yet: what must
    be equal selects the partition, and the rest comes first in the sort key. What must be one and the same value for all is the condition
    of a sparse key."""
    first = _query(plans)
    if plan is None or first is None or not asked or not all(_can_serve(c) for c in first.filters):
        return None
    taken = {binding.index.name for binding in first.plan.bindings}
    free = next((name for name, index in plan.table.indexes.items() if name not in taken and not index.local), None)
    leaves = [leaf for condition in first.filters for leaf in condition.leaves()]
    equal = {leaf.field for leaf in leaves if isinstance(leaf, IsIn) or (isinstance(leaf, Compare) and leaf.op == "=")}
    constant = {leaf.field: leaf.value for leaf in leaves if _constant(leaf) and isinstance(leaf, Compare)}
    alone = len(plans) == 1 and len(list(parts_of(plans[0]))) == 1  # other variants may ask for other values
    when = next(iter(constant), None) if alone else None
    known = [*first.served.known, *(name for name in asked if name in equal and name not in first.served.known)]
    known = [name for name in known if name != when] or known
    sorts = [name for name in asked if name not in {*known, when}]
    sorts += [name for key in first.served.path.sk for name in key.fields if name not in {*known, *sorts}]
    sorts = sorts or sorted(first.plan.key_fields - set(known)) or known[-1:]
    partition = "#".join(f"{name.upper()}#{{{name}}}" for name in known)
    rest = "#".join(_sorted_by(first, name) for name in sorts)
    index = free or _new_name(plan)
    sides = f'"{partition}", "{rest}"'
    spec = (
        f"({sides})"
        if when is None
        else f"sparse({sides}, when={attr_is(when, constant[when], shown_value(constant[when]))})"
    )
    lines = [] if free else [f'Table(..., indexes=[..., GSI("{index}")])']
    lines.append(f"{first.plan.name}.keys = Keys(..., {index}={spec})")
    asks = ", ".join(f"{first.plan.name}.{name}" for name in asked)
    lines.append(f"query({first.plan.name}, ...)  # what .filter(...) asks of {asks} stands here")
    return "\n".join(lines)


def _can_serve(condition: Condition) -> bool:
    return isinstance(condition, _SERVED) and not (isinstance(condition, Compare) and condition.op == "<>")


def _constant(leaf: Test) -> bool:
    """Whether it asks for one value, whatever the arguments are."""
    return (
        isinstance(leaf, Compare)
        and leaf.op == "="
        and len(leaf.path) == 1
        and not has_symbols(leaf.value)
        and isinstance(leaf.value, str | int | Enum)
    )


def _new_name(plan: TablePlan) -> str:
    number = len(plan.table.indexes) + 1
    while f"GSI{number}" in plan.table.indexes:
        number += 1
    return f"GSI{number}"


def _sorted_by(part: QueryPlan, name: str) -> str:
    """A field in a sort key: numbers are padded, so that 10 comes after 9."""
    source = part.plan.sources.get(name)
    return f"{{{name}:010}}" if source is not None and int in members(source.annotation) else f"{{{name}}}"
