"""Results of all reads, in both sessions: thin loops around a reader that knows nothing of I/O."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Generic, Protocol, TypeVar

from tablewright.client.calls import Steps
from tablewright.client.drive import AsyncDriver, SyncDriver
from tablewright.model.results import AsyncResults, Capacity, Page, Results
from tablewright.values.types import Item

T = TypeVar("T")


class PagingReader(Protocol):
    """Something that hands out items chunk by chunk or page by page, and knows what they are."""

    @property
    def done(self) -> bool:
        """Whether everything was handed out."""
        ...

    @property
    def scanned(self) -> int | None:
        """How many items were read so far, before filters."""
        ...

    @property
    def capacity(self) -> Capacity | None:
        """What reading consumed so far, where that is known."""
        ...

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

    @property
    def decode(self) -> Callable[[Item], Any]:
        """What makes of an item what the caller gets."""
        ...


class SyncQueryResults(Results[T], Generic[T]):
    """Results of a sync read; every iteration reads anew."""

    def __init__(self, driver: SyncDriver, reader: Callable[[], PagingReader]) -> None:
        self._driver = driver
        self._reader = reader

    def __iter__(self) -> Iterator[T]:
        reader = self._reader()
        decode = reader.decode
        while not reader.done:
            for item in self._driver.run(reader.more()):
                yield decode(item)

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
        reader = self._reader()
        found: list[T] = []
        while not reader.done:
            found += map(reader.decode, self._driver.run(reader.more()))
        return found

    def page(self, limit: int | None = None, cursor: str | None = None, *, fill: bool = False) -> Page[T]:
        """At most `limit` items after `cursor`, and the cursor of the next page."""
        reader = self._reader()
        items, following = self._driver.run(reader.page(limit, cursor, fill=fill))
        return Page(tuple(map(reader.decode, items)), following, reader.scanned, reader.capacity)

    def count(self) -> int:
        """How many items there are."""
        return self._driver.run(self._reader().count())


class AsyncQueryResults(AsyncResults[T], Generic[T]):
    """The same, async."""

    def __init__(self, driver: AsyncDriver, reader: Callable[[], PagingReader]) -> None:
        self._driver = driver
        self._reader = reader

    async def __aiter__(self) -> AsyncIterator[T]:
        reader = self._reader()
        decode = reader.decode
        while not reader.done:
            for item in await self._driver.run(reader.more()):
                yield decode(item)

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
