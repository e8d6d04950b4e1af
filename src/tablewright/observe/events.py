"""What is told of one request: to whoever listens, and in the ring of the latest ones. No values of items, and no keys."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from msgspec import Struct


class Event(Struct, frozen=True, gc=False, kw_only=True):
    """One request of a session, with all of its attempts."""

    operation: str
    """DynamoDB's name for it, such as "Query"."""
    table: str
    index: str | None
    """The index that it asked; None for the table."""
    pattern: str | None
    """The access pattern that it served, if it served one."""
    entity: str | None
    """The entity that it read or wrote, where it is one."""
    at: float
    """When it began, in seconds since 1970."""
    seconds: float
    """How long it took in all, with pauses and further attempts."""
    read_units: float
    write_units: float
    returned: int
    """Items that came back."""
    scanned: int
    """Items that were looked at."""
    retries: int
    """Attempts after the first."""
    error: str | None
    """The code of the error that it ended in, if it did."""
    write: str | None = None
    """Of a read that a write needed: what the program calls the write, such as a declared change."""
    batched: int = 0
    """How many reads or writes a batch or a transaction is made of; 0 for any other request."""
    measured: int = 0
    """Items of it that were measured, which are those of some requests only (`Collector(sample=...)`)."""
    size: int = 0
    """Their bytes together."""


@runtime_checkable
class Listener(Protocol):
    """Somebody who wants to know of every request. It is called in a thread of its own, in the context of whoever sent the
    request; what it raises is counted and goes no further.

    It may have further methods: `done(tracked)` is told of operations of the application, `flush(timeout)` passes on within so
    many seconds what it holds itself, and `close()` ends it."""

    def seen(self, event: Event, /) -> None:
        """A request was answered, or given up."""
