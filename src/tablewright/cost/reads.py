"""What running an access pattern costs: the read units of its most expensive variant."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct

from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.reads import CollectionPlan, GetPlan, QueryPlan, ReadPlan
from tablewright.compiler.served import Served
from tablewright.cost.sizes import Sizes
from tablewright.model.expectations import Expectations, ReadsExpected
from tablewright.values.sizes import read_units

USUAL_RESULTS = 10
"""Items that a read returns whose results nobody said or limited."""


class PatternCost(Struct, frozen=True):
    """What one access pattern costs."""

    name: str
    index: str | None
    """The index that it reads; None for the table."""
    items: int
    """How many items a read evaluates."""
    size: int
    """Bytes of one of them, as it is read."""
    requests: int
    """How many requests it takes, one for each partition."""
    units: float
    """Read units of one read."""
    rate: float | None
    """Reads in a second, at the peak; None if nobody said it."""
    assumed: tuple[str, ...] = ()
    """What was taken for granted."""


def pattern_cost(
    name: str, variants: Mapping[tuple[object, ...], ReadPlan], sizes: Mapping[type, Sizes], said: Expectations
) -> PatternCost:
    """The cost of a pattern: that of its most expensive variant."""
    costs = [_cost(name, plan, sizes, said) for plan in variants.values()]
    return max(costs, key=lambda cost: cost.units)


def _cost(name: str, plan: ReadPlan, sizes: Mapping[type, Sizes], said: Expectations) -> PatternCost:
    expected, notes = said.of_pattern(name), list[str]()
    if isinstance(plan, CollectionPlan):
        served, count, size = _collection(plan, sizes, said, expected, notes)
    elif isinstance(plan, GetPlan):
        served, count = plan.served, 1
        size = _read_size(sizes[plan.plan.entity], served)
    else:
        served, size = plan.served, _read_size(sizes[plan.plan.entity], plan.served)
        count = _evaluated(plan, said, expected, notes)
    requests = _partitions(served, notes)
    each = read_units(math.ceil(count / requests) * size, plan.strong)
    fetched = 0.0
    index = served.path.index
    if index is not None and index.local and index.projection != "ALL" and not _projects(plan):
        fetched = count * read_units(sizes[served.path.plan.entity].item, plan.strong)
        notes.append(f"each item is fetched from the table, since {index.name} does not hold all of it")
    return PatternCost(
        name, served.path.index_name, count, size, requests, requests * each + fetched, expected.rate, tuple(notes)
    )


def _projects(plan: ReadPlan) -> bool:
    return isinstance(plan, GetPlan | QueryPlan) and bool(plan.projection)


def _read_size(sizes: Sizes, served: Served) -> int:
    return sizes.item if served.path.binding is None else sizes.copy(served.path.binding)


def _evaluated(plan: QueryPlan, said: Expectations, expected: ReadsExpected, notes: list[str]) -> int:
    """How many items a query reads: what a filter leaves out is read as well."""
    most = said.of(plan.plan.entity).at_most(frozenset(plan.served.known))
    if served_whole(plan.served):
        return 1
    if plan.filters and most is not None:
        notes.append(f"its filter reads all {most:,} items that the key leads to")
        return max(most, expected.results or 0)
    if plan.filters:
        notes.append("what its filter leaves out is paid for and not counted, since nobody said how many there are")
    if expected.results is not None:
        return expected.results
    limits = [n for n in (plan.page_limit, most) if n is not None]
    if limits:
        return max(1, min(limits))
    notes.append(f"nobody said how many items it returns: {USUAL_RESULTS}")
    return USUAL_RESULTS


def served_whole(served: Served) -> bool:
    """Whether the whole key of the table is known, so that there is one item at most."""
    return served.complete and served.path.index is None


def _collection(
    plan: CollectionPlan, sizes: Mapping[type, Sizes], said: Expectations, expected: ReadsExpected, notes: list[str]
) -> tuple[Served, int, int]:
    """The key, the number of items and the mean size of what a collection reads."""
    counts: list[tuple[int, int]] = []
    singles = sum(1 for part in plan.parts if not part.many)
    lists = len(plan.parts) - singles
    for part in plan.parts:
        size = _read_size(sizes[part.query.plan.entity], part.query.served)
        if not part.many:
            counts.append((1, size))
        elif expected.results is not None:
            counts.append((max(0, math.ceil((expected.results - singles) / lists)), size))
        else:
            own = list[str]()
            counts.append((_evaluated(part.query, said, expected, own), size))
            notes += [f"{part.query.plan.name}: {note}" for note in own]
    if plan.over_reads:
        notes.append(f"it may also read {', '.join(plan.over_reads)}, which is not counted")
    items = max(1, sum(count for count, _ in counts))
    return plan.parts[0].query.served, items, math.ceil(sum(count * size for count, size in counts) / items)


def _partitions(served: Served, notes: list[str]) -> int:
    requests = 1
    for fan in served.fan_out:
        if isinstance(fan.plan, ShardPlan):
            requests *= fan.plan.of
        else:
            notes.append(f"one partition of {{{fan.name}}} is asked at a time")
    return requests
