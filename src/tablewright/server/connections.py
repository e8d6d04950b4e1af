"""What all connections share: a buffer, a bound for what they hold, and the clock by which slow ones are given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.server.connection import Connection

BUFFER_BYTES = 64 * 1024


class Buffer:
    """Where connections read into. One for all: what was read is parsed before anybody else reads."""

    __slots__ = ("data", "view")

    def __init__(self) -> None:
        self.data = bytearray(BUFFER_BYTES)
        self.view = memoryview(self.data)


class Connections:
    """Every open connection, what the bodies of their unanswered requests hold, and whether new ones are still welcome."""

    __slots__ = ("body_bytes", "draining", "now", "open")

    def __init__(self) -> None:
        self.open: set[Connection] = set()
        self.body_bytes = 0
        self.draining = False
        self.now = 0.0

    def sweep(self, now: float, tick: float) -> None:
        """Note the time, and end the connections that are out of theirs.

        Where the tick is late the server was busy, and nobody is to blame for time in which it did not listen.
        """
        late = now - self.now - tick
        if late > tick:
            for connection in self.open:
                connection.deadline += late
        self.now = now
        for connection in [one for one in self.open if one.deadline < now]:
            connection.expire()
