"""Reading: single items, pages, and merged reads over several partitions, as steps without I/O."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.context import Context
from tablewright.client.resuming import from_sort_key
from tablewright.client.targets import Resolved, find_through_index
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.reads import CollectionPlan, GetPlan, KeyQuery, QueryPlan
from tablewright.errors import ArgumentError, UnknownEntityTypeError, UnprocessedError
from tablewright.expressions import ast, evaluate
from tablewright.values.ordering import sort_bytes
from tablewright.values.types import Item
from tablewright.values.wire import dumps

MAX_BATCH_GET = 100
PAGE_REQUESTS = 10
"""How many requests one page() may take to fill itself when a filter drops most of what is read."""
_BATCH_ATTEMPTS = 8


def entity_from(plan: EntityPlan, item: Item) -> Any:
    """An item as the entity that the read promised."""
    kind = item.get(plan.names.type)
    if kind is not None and kind.get("S") != plan.options.type:
        raise UnknownEntityTypeError(
            f"A read of {plan.name} met an item of another type.", hint="Something else writes keys of this form."
        )
    return plan.decode(item)


def get_item(context: Context, key: Item, *, strong: bool) -> Steps[Item | None]:
    """One GetItem."""
    request: dict[str, Any] = {"TableName": context.table, "Key": key}
    if strong:
        request["ConsistentRead"] = True
    response = yield Call("GetItem", request, repeatable=True)
    return response.get("Item")


def get_one(context: Context, compiled: GetPlan, arguments: Mapping[str, Any]) -> Steps[Any]:
    """One entity or None."""
    key = compiled.key(arguments)
    if key is not None:
        item = yield from get_item(context, key, strong=compiled.strong)
    else:
        items = yield from find_through_index(context, compiled, arguments)
        item = items[0] if items else None
    return entity_from(compiled.plan, item) if item is not None else None


def get_many(context: Context, targets: Sequence[Resolved], *, strong: bool) -> Steps[list[Any]]:
    """One entity or None for each target, in their order; each item is asked for once."""
    wanted = {dumps(sorted(t.key.items())): t for t in targets}
    found: dict[bytes, Item] = {}
    pending = [t.key for t in wanted.values()]
    attempt = 0
    while pending:
        asked, rest = pending[:MAX_BATCH_GET], pending[MAX_BATCH_GET:]
        table: dict[str, Any] = {"Keys": asked}
        if strong:
            table["ConsistentRead"] = True
        response = yield Call("BatchGetItem", {"RequestItems": {context.table: table}}, repeatable=True)
        names = list(asked[0])
        for item in response["Responses"].get(context.table, []):
            found[dumps(sorted((n, item[n]) for n in names))] = item
        left = response.get("UnprocessedKeys", {}).get(context.table, {}).get("Keys", [])
        if left:
            attempt += 1
            if attempt > _BATCH_ATTEMPTS:
                raise UnprocessedError(
                    f"{len(left)} keys of a batch stayed unread.", keys=left, hint="Try again later."
                )
            yield Pause(attempt)
        pending = left + rest
    results = []
    for target in targets:
        item = found.get(dumps(sorted(target.key.items())))
        results.append(None if item is None else entity_from(target.plan, item))
    return results


@dataclass(slots=True, eq=False)
class _Partition:
    """One partition of a read: what is left to fetch and what was fetched but not handed out."""

    query: KeyQuery
    check: ast.Condition | None = None
    start: Item | None = None
    buffer: list[Item] = field(default_factory=list)
    exhausted: bool = False

    def fetch(self, limit: int | None) -> Steps[None]:
        request = self.query.request()
        if limit is not None:
            request["Limit"] = limit
        if self.start is not None:
            request["ExclusiveStartKey"] = self.start
        response = yield Call("Query", request, repeatable=True)
        items = response["Items"]
        self.buffer.extend(items if self.check is None else (i for i in items if evaluate(self.check, i)))
        self.start = response.get("LastEvaluatedKey")
        self.exhausted = self.start is None


class QueryReader:
    """Hands out the items of a query, chunk by chunk, in order, from one partition or merged from several."""

    def __init__(self, context: Context, compiled: QueryPlan, arguments: Mapping[str, Any]) -> None:
        self._context = context
        self._compiled = compiled
        self._queries = compiled.queries(arguments, context.table)
        self._partitions = [_Partition(q) for q in self._queries]
        self._limit = compiled.page_limit

    @property
    def plan(self) -> EntityPlan:
        """The entity that is read."""
        return self._compiled.plan

    @property
    def done(self) -> bool:
        """Whether everything was handed out."""
        return all(p.exhausted and not p.buffer for p in self._partitions)

    def more(self) -> Steps[list[Item]]:
        """The next items in order; perhaps none although more will follow."""
        if len(self._partitions) == 1:
            (only,) = self._partitions
            if not only.exhausted:
                yield from only.fetch(self._limit)
            items, only.buffer = only.buffer, []
            return items
        return (yield from self._merge())

    def _merge(self) -> Steps[list[Item]]:
        for partition in self._partitions:
            # Items with equal sort keys come in any order from the service, so a run of them is complete only when a
            # different one follows.
            while not partition.exhausted and len({self._sort_value(i) for i in partition.buffer[-2:]}) < 2:
                yield from partition.fetch(self._limit)
        open_ends = [self._sort_value(p.buffer[-1]) for p in self._partitions if not p.exhausted and p.buffer]
        ready: list[Item] = []
        for partition in self._partitions:
            safe = [i for i in partition.buffer if not open_ends or self._before_all(self._sort_value(i), open_ends)]
            partition.buffer = partition.buffer[len(safe) :]
            ready.extend(safe)
        ready.sort(key=self._order, reverse=self._compiled.descending)
        return ready

    def _before_all(self, value: bytes, ends: list[bytes]) -> bool:
        return value > max(ends) if self._compiled.descending else value < min(ends)

    def _sort_value(self, item: Item) -> bytes:
        sort = self._compiled.served.path.sk
        return b"".join(sort_bytes(item[k.attribute.name]) for k in sort) if sort else b""

    def _order(self, item: Item) -> tuple[bytes, ...]:
        return tuple(sort_bytes(item[name]) for name in self._compiled.order)

    # ------------------------------------------------------------------------------------------------- pages

    def page(self, limit: int | None, cursor: str | None) -> Steps[tuple[list[Item], str | None]]:
        """At most `limit` items after the cursor, and the next cursor."""
        limit = limit if limit is not None else self._compiled.page_limit or 100
        if limit < 1:
            raise ArgumentError("A page holds at least one item.", constraint="limit >= 1")
        position = self._context.seal.open(self._binding(), cursor) if cursor is not None else None
        if not self._partitions:
            return [], None
        if len(self._partitions) == 1:
            items, end = yield from self._page_of_one(limit, position)
        else:
            items, end = yield from self._page_of_many(limit, position)
        return items, None if end is None else self._context.seal.seal(self._binding(), end)

    def _page_of_one(self, limit: int, position: Item | None) -> Steps[tuple[list[Item], Item | None]]:
        (only,) = self._partitions
        only.start = position
        for _ in range(PAGE_REQUESTS):
            yield from only.fetch(limit - len(only.buffer))
            if only.exhausted or len(only.buffer) >= limit:
                break
        return only.buffer, only.start

    def _page_of_many(self, limit: int, position: Item | None) -> Steps[tuple[list[Item], Item | None]]:
        seen: tuple[bytes, ...] | None = None
        descending = self._compiled.descending
        if position is not None:
            seen = self._order(position)
            sort = self._compiled.served.path.sk
            self._partitions = [
                self._resumed(p.query, sort[0].attribute.name if sort else None, position) for p in self._partitions
            ]
        self._limit = limit
        items: list[Item] = []
        while len(items) <= limit and not self.done:
            chunk = yield from self.more()
            items.extend(
                i for i in chunk if seen is None or (self._order(i) < seen if descending else self._order(i) > seen)
            )
        page = items[:limit]
        if len(items) <= limit:
            return page, None
        return page, {name: page[-1][name] for name in self._compiled.order}

    def _resumed(self, query: KeyQuery, attribute: str | None, position: Item) -> _Partition:
        if attribute is None:
            return _Partition(query)
        terms = from_sort_key(query.terms, attribute, position[attribute], descending=query.descending)
        cut = KeyQuery(query.table, query.index, tuple(terms), query.filter, query.strong, query.descending)
        return _Partition(cut, check=query.terms[0] if len(query.terms) == 1 else ast.And(query.terms))

    def _binding(self) -> str:
        """What a cursor is bound to: the very requests it continues, and the tenant."""
        digest = hashlib.sha256(dumps([q.request() for q in self._queries]))
        return f"{self._context.table}/{self._context.options.tenant or ''}/{digest.hexdigest()}"

    def count(self) -> Steps[int]:
        """How many items there are, without fetching them."""
        total = 0
        for query in self._queries:
            start: Item | None = None
            while True:
                request = {**query.request(), "Select": "COUNT"}
                if start is not None:
                    request["ExclusiveStartKey"] = start
                response = yield Call("Query", request, repeatable=True)
                total += response["Count"]
                start = response.get("LastEvaluatedKey")
                if start is None:
                    break
        return total


def collect(context: Context, compiled: CollectionPlan, arguments: Mapping[str, Any]) -> Steps[Any]:
    """One query over a collection, its items handed to the parts that asked for them."""
    partition = _Partition(compiled.query(arguments, context.table))
    while not partition.exhausted:
        yield from partition.fetch(None)
    ranges = compiled.ranges(arguments)
    found: dict[str, Any] = {}
    for part, keys in zip(compiled.parts, ranges, strict=True):
        plan, sort = part.query.plan, part.query.served.path.sk[0].attribute.name
        own = {"S": plan.options.type}
        entities = [plan.decode(i) for i in partition.buffer if i.get(plan.names.type) == own and i[sort]["S"] in keys]
        found[part.name] = entities if part.many else entities[0] if entities else None
    return compiled.make(**found)


class ScanReader:
    """Every item of one entity or of the whole table: for maintenance, never for an application's reads."""

    def __init__(self, context: Context, plan: EntityPlan | None, *, segment: int = 0, segments: int = 1) -> None:
        if not 0 <= segment < segments <= 1_000_000:
            raise ArgumentError("scan() takes a segment from 0 to segments - 1.", constraint="0 <= segment < segments")
        self._context = context
        self._plan = plan
        self._segment = {"Segment": segment, "TotalSegments": segments} if segments > 1 else {}
        self._start: Item | None = None
        self.done = False

    def more(self) -> Steps[list[Item]]:
        """The next items, perhaps none although more will follow."""
        request: dict[str, Any] = {"TableName": self._context.table, **self._segment}
        if self._start is not None:
            request["ExclusiveStartKey"] = self._start
        response = yield Call("Scan", request, repeatable=True)
        self._start = response.get("LastEvaluatedKey")
        self.done = self._start is None
        items: list[Item] = response["Items"]
        names, plan = self._context.plan.table.names, self._plan
        if plan is None:
            known = self._context.plan.by_type
            return [i for i in items if i.get(names.type, {}).get("S") in known]
        return [i for i in items if i.get(names.type) == {"S": plan.options.type}]
