"""Results over any reader that can page and count by itself: plain queries and scans, and PartiQL statements."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from tablewright.client.calls import Steps
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.client.results import async_items, sync_items
from tablewright.model.results import AsyncResults, Capacity, Page, Results
from tablewright.values.types import Item

T = TypeVar("T")


class PagingReader(Protocol):
    """Something that hands out items chunk by chunk or page by page, and knows what they are."""

    done: bool
    scanned: int | None
    capacity: Capacity | None

    def more(self) -> Steps[list[Item]]:
        """The next items."""
        ...

    def first(self) -> Steps[Item | None]:
        """The first item."""
        ...

    def take(self, count: int) -> Steps[list[Item]]:
        """The first items."""
        ...

    def page(
        self, limit: int | None, cursor: str | None, *, fill: bool = False
    ) -> Steps[tuple[list[Item], str | None]]:
        """Some items, and the next cursor."""
        ...

    def count(self) -> Steps[int]:
        """How many there are."""
        ...

    def decode(self, item: Item) -> Any:
        """An item as what the caller gets."""
        ...


class SyncAnswers(Results[T], Generic[T]):
    """Results of a sync read; every iteration reads anew."""

    def __init__(self, driver: SyncDriver, reader: Callable[[], PagingReader]) -> None:
        self._driver = driver
        self._reader = reader

    def __iter__(self) -> Iterator[T]:
        reader = self._reader()
        for item in sync_items(self._driver, reader):
            yield reader.decode(item)

    def first(self) -> T | None:
        """The first item, or None."""
        reader = self._reader()
        item = self._driver.run(reader.first())
        return None if item is None else reader.decode(item)

    def take(self, count: int) -> list[T]:
        """The first items, in a list."""
        reader = self._reader()
        return [reader.decode(item) for item in self._driver.run(reader.take(count))]

    def all(self) -> list[T]:
        """Every item, in a list."""
        return list(self)

    def page(self, limit: int | None = None, cursor: str | None = None, *, fill: bool = False) -> Page[T]:
        """At most `limit` items after `cursor`, and the cursor of the next page."""
        reader = self._reader()
        items, following = self._driver.run(reader.page(limit, cursor, fill=fill))
        return Page(tuple(map(reader.decode, items)), following, reader.scanned, reader.capacity)

    def count(self) -> int:
        """How many items there are."""
        return self._driver.run(self._reader().count())


class AsyncAnswers(AsyncResults[T], Generic[T]):
    """The same, async."""

    def __init__(self, driver: AsyncDriver, reader: Callable[[], PagingReader]) -> None:
        self._driver = driver
        self._reader = reader

    async def __aiter__(self) -> AsyncIterator[T]:
        reader = self._reader()
        async for item in async_items(self._driver, reader):
            yield reader.decode(item)

    async def first(self) -> T | None:
        """The first item, or None."""
        reader = self._reader()
        item = await self._driver.run(reader.first())
        return None if item is None else reader.decode(item)

    async def take(self, count: int) -> list[T]:
        """The first items, in a list."""
        reader = self._reader()
        return [reader.decode(item) for item in await self._driver.run(reader.take(count))]

    async def all(self) -> list[T]:
        """Every item, in a list."""
        return [item async for item in self]

    async def page(self, limit: int | None = None, cursor: str | None = None, *, fill: bool = False) -> Page[T]:
        """At most `limit` items after `cursor`, and the cursor of the next page."""
        reader = self._reader()
        items, following = await self._driver.run(reader.page(limit, cursor, fill=fill))
        return Page(tuple(map(reader.decode, items)), following, reader.scanned, reader.capacity)

    async def count(self) -> int:
        """How many items there are."""
        return await self._driver.run(self._reader().count())
