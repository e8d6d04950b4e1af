"""Queries, chunk by chunk or page by page: one partition, several one after another, or several merged in order."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.client.calls import Call, Steps
from tablewright.client.context import Context
from tablewright.client.cursors import begins
from tablewright.client.expiry import hiding
from tablewright.client.resuming import from_sort_key
from tablewright.client.stumbling import Stumbling
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.reads import KeyQuery, MixedPlan, QueryPlan
from tablewright.errors import ArgumentError
from tablewright.expressions import ast, evaluate
from tablewright.model.results import Capacity
from tablewright.transport.answers import next_start
from tablewright.values.ordering import sort_bytes
from tablewright.values.types import Item
from tablewright.values.wire import dumps

if TYPE_CHECKING:
    from tablewright.compiler.records import Form

PAGE_REQUESTS = 10
"""How many requests one page() may take to fill itself when a filter drops most of what is read."""
DEFAULT_PAGE = 100
_FILTERED_FETCH = 100

Order: TypeAlias = tuple[bytes, ...]


class Partition(Struct, eq=False):
    """One partition of a read: what is left to fetch and what was fetched but not handed out."""

    query: KeyQuery
    check: Callable[[Item], bool] | None = None
    start: Item | None = None
    buffer: list[Item] = field(default_factory=list)
    exhausted: bool = False
    scanned: int = 0
    units: float | None = None
    """The read units consumed, where somebody measures."""
    form: Form | None = None
    """How items may be read; they are then handed out unseen."""

    def fetch(self, limit: int | None) -> Steps[None]:
        """One request."""
        request, form = self.query.request(), self.form
        if limit is not None:
            request["Limit"] = limit
        if self.start is not None:
            request["ExclusiveStartKey"] = self.start
        response = yield Call("Query", request, True, self.query.pattern, form, form.of if form is not None else None)
        items = response["Items"]
        self.buffer.extend(items if self.check is None else filter(self.check, items))
        self.start = next_start(response)
        self.exhausted = self.start is None
        self.scanned += response.get("ScannedCount", 0)
        if "ConsumedCapacity" in response:
            self.units = (self.units or 0.0) + response["ConsumedCapacity"].get("CapacityUnits", 0.0)

    def take(self) -> list[Item]:
        """What was fetched and not handed out."""
        items, self.buffer = self.buffer, []
        return items


def check_count(count: object) -> None:
    """Refuses what is no number of items."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise ArgumentError("take() takes a number of items, at least one.", constraint="count >= 1")


def _place(item: Item, names: Sequence[str]) -> Order:
    """Where an item stands among others."""
    with Stumbling("Query", [item]):
        return tuple([sort_bytes(item[name]) for name in names])


def _as_it_is(item: Item) -> Item:
    return item


class QueryReader:
    """Hands out the items of a query in order.

    Partitions that share a sort key are merged by it. Without one there is no order to keep, so they are read one after
    another. Who gives `decode`, which makes entities of items, looks at these no other way.
    """

    def __init__(
        self,
        context: Context,
        compiled: QueryPlan | MixedPlan,
        arguments: Mapping[str, Any],
        check: Callable[[Item], bool] | None = None,
        decode: Callable[[Item], Any] | None = None,
    ) -> None:
        self._context = context
        self._compiled = compiled
        self._queries = compiled.queries(arguments, context.table)
        self._check = check
        hides = context.options.hide_expired
        self._asked = hiding(context, compiled, self._queries) if hides else self._queries
        self._partitions = [Partition(q, check) for q in self._asked]
        self._filtered = any(q.filter is not None for q in self._asked) or check is not None
        self._sort = tuple(k.attribute.name for k in compiled.served.path.sk)
        self._merged = len(self._partitions) > 1 and bool(self._sort)
        self.decode = decode or _as_it_is
        if decode is not None and isinstance(compiled, QueryPlan) and not compiled.projection and not self._merged:
            form = context.form(compiled.plan)
            for partition in self._partitions:
                partition.form = form
        self._limit = compiled.page_limit
        self._after: Order | None = None

    @property
    def plan(self) -> EntityPlan:
        """The entity that is read."""
        return self._compiled.plan

    @property
    def scanned(self) -> int:
        """How many items were read so far, before filters."""
        return sum(p.scanned for p in self._partitions)

    @property
    def capacity(self) -> Capacity | None:
        """What reading consumed so far, where somebody measures."""
        measured = [p.units for p in self._partitions if p.units is not None]
        return Capacity(read=sum(measured)) if measured else None

    @property
    def done(self) -> bool:
        """Whether everything was handed out."""
        return all(p.exhausted and not p.buffer for p in self._partitions)

    def in_order(self, after: Item | None = None) -> None:
        """Hands items out in the whole order of the read, which the service does not promise among equal sort keys; those
        up to the one with the keys `after` are left out."""
        self._merged = bool(self._sort)
        if after is not None:
            self._after = self._order(after)
            self._partitions = [self._resumed(p.query, after) for p in self._partitions]

    def more(self, limit: int | None = None) -> Steps[list[Item]]:
        """The next items in order, `limit` a request; perhaps none although more will follow."""
        self._limit = self._limit if limit is None else limit
        if self._merged:
            return (yield from self._merge())
        for partition in self._partitions:
            if not partition.exhausted:
                yield from partition.fetch(self._limit)
                return partition.take()
        return []

    def first(self) -> Steps[Item | None]:
        """The first item."""
        return next(iter((yield from self.take(1))), None)

    def take(self, count: int) -> Steps[list[Item]]:
        """The first items."""
        check_count(count)
        if not self._filtered:
            self._limit = count
        items: list[Item] = []
        while len(items) < count and not self.done:
            items += yield from self.more()
        return items[:count]

    # ------------------------------------------------------------------------------------------------- merging

    def _merge(self) -> Steps[list[Item]]:
        for partition in self._partitions:
            # Items with equal sort keys come in any order from the service, so a run of them is complete only when a
            # different one follows.
            while not partition.exhausted and len({self._sort_value(i) for i in partition.buffer[-2:]}) < 2:
                yield from partition.fetch(self._limit)
        open_ends = [self._sort_value(p.buffer[-1]) for p in self._partitions if not p.exhausted]
        ready: list[Item] = []
        for partition in self._partitions:
            safe = [i for i in partition.buffer if not open_ends or self._before_all(self._sort_value(i), open_ends)]
            partition.buffer = partition.buffer[len(safe) :]
            ready.extend(safe)
        after, descending = self._after, self._compiled.descending
        if after is not None:
            ready = [i for i in ready if (self._order(i) < after if descending else self._order(i) > after)]
        ready.sort(key=self._order, reverse=descending)
        return ready

    def _before_all(self, value: Order, ends: list[Order]) -> bool:
        return value > max(ends) if self._compiled.descending else value < min(ends)

    def _sort_value(self, item: Item) -> Order:
        return _place(item, self._sort)

    def _order(self, item: Item) -> Order:
        return _place(item, self._compiled.order)

    # --------------------------------------------------------------------------------------------------- pages

    def page(
        self, limit: int | None, cursor: str | None, *, fill: bool = False
    ) -> Steps[tuple[list[Item], str | None]]:
        """At most `limit` items after the cursor, and the next cursor."""
        limit = limit if limit is not None else self._compiled.page_limit or DEFAULT_PAGE
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise ArgumentError("A page holds at least one item.", constraint="limit >= 1")
        seal = self._context.seal
        position = None if begins(cursor) else seal.open(self._binding(), cursor)
        if not self._partitions:
            return [], None
        if self._merged:
            items, end = yield from self._page_of_merged(limit, position)
        else:
            items, end = yield from self._page_of_chain(limit, position, fill=fill)
        return items, None if end is None else seal.seal(self._binding(), end)

    def _page_of_chain(self, limit: int, position: Any, *, fill: bool) -> Steps[tuple[list[Item], Any]]:
        """A position in a chain is the number of a partition and the place in it."""
        number, start = position if position is not None else (0, None)
        self._partitions[number].start = start
        items: list[Item] = []
        for request in itertools.count(1):
            partition = self._partitions[number]
            yield from partition.fetch(limit - len(items))
            items.extend(partition.take())
            if partition.exhausted:
                number += 1
                if number == len(self._partitions):
                    return items, None
            if len(items) == limit or (not fill and request == PAGE_REQUESTS + len(self._partitions)):
                break
        return items, (number, self._partitions[number].start)

    def _page_of_merged(self, limit: int, position: Item | None) -> Steps[tuple[list[Item], Any]]:
        """A position among merged partitions is the last item handed out: its size does not depend on their number."""
        if position is not None:
            self.in_order(position)
        self._limit = max(limit + 1, _FILTERED_FETCH) if self._filtered else limit + 1
        items: list[Item] = []
        while len(items) <= limit and not self.done:
            items.extend((yield from self.more()))
        page = items[:limit]
        if len(items) <= limit:
            return page, None
        return page, {name: page[-1][name] for name in self._compiled.order}

    def _resumed(self, query: KeyQuery, position: Item) -> Partition:
        name = self._sort[0]
        terms = from_sort_key(query.terms, name, position[name], descending=query.descending)
        cut = replace(query, terms=tuple(terms))
        whole = query.terms[0] if len(query.terms) == 1 else ast.And(query.terms)
        check = self._check
        return Partition(cut, check=lambda item: evaluate(whole, item) and (check is None or check(item)))

    def _binding(self) -> str:
        """What a cursor is bound to: the very requests it continues, and the tenant."""
        digest = hashlib.sha256(dumps([q.request() for q in self._queries]))
        return f"{self._context.table}/{self._context.options.tenant or ''}/{digest.hexdigest()}"

    def count(self) -> Steps[int]:
        """How many items there are, without fetching them."""
        total = 0
        if self._check is not None:  # what is not counted shows only in the items themselves
            while not self.done:
                total += len((yield from self.more()))
            return total
        for query in self._asked:
            start: Item | None = None
            while True:
                request = query.request(count=True)
                if start is not None:
                    request["ExclusiveStartKey"] = start
                response = yield Call("Query", request, True, query.pattern)
                total += response["Count"]
                start = next_start(response)
                if start is None:
                    break
        return total
