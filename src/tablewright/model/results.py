"""What a read gives back: lazy results over all pages, and single pages with a cursor. The client implements these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from typing import Generic, NoReturn, TypeVar

from msgspec import Struct

from tablewright.errors import ArgumentError

T_co = TypeVar("T_co", covariant=True)


class Capacity(Struct, frozen=True):
    """Capacity units that requests consumed."""

    read: float = 0.0
    """Read units."""
    write: float = 0.0
    """Write units."""

    def __add__(self, other: Capacity) -> Capacity:
        return Capacity(self.read + other.read, self.write + other.write)


class Page(Struct, Generic[T_co], frozen=True):
    """One page: its items and the cursor of the next one, None at the end.

    A page of a filtered query may be shorter than its limit, even empty, while there is a next one, unless it was filled.
    """

    items: tuple[T_co, ...]
    """What was read; the page itself can be iterated too."""
    cursor: str | None
    """Where the next page begins, as text for a URL; None at the end."""
    scanned: int | None = None
    """How many items were read for it, before filters; more than `len(page)` where a filter drops some."""
    capacity: Capacity | None = None
    """What reading it consumed, where that was asked for: on plain tables always, else within `db.measure()`."""

    @property
    def has_more(self) -> bool:
        """Whether there may be more. A page that ends exactly with the data still has a cursor to an empty page."""
        return self.cursor is not None

    def __iter__(self) -> Iterator[T_co]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class Results(ABC, Generic[T_co]):
    """The answer to a query: iterate it to read all pages, one at a time, as they are needed."""

    def __bool__(self) -> NoReturn:
        raise ArgumentError("Results are lazy and neither true nor false.", hint="Ask .first(), .count() or .all().")

    @abstractmethod
    def __iter__(self) -> Iterator[T_co]:
        """Every item, page after page."""

    @abstractmethod
    def first(self) -> T_co | None:
        """The first item, or None."""

    @abstractmethod
    def take(self, count: int) -> list[T_co]:
        """The first `count` items, or as many as there are; no more is read than that takes."""

    @abstractmethod
    def all(self) -> list[T_co]:
        """Every item, in a list."""

    @abstractmethod
    def page(self, limit: int | None = None, cursor: str | None = None, *, fill: bool = False) -> Page[T_co]:
        """At most `limit` items after `cursor`, and the cursor of the next page. A filter may leave a page short; `fill` reads
        on until it is full or nothing is left, however many requests that takes."""

    @abstractmethod
    def count(self) -> int:
        """How many items there are, without fetching them (it still consumes read capacity for each)."""


class AsyncResults(ABC, Generic[T_co]):
    """The answer to a query in an async session."""

    def __bool__(self) -> NoReturn:
        raise ArgumentError("Results are lazy and neither true nor false.", hint="Ask .first(), .count() or .all().")

    @abstractmethod
    def __aiter__(self) -> AsyncIterator[T_co]:
        """Every item, page after page."""

    @abstractmethod
    async def first(self) -> T_co | None:
        """The first item, or None."""

    @abstractmethod
    async def take(self, count: int) -> list[T_co]:
        """The first `count` items, or as many as there are."""

    @abstractmethod
    async def all(self) -> list[T_co]:
        """Every item, in a list."""

    @abstractmethod
    async def page(self, limit: int | None = None, cursor: str | None = None, *, fill: bool = False) -> Page[T_co]:
        """At most `limit` items after `cursor`, and the cursor of the next page."""

    @abstractmethod
    async def count(self) -> int:
        """How many items there are, without fetching them."""
