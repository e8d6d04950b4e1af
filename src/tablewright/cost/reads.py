"""What running an access pattern costs: the read units of its most expensive variant."""

from __future__ import annotations

import math
from collections.abc import Mapping

from msgspec import Struct

from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.projections import fetches
from tablewright.compiler.proofs.bounds import PAGE
from tablewright.compiler.reads import CollectionPlan, GetPlan, MixedPlan, QueryPlan, ReadPlan
from tablewright.compiler.served import Served
from tablewright.cost.sizes import Sizes
from tablewright.model.expectations import Expectations, ReadsExpected
from tablewright.values.sizes import read_units
from tablewright.wording import counted

USUAL_RESULTS = 10
"""Items that a read returns whose results nobody said or limited."""
_GUESSED = f"nobody said how many items it returns: {USUAL_RESULTS}"
_FILTERED_FETCH = 100
"""Items that a page asks of each of several partitions at least, where a filter drops some of them."""


class PatternCost(Struct, frozen=True):
    """What one access pattern costs."""

    name: str
    index: str | None
    """The index that it reads; None for the table."""
    items: int
    """How many items a read evaluates, of all partitions together."""
    size: int
    """Bytes of one of them, as it is read."""
    requests: int
    """How many requests it takes, one for each partition, and for each page of it that was declared."""
    units: float
    """Read units of one read."""
    rate: float | None
    """Reads in a second, at the peak; None if nobody said it."""
    assumed: tuple[str, ...] = ()
    """What was taken for granted."""

    @property
    def guessed(self) -> bool:
        """Whether nobody said how many items it returns, and nothing else tells it."""
        return any(note.endswith(_GUESSED) for note in self.assumed)


def pattern_cost(
    name: str, variants: Mapping[tuple[object, ...], ReadPlan], sizes: Mapping[type, Sizes], said: Expectations
) -> PatternCost:
    """The cost of a pattern: that of its most expensive variant."""
    costs = [_cost(name, plan, sizes, said) for plan in variants.values()]
    return max(costs, key=lambda cost: cost.units)


def _cost(name: str, plan: ReadPlan, sizes: Mapping[type, Sizes], said: Expectations) -> PatternCost:
    expected, notes = said.of_pattern(name), list[str]()
    if isinstance(plan, CollectionPlan):
        served, items, size = _collection(plan, sizes, said, expected, notes)
        requests = _requests(served, expected, None, notes)
        each = math.ceil(items / requests)
        if served.fan_out and expected.results is not None:
            each = _of_each_mixed(plan, said, expected.results)
            items = requests * each
    else:
        served, size = plan.served, _read_size(sizes[plan.plan.entity], plan.served)
        held = _held(plan, said) if isinstance(plan, QueryPlan) else None
        requests = _requests(served, expected, held, notes)
        each = items = 1
        if isinstance(plan, QueryPlan):
            each, items = _taken(plan, requests, said, expected, notes)
    units, pages = _paged(each, size, _page_size(plan, items, expected), consistent=plan.strong)
    units, requests = requests * units, requests * pages
    index = served.path.index
    asked = plan.projection if isinstance(plan, GetPlan | QueryPlan) else ()
    if index is not None and fetches(served.path, asked):
        units += items * read_units(sizes[served.path.plan.entity].item, plan.strong)
        notes.append(f"each item is fetched from the table, since {index.name} does not hold all of it")
    return PatternCost(name, served.path.index_name, items, size, requests, units, expected.rate, tuple(notes))


def _page_size(plan: ReadPlan, items: int, expected: ReadsExpected) -> int | None:
    """How many items a request reads at most, where that was declared and a read takes more than one page: of merged
    partitions, a single one is asked of each at once."""
    if not isinstance(plan, QueryPlan | MixedPlan) or plan.page_limit is None:
        return None
    wanted = expected.results if plan.served.fan_out and expected.results is not None else items
    return plan.page_limit if wanted > plan.page_limit else None


def _paged(items: int, size: int, page: int | None, *, consistent: bool) -> tuple[float, int]:
    """Read units and requests for so many items of a partition. Each page begins a unit of its own; what follows on a full
    one shows only when it was asked for. Those that end at 1 MB count in units only: who asks for how many is not known."""
    if page is None:
        return _read(items * size, consistent), 1
    full, rest = divmod(items, page)
    return full * _read(page * size, consistent) + _read(rest * size, consistent), full + 1


def _read(size: int, consistent: bool) -> float:
    """Read units of so many bytes, each megabyte of which is rounded up on its own."""
    return read_units(size, consistent) + size // PAGE * read_units(0, consistent)


def _read_size(sizes: Sizes, served: Served) -> int:
    return sizes.item if served.path.binding is None else sizes.copy(served.path.binding)


def _taken(
    plan: QueryPlan, requests: int, said: Expectations, expected: ReadsExpected, notes: list[str]
) -> tuple[int, int]:
    """How many items a query reads of each partition that it asks, and of all together."""
    count = _evaluated(plan, said, expected, notes)
    if plan.filters and expected.scanned is not None:
        return math.ceil(count / requests), count
    if expected.results is not None and merges(plan):
        each = of_each(plan, said, expected.results)
        return each, requests * each
    return math.ceil(count / requests), count


def merges(plan: QueryPlan) -> bool:
    """Whether a read asks several partitions at once, to hand their items out in one order."""
    return bool(plan.served.fan_out and plan.served.path.sk)


def of_each(plan: QueryPlan, said: Expectations, page: int) -> int:
    """How many items a read that merges partitions takes from each of them for a page of so many.

    Which partition holds the first items in order shows only when each has given as many as the page needs, and one more
    to see whether a page follows. What a filter drops is made up for, from everything there is at worst.
    """
    return from_each(page, _held(plan, said), filtered=bool(plan.filters), hides=plan.visible is not None)


def from_each(page: int, there: int | None, *, filtered: bool = False, hides: bool = False) -> int:
    """The same where so many are there in each partition, None if nobody said it; a filter may drop all but the page, and
    what is hidden is some of them."""
    if filtered and there is not None:
        return there
    asked = max(page + 1, _FILTERED_FETCH) if filtered or hides else page + 1
    return asked if there is None else min(asked, there)


def _of_each_mixed(plan: CollectionPlan, said: Expectations, page: int) -> int:
    """The same for entities that are read together: whose an item is shows only when it was read, as with a filter."""
    there = [_held(part.query, said) for part in plan.parts]
    known = [count for count in there if count is not None]
    return from_each(page, sum(known) if len(known) == len(there) else None, hides=True)


def _held(plan: QueryPlan, said: Expectations) -> int | None:
    """How many items that a read may want are in one of its partitions, as far as was said."""
    served, items = plan.served, said.of(plan.plan.entity)
    chosen = frozenset(fan.name for fan in served.fan_out if not isinstance(fan.plan, ShardPlan))
    index = served.path.index_name
    most = items.at_most(frozenset(served.known), index)
    alone = items.at_most(frozenset(served.known) | chosen, index)
    counts = [math.ceil(n / _shards(served)) for n in (most, alone) if n is not None]
    return min(counts, default=None)


def _evaluated(plan: QueryPlan, said: Expectations, expected: ReadsExpected, notes: list[str]) -> int:
    """How many items a query reads: what a filter leaves out is read as well."""
    most = said.of(plan.plan.entity).at_most(frozenset(plan.served.known), plan.served.path.index_name)
    if served_whole(plan.served):
        return 1
    if plan.filters and expected.scanned is not None:
        return max(1, expected.scanned, expected.results or 0)
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
    notes.append(_GUESSED)
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
    read = expected.results if expected.scanned is None else expected.scanned
    for part in plan.parts:
        size = _read_size(sizes[part.query.plan.entity], part.query.served)
        if not part.many:
            counts.append((1, size))
        elif read is not None:
            counts.append((max(0, math.ceil((read - singles) / lists)), size))
        else:
            own = list[str]()
            counts.append((_evaluated(part.query, said, expected, own), size))
            notes += [f"{part.query.plan.name}: {note}" for note in own]
    if plan.over_reads:
        notes.append(f"it may also read {', '.join(plan.over_reads)}, which is not counted")
    items = max(1, sum(count for count, _ in counts))
    return plan.parts[0].query.served, items, math.ceil(sum(count * size for count, size in counts) / items)


def _shards(served: Served) -> int:
    return math.prod(fan.plan.of for fan in served.fan_out if isinstance(fan.plan, ShardPlan))


def _requests(served: Served, expected: ReadsExpected, held: int | None, notes: list[str]) -> int:
    """How many partitions are asked: all shards, and every constant of a list. What arguments decide is as was said, or
    as few as hold what the read returns."""
    requests, open_ones = _shards(served), list[str]()
    for fan in served.fan_out:
        if fan.listed is not None and fan.listed.possible is not None:
            requests *= len(set(fan.listed.possible))
        elif not isinstance(fan.plan, ShardPlan):
            open_ones.append(f"{{{fan.name}}}")
    if not open_ones:
        return requests
    if expected.partitions is not None:
        return max(requests, expected.partitions)
    values = math.ceil((expected.results or 1) / (held * requests)) if held else 1
    notes.append(
        f"it is counted for {counted(values, 'value')} of {' and '.join(open_ones)}, and every further one costs the same "
        "again; expect(..., partitions=...) says how many there are"
    )
    return requests * values
