"""Results in both sessions: thin loops around a reader that knows nothing of I/O."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from tablewright.client.calls import Steps
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.pages import QueryReader
from tablewright.client.reading import entity_from
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.model.results import AsyncResults, Page, Results
from tablewright.values.types import Item

T = TypeVar("T")


class Reader(Protocol):
    """Something that hands out items chunk by chunk."""

    @property
    def done(self) -> bool:
        """Whether everything was handed out."""
        ...

    def more(self) -> Steps[list[Item]]:
        """The next items."""
        ...


class SyncQueryResults(Results[T], Generic[T]):
    """The results of a query in a sync session; every iteration reads anew."""

    def __init__(
        self,
        driver: SyncDriver,
        reader: Callable[[], QueryReader],
        decode: Callable[[EntityPlan, Item], Any] = entity_from,
    ) -> None:
        self._driver = driver
        self._reader = reader
        self._decode = decode

    def __iter__(self) -> Iterator[T]:
        reader = self._reader()
        plan, decode = reader.plan, self._decode
        while not reader.done:
            for item in self._driver.run(reader.more()):
                yield decode(plan, item)

    def first(self) -> T | None:
        """The first item, or None."""
        reader = self._reader()
        item = self._driver.run(reader.first())
        return None if item is None else self._decode(reader.plan, item)

    def take(self, count: int) -> list[T]:
        """The first items, in a list."""
        reader = self._reader()
        return [self._decode(reader.plan, item) for item in self._driver.run(reader.take(count))]

    def all(self) -> list[T]:
        """Every item, in a list."""
        reader = self._reader()
        plan, decode = reader.plan, self._decode
        found: list[T] = []
        while not reader.done:
            found += [decode(plan, item) for item in self._driver.run(reader.more())]
        return found

    def page(self, limit: int | None = None, cursor: str | None = None, *, fill: bool = False) -> Page[T]:
        """At most `limit` items after `cursor`, and the cursor of the next page."""
        reader = self._reader()
        items, following = self._driver.run(reader.page(limit, cursor, fill=fill))
        found = tuple(self._decode(reader.plan, i) for i in items)
        return Page(found, following, reader.scanned, reader.capacity)

    def count(self) -> int:
        """How many items there are."""
        return self._driver.run(self._reader().count())


class AsyncQueryResults(AsyncResults[T], Generic[T]):
    """The results of a query in an async session; every iteration reads anew."""

    def __init__(
        self,
        driver: AsyncDriver,
        reader: Callable[[], QueryReader],
        decode: Callable[[EntityPlan, Item], Any] = entity_from,
    ) -> None:
        self._driver = driver
        self._reader = reader
        self._decode = decode

    async def __aiter__(self) -> AsyncIterator[T]:
        reader = self._reader()
        plan, decode = reader.plan, self._decode
        async for item in async_items(self._driver, reader):
            yield decode(plan, item)

    async def first(self) -> T | None:
        """The first item, or None."""
        reader = self._reader()
        item = await self._driver.run(reader.first())
        return None if item is None else self._decode(reader.plan, item)

    async def take(self, count: int) -> list[T]:
        """The first items, in a list."""
        reader = self._reader()
        return [self._decode(reader.plan, item) for item in await self._driver.run(reader.take(count))]

    async def all(self) -> list[T]:
        """Every item, in a list."""
        return [item async for item in self]

    async def page(self, limit: int | None = None, cursor: str | None = None, *, fill: bool = False) -> Page[T]:
        """At most `limit` items after `cursor`, and the cursor of the next page."""
        reader = self._reader()
        items, following = await self._driver.run(reader.page(limit, cursor, fill=fill))
        found = tuple(self._decode(reader.plan, i) for i in items)
        return Page(found, following, reader.scanned, reader.capacity)

    async def count(self) -> int:
        """How many items there are."""
        return await self._driver.run(self._reader().count())


def sync_items(driver: SyncDriver, reader: Reader) -> Iterator[Item]:
    """Every item of a reader, one page in memory."""
    while not reader.done:
        yield from driver.run(reader.more())


async def async_items(driver: AsyncDriver, reader: Reader) -> AsyncIterator[Item]:
    """The same, async."""
    while not reader.done:
        for item in await driver.run(reader.more()):
            yield item
