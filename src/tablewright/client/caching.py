"""A cache of single items in this process, forgotten by every write that goes through its sessions.

It stands between the drivers and a transport, so whatever writes through a session is seen: updates, batches,
transactions, raw requests, and those whose reply was lost.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tablewright.client.writes.action import same_key
from tablewright.errors import ConfigError, NumberError
from tablewright.transport.base import AsyncTransport, Read, Request, Response, TimedTransport, Transport
from tablewright.values.numbers import canonical_number, is_canonical
from tablewright.values.types import Item
from tablewright.values.wire import dumps, loads

_READS = frozenset({"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"})
_SINGLE = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
_NO_REQUEST = (LookupError, TypeError, AttributeError, ValueError, NumberError)
"""What comes of looking into a request that is none; whoever gets it will say what is wrong with it."""


class ReadCache:
    """Items by their primary keys, for `open(..., cache=ReadCache())`; share one between sessions of a process on
    the same place.

    At most `max_items` are kept, each for `max_age` seconds at most: that is how long a write of another process may go
    unseen. An item that was just written is not kept for `settle` seconds, because a read may still find what it was
    before. Consistent reads, projections and queries pass it by. `hits` and `misses` count.
    """

    def __init__(
        self,
        max_items: int = 10_000,
        max_age: float = 60.0,
        settle: float = 1.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        if not isinstance(max_items, int) or isinstance(max_items, bool) or max_items < 1:
            raise ConfigError("ReadCache(max_items=...) is a number from 1 on.")
        if max_age <= 0 or settle < 0:
            raise ConfigError("ReadCache needs max_age > 0 and settle >= 0, in seconds.")
        self.hits = self.misses = 0
        self._max_items, self._max_age, self._settle, self._now = max_items, max_age, settle, now
        self._items: OrderedDict[bytes, tuple[float, bytes]] = OrderedDict()
        self._written: OrderedDict[bytes, float] = OrderedDict()
        self._reading: dict[bytes, set[object]] = {}
        self._cleared = float("-inf")
        self._place: object = None
        self._lock = threading.Lock()

    def bind(self, place: object) -> None:
        """Items of one name lie in many places: a cache holds those of one."""
        with self._lock:
            if self._place is None:
                self._place = place
            if self._place != place:
                raise ConfigError(
                    "This ReadCache belongs to sessions on another place; the items there are others.",
                    hint="Give the sessions on each engine, file, client, or endpoint and profile a ReadCache of their own.",
                )

    def __len__(self) -> int:
        return len(self._items)

    def find(self, name: bytes) -> Item | None:
        """The item, if it is known and not too old."""
        with self._lock:
            found = self._items.get(name)
            if found is None or self._now() >= found[0]:
                self._items.pop(name, None)
                self.misses += 1
                return None
            self._items.move_to_end(name)
            self.hits += 1
        item: Item = loads(found[1])  # a copy of the caller's own
        return item

    def expect(self, name: bytes) -> object:
        """A read begins; what it finds may be kept unless the item is written before it ends."""
        ticket = object()
        with self._lock:
            self._reading.setdefault(name, set()).add(ticket)
        return ticket

    def ended(self, name: bytes, ticket: object, item: Item | None) -> None:
        """The read ended, with an item or without one."""
        with self._lock:
            waiting = self._reading.get(name, set())
            undisturbed = ticket in waiting
            waiting.discard(ticket)
            if not waiting:
                self._reading.pop(name, None)
            now = self._now()
            settled = now - max(self._written.get(name, float("-inf")), self._cleared) >= self._settle
            if item is not None and undisturbed and settled:
                self._items[name] = (now + self._max_age, dumps(item))
                self._items.move_to_end(name)
                while len(self._items) > self._max_items:
                    self._items.popitem(last=False)

    def forget(self, names: Iterable[bytes]) -> None:
        """These items are being written, or were."""
        with self._lock:
            now = self._now()
            for name in names:
                self._items.pop(name, None)
                self._reading.pop(name, None)
                self._written[name] = now
                self._written.move_to_end(name)
            while self._written and now - next(iter(self._written.values())) >= self._settle:
                self._written.popitem(last=False)

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._items.clear()
            self._reading.clear()
            self._written.clear()
            self._cleared = self._now()


class _Caching:
    """What both transports with a cache do around a request."""

    def __init__(self, cache: ReadCache, names: list[str]) -> None:
        self._cache = cache
        self._names = names

    def _cacheable(self, operation: str, request: Request) -> bytes | None:
        """The name of the one whole item that a request asks for, if it is one that the cache may answer."""
        if operation != "GetItem" or request.get("ConsistentRead"):
            return None
        if "ProjectionExpression" in request or "AttributesToGet" in request:
            return None
        try:
            return self._name(request["TableName"], request["Key"])
        except _NO_REQUEST:
            return None

    def _name(self, table: str, key: Item) -> bytes:
        """The name of an item, the same however a number in its key is written."""
        named = {n: key[n] for n in self._names if n in key}
        for name, value in named.items():
            number = value.get("N")
            if number is not None and not is_canonical(number):
                named[name] = {"N": canonical_number(number)}
        return table.encode() + b"/" + same_key(named)

    @contextmanager
    def _forgetting(self, operation: str, request: Request) -> Iterator[None]:
        """Forgets what a request writes before it is sent, and once more when it ended, however that was."""
        if operation in _READS or operation.startswith(("Describe", "List")) or _selects(operation, request):
            yield
            return
        written = self._written(operation, request)
        try:
            self._drop(written)
            yield
        finally:
            self._drop(written)

    def _drop(self, written: list[bytes] | None) -> None:
        if written is None:
            self._cache.clear()
        else:
            self._cache.forget(written)

    def _written(self, operation: str, request: Request) -> list[bytes] | None:
        """The items that a request writes; None where that cannot be told."""
        try:
            return self._written_by(operation, request)
        except _NO_REQUEST:
            return None

    def _written_by(self, operation: str, request: Request) -> list[bytes] | None:
        if operation in _SINGLE:
            return [self._name(request["TableName"], request.get("Item") or request["Key"])]
        if operation == "BatchWriteItem":
            return [
                self._name(table, (one.get("PutRequest") or {}).get("Item") or one["DeleteRequest"]["Key"])
                for table, several in request["RequestItems"].items()
                for one in several
            ]
        if operation == "TransactWriteItems":
            bodies = [body for action in request["TransactItems"] for body in action.values()]
            return [self._name(body["TableName"], body.get("Item") or body["Key"]) for body in bodies]
        return None


def _selects(operation: str, request: Request) -> bool:
    """Whether a request is nothing but reading statements."""
    if operation == "ExecuteStatement":
        several = [request]
    else:
        several = request.get({"BatchExecuteStatement": "Statements"}.get(operation, "TransactStatements")) or []
    try:
        return bool(several) and all(str(one.get("Statement")).lstrip()[:7].upper() == "SELECT " for one in several)
    except _NO_REQUEST:
        return False


class CachedTransport(_Caching):
    """A transport with a cache in front of it."""

    def __init__(self, inner: Transport, cache: ReadCache, names: list[str]) -> None:
        super().__init__(cache, names)
        self._inner = inner
        self._in_time = inner.read_in_time if isinstance(inner, TimedTransport) else None

    @property
    def client(self) -> Any:
        """The boto3 client behind it, if there is one."""
        return getattr(self._inner, "client", None)

    def send(self, operation: str, request: Request) -> Response:
        """One request, or no request at all."""
        return self._answer(operation, request, None)

    def read_in_time(self, operation: str, request: Request, read: Read | None, until: float) -> Response:
        """The same, in time as far as the transport behind it can; the cache needs whole items, whatever `read` makes."""
        return self._answer(operation, request, until)

    def _ask(self, operation: str, request: Request, until: float | None) -> Response:
        if until is None or self._in_time is None:
            return self._inner.send(operation, request)
        return self._in_time(operation, request, None, until)

    def _answer(self, operation: str, request: Request, until: float | None) -> Response:
        name = self._cacheable(operation, request)
        if name is None:
            with self._forgetting(operation, request):
                return self._ask(operation, request, until)
        item = self._cache.find(name)
        if item is not None:
            return {"Item": item}
        ticket, response = self._cache.expect(name), {}
        try:
            response = self._ask(operation, request, until)
            return response
        finally:
            self._cache.ended(name, ticket, response.get("Item"))

    def close(self) -> None:
        """Gives up what the transport holds."""
        self._inner.close()


class AsyncCachedTransport(_Caching):
    """The same for asyncio."""

    def __init__(self, inner: AsyncTransport, cache: ReadCache, names: list[str]) -> None:
        super().__init__(cache, names)
        self._inner = inner

    @property
    def client(self) -> Any:
        """The boto3 client behind it, if there is one."""
        return getattr(self._inner, "client", None)

    async def send(self, operation: str, request: Request) -> Response:
        """One request, or no request at all."""
        name = self._cacheable(operation, request)
        if name is None:
            with self._forgetting(operation, request):
                return await self._inner.send(operation, request)
        item = self._cache.find(name)
        if item is not None:
            return {"Item": item}
        ticket, response = self._cache.expect(name), {}
        try:
            response = await self._inner.send(operation, request)
            return response
        finally:
            self._cache.ended(name, ticket, response.get("Item"))

    async def close(self) -> None:
        """Gives up what the transport holds."""
        await self._inner.close()
