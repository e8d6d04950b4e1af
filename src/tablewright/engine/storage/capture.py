"""What a table notes beside its items: stream records, old images for recovery, and when items expire.

A table with none of these has no Capture, and its writes pay for one look at an attribute.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tablewright.engine.keys import Key
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage.expiry_index import ExpiryIndex
from tablewright.engine.storage.stream_log import (
    StreamLog,
    StreamWriter,
    close_stream,
    drop_ended,
    is_streaming,
    name_stream,
    open_stream,
)
from tablewright.engine.storage.undo_log import UndoLog
from tablewright.expressions.comparison import equal
from tablewright.values import Item, dumps

Rows = Callable[[], Iterable[tuple[int, Item]]]
"""Every row id of a table with its item."""


class Capture:
    """The logs and the expiry index of one table. All is written in the transaction of the change itself."""

    __slots__ = ("_stream", "expiry", "log", "undo")

    def __init__(
        self, stream: StreamWriter | None, log: StreamLog | None, undo: UndoLog | None, expiry: ExpiryIndex | None
    ) -> None:
        self._stream = stream
        self.log = log
        self.undo = undo
        self.expiry = expiry

    def record(
        self,
        connection: sqlite3.Connection,
        now: float,
        key: Key,
        row: int,
        old: tuple[Item, int] | None,
        new: tuple[Item, int, bytes] | None,
        *,
        expired: bool,
    ) -> None:
        """Note a change from one item with its size to another; a write that changes nothing leaves no trace."""
        if old is not None and new is not None and equal({"M": old[0]}, {"M": new[0]}):
            return
        if self.expiry is not None:
            self.expiry.follow(connection, None if old is None else old[0], None if new is None else new[0], row)
        if self._stream is None and self.undo is None:
            return
        before = None if old is None else (*old, dumps(old[0]))
        if self.undo is not None:
            self.undo.add(connection, now, key, None if before is None else before[1:])
        if self._stream is not None:
            self._stream.add(connection, now, before, new, expired=expired)

    def trim(self, connection: sqlite3.Connection, now: float) -> None:
        """Remove some of what nobody can ask for any more."""
        if self.log is not None:
            self.log.trim(connection, now)
        if self.undo is not None:
            self.undo.trim(connection, now)

    def verify(self, connection: sqlite3.Connection, rows: Rows) -> Iterator[str]:
        """What is wrong with the logs and the index."""
        if self.undo is not None:
            for change in self.undo.damaged(connection):
                yield f"the old image of change {change} does not match its checksum"
        if self.expiry is not None:
            expiry = self.expiry
            right = {(moment, row) for row, item in rows() if (moment := expiry.moment(item)) is not None}
            found = expiry.entries(connection)
            wrong = len(found - right if expiry.filling else found ^ right)
            if wrong:
                yield f"the index of expiry times is wrong in {wrong} places"


def capture_of(schema: TableSchema) -> Capture | None:
    """What a table's definition wants captured; None for nothing."""
    definition, number = schema.definition, schema.number
    stream = log = undo = expiry = None
    if is_streaming(definition):
        stream = StreamWriter(number, definition, schema.key_names)
        log = StreamLog(number, definition["StreamNumber"])
    recovery = definition.get("PointInTimeRecovery")
    if recovery is not None:
        undo = UndoLog(number, recovery["Days"])
    ttl = definition.get("TimeToLive")
    if ttl is not None:
        expiry = ExpiryIndex(number, ttl["AttributeName"], filling=ttl.get("Filling", False))
    if stream is None and undo is None and expiry is None:
        return None
    return Capture(stream, log, undo, expiry)


# --------------------------------------------------------------------------------------- when a definition changes


def settle(
    connection: sqlite3.Connection, name: str, old: TableSchema | None, definition: Any, now: float
) -> dict[str, Any]:
    """The definition that is stored for the one that is wanted: a stream that is switched on gets its label."""
    if is_streaming(definition) and not (old is not None and is_streaming(old.definition)):
        return name_stream(connection, name, definition, now)
    return dict(definition)


def arrange(
    connection: sqlite3.Connection, old: TableSchema | None, new: TableSchema | None, now: float
) -> ExpiryIndex | None:
    """Create and drop what a new definition wants captured, or does not want any more.

    An index of expiry times that is new comes back: it is still empty.
    """
    before = None if old is None else capture_of(old)
    after = None if new is None else capture_of(new)
    was, is_now = (None if capture is None else capture.log for capture in (before, after))
    if was is not None and is_now is None and old is not None:
        close_stream(connection, old.number, now)
    if is_now is not None and was is None and new is not None:
        open_stream(connection, new.number, new.name, new.definition)
    undo, keeps = (None if capture is None else capture.undo for capture in (before, after))
    if undo is not None and keeps is None:
        undo.drop(connection)
    if keeps is not None and undo is None:
        keeps.create(connection)
    expiry, expires = (None if capture is None else capture.expiry for capture in (before, after))
    if expiry is not None and (expires is None or expires.attribute != expiry.attribute):
        expiry.drop(connection)
        expiry = None
    begun = None if expiry is not None else expires
    if begun is not None:
        begun.create(connection)
    drop_ended(connection, now)
    return begun
