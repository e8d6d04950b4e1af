"""Queries and scans of plain items: page by page, with what the service says of each page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from tablewright.client.calls import Call, Steps
from tablewright.client.context import Place
from tablewright.client.cursors import begins
from tablewright.client.pages import check_count
from tablewright.client.stumbling import Stumbling
from tablewright.client.writes.paths import parse_path
from tablewright.errors import ArgumentError
from tablewright.expressions import ast
from tablewright.expressions.builder import ExpressionBuilder, all_of
from tablewright.model.results import Capacity
from tablewright.transport.answers import next_start
from tablewright.values.types import Item
from tablewright.values.wire import dumps, from_wire_item

DEFAULT_PAGE = 100
PlainItem = dict[str, Any]


def projected(names: Iterable[str] | None) -> tuple[ast.Path, ...]:
    """The paths of a projection, given as attribute names or paths such as "address.city"."""
    if names is None:
        return ()
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise ArgumentError("A projection is a list of attribute names.", hint='Write projection=["name", "email"].')
    paths = tuple(dict.fromkeys(parse_path(n) for n in names))
    if not paths:
        raise ArgumentError("A projection names no attribute.", hint="Leave it out to read whole items.")
    return paths


def positive(number: object, word: str) -> int | None:
    """A limit or page size: a number from 1 on, or None."""
    if number is None or (isinstance(number, int) and not isinstance(number, bool) and number >= 1):
        return number
    raise ArgumentError(f"{word} is a number from 1 on.", constraint=f"{word} >= 1")


class PlainRead(Struct, frozen=True):
    """One query or scan, described: what is the same in each of its requests."""

    operation: str
    table: str
    index: str | None
    terms: tuple[ast.Condition, ...]
    condition: ast.Condition | None
    projection: tuple[ast.Path, ...]
    flags: Mapping[str, Any]
    limit: int | None
    page_size: int | None

    def request(self, *, count: bool = False) -> dict[str, Any]:
        """The request, without a limit or start; with `count`, for the number of items instead of the items."""
        builder = ExpressionBuilder()
        if self.terms:
            builder.key_condition(all_of(*self.terms))
        if self.condition is not None:
            builder.filter(self.condition)
        if not count:
            builder.project(*self.projection)
        request = {"TableName": self.table, **builder.build(), **self.flags}
        if self.index is not None:
            request["IndexName"] = self.index
        if count:
            request["Select"] = "COUNT"
        return request


class PlainReader:
    """Hands out what a read finds, at most its limit in all; holds one page at a time."""

    def __init__(self, place: Place, read: PlainRead) -> None:
        self._place = place
        self._read = read
        self._start: Item | None = None
        self._left = read.limit
        self.done = False
        self.scanned: int | None = 0
        self.capacity: Capacity | None = Capacity()

    def decode(self, item: Item) -> PlainItem:
        """An item as plain Python values."""
        with Stumbling(self._read.operation, [item]):
            return from_wire_item(item)

    def more(self) -> Steps[list[Item]]:
        """The items of the next request, perhaps none although more will follow."""
        return (yield from self._fetch(self._read.page_size))

    def take(self, count: int) -> Steps[list[Item]]:
        """The first items."""
        check_count(count)
        items: list[Item] = []
        while len(items) < count and not self.done:
            items += yield from self._fetch(self._read.page_size if self._read.condition is not None else count)
        return items[:count]

    def first(self) -> Steps[Item | None]:
        """The first item."""
        size = self._read.page_size if self._read.condition is not None else 1
        while not self.done:
            items = yield from self._fetch(size)
            if items:
                return items[0]
        return None

    def page(
        self, limit: int | None, cursor: str | None, *, fill: bool = False
    ) -> Steps[tuple[list[Item], str | None]]:
        """At most `limit` items after the cursor, by one request unless it is to be filled, and the next cursor."""
        size = positive(limit, "limit") or self._read.page_size or DEFAULT_PAGE
        seal, binding = self._place.seal, self._binding()
        if not begins(cursor):
            self._start, self._left = seal.open(binding, cursor)
        items = yield from self._fetch(size if self._left is None else min(size, self._left))
        while fill and len(items) < size and not self.done:
            left = size - len(items)
            items += yield from self._fetch(left if self._left is None else min(left, self._left))
        return items, None if self.done else seal.seal(binding, [self._start, self._left])

    def count(self) -> Steps[int]:
        """How many items there are, without fetching them."""
        total, most = 0, self._read.limit
        while not self.done:
            response = yield from self._send(self._read.request(count=True))
            total += response["Count"]
            self.done = self.done or (most is not None and total >= most)
        return total if most is None else min(total, most)

    def _fetch(self, size: int | None) -> Steps[list[Item]]:
        request = self._read.request()
        if size is not None:
            request["Limit"] = size
        response = yield from self._send(request)
        items: list[Item] = response["Items"]
        if self._left is not None:
            items = items[: self._left]
            self._left -= len(items)
            self.done = self.done or self._left == 0
        return items

    def _send(self, request: dict[str, Any]) -> Steps[dict[str, Any]]:
        request["ReturnConsumedCapacity"] = "TOTAL"
        if self._start is not None:
            request["ExclusiveStartKey"] = self._start
        response = yield Call(self._read.operation, request, repeatable=True)
        consumed = Capacity(read=response.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))
        self.scanned = (self.scanned or 0) + response.get("ScannedCount", 0)
        self.capacity = (self.capacity or Capacity()) + consumed
        self._start = next_start(response)
        self.done = self._start is None
        return response

    def _binding(self) -> str:
        """What a cursor is bound to: the very request it continues, and the tenant."""
        digest = hashlib.sha256(self._read.operation.encode() + dumps([self._read.request(), self._read.limit]))
        return f"{self._place.table}/{self._place.options.tenant or ''}/{digest.hexdigest()}"
