"""What all connections share: a buffer, bounds for what they hold, and the clock by which slow ones are given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.server.settings import Settings

if TYPE_CHECKING:
    from tablewright.server.connection import Connection

BUFFER_BYTES = 64 * 1024
_PATIENT_TICKS = 4


class Buffer:
    """Where connections read into. One for all: what was read is parsed before anybody else reads."""

    __slots__ = ("data", "view")

    def __init__(self) -> None:
        self.data = bytearray(BUFFER_BYTES)
        self.view = memoryview(self.data)


class Connections:
    """Every open connection, what they hold of bodies and of replies, and whether new ones are still welcome.

    `unsent` counts the bytes of replies that are made, or sure to be, and not with the system yet. Beyond `max_unsent`
    connections wait for others to read, and who then reads nothing is given up.
    """

    __slots__ = ("_held", "_waiting", "body_bytes", "draining", "max_unsent", "now", "open", "unsent")

    def __init__(self, settings: Settings) -> None:
        self.open: set[Connection] = set()
        self.body_bytes = 0
        self.unsent = 0
        self.max_unsent = settings.max_replies
        self.draining = False
        self.now = 0.0
        self._waiting: dict[Connection, None] = {}
        self._held: dict[Connection, tuple[int, float]] = {}  # how much somebody held when it last read something

    def sweep(self, now: float, tick: float) -> None:
        """Note the time, and end the connections that are out of theirs.

        Where the tick is late the server was busy, and nobody is to blame for time in which it did not listen.
        """
        late = now - self.now - tick
        if late > tick:
            for connection in self.open:
                connection.deadline += late
            self._held = {one: (size, since + late) for one, (size, since) in self._held.items()}
        self.now = now
        for connection in [one for one in self.open if one.deadline < now]:
            connection.expire()
        for connection in self.open:
            connection.settle()
        self._cut_who_reads_nothing(now, _PATIENT_TICKS * tick)
        self.go_on()

    def wait(self, connection: Connection) -> None:
        """Have a connection go on once others have read their replies."""
        self._waiting[connection] = None

    def forget(self, connection: Connection) -> None:
        """A connection is no more."""
        self.open.discard(connection)
        self._waiting.pop(connection, None)
        self._held.pop(connection, None)

    def go_on(self) -> None:
        """Let those go on who wait, first come first served, while there is room."""
        turn = list(self._waiting) if self._waiting and self.unsent <= self.max_unsent else []
        for connection in turn:
            if self.unsent > self.max_unsent:
                return
            if connection in self._waiting:
                del self._waiting[connection]
                connection.resume()

    def is_waiting(self, connection: Connection) -> bool:
        """Whether a connection waits for others to read."""
        return connection in self._waiting

    def _cut_who_reads_nothing(self, now: float, patience: float) -> None:
        """While there is no room, give up those who did not read as much as a buffer's worth for a while."""
        if self.unsent <= self.max_unsent:
            self._held.clear()
            return
        held, self._held = self._held, {}
        for connection in list(self.open):
            size = connection.unsent
            if size > BUFFER_BYTES:
                before, since = held.get(connection, (size, now))
                if not before - BUFFER_BYTES < size <= before:
                    before, since = size, now
                if now - since < patience:
                    self._held[connection] = before, since
                else:
                    connection.abort()
