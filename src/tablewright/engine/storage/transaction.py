"""One write transaction as a request sees it: read first, decide, then apply all changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from msgspec import Struct

from tablewright.engine.clock import Clock
from tablewright.engine.keys import Key
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage.backfill import WHOLE, Portion
from tablewright.engine.storage.catalogue import (
    Catalogue,
    add_table,
    change_table,
    remove_everything,
    remove_table,
    restore_table,
)
from tablewright.engine.storage.connections import StaleSchemaError
from tablewright.engine.storage.sealing import seal
from tablewright.engine.storage.table_store import Stored, TableStore
from tablewright.engine.storage.tokens import Remembered, recall, remember
from tablewright.values import Item


class Change(Struct):
    """What happens to one item: `old` is what is stored now, `new` what shall be; None stands for no item.

    A change that `writes` nothing is a check that an item was looked at.
    """

    table: TableStore
    key: Key
    old: Stored | None
    new: Item | None
    size: int = 0
    body: bytes = b""
    writes: bool = True

    expired: ClassVar[bool] = False
    """Whether time to live is behind the change, which then shows in its stream record."""


class Expiry(Change):
    """The end of an item whose time is over."""

    expired: ClassVar[bool] = True


class Transaction:
    """Handed to a request's work. `wrote` tells whether the work has to be rolled back if it fails."""

    __slots__ = ("_clock", "_cursor", "_lazy", "_now", "catalogue", "connection", "wrote")

    def __init__(self, connection: sqlite3.Connection, catalogue: Catalogue, clock: Clock, *, lazy: bool) -> None:
        self.connection = connection
        self.catalogue = catalogue
        self.wrote = False
        self._clock = clock
        self._cursor: sqlite3.Cursor | None = None  # to make one for each statement would take longer than to use it
        self._now: float | None = None
        # Nobody else can write to a database in memory while we hold its lock: BEGIN can wait for the first write.
        self._lazy = lazy

    def begin_writing(self) -> None:
        """Declare that from here on a failure must be rolled back."""
        if self._lazy and not self.wrote:
            self.connection.execute("BEGIN")
        self.wrote = True

    def now(self) -> float:
        """The moment of this transaction: what is committed together happens at one time."""
        if self._now is None:
            self._now = self._clock.now()
        return self._now

    def require(self, table: TableStore) -> None:
        """Start the request again if the table is no longer what it was validated against."""
        if self.catalogue.tables.get(table.name) is not table:
            raise StaleSchemaError

    def add_table(self, name: str, definition: Mapping[str, Any]) -> TableSchema:
        """Create a table."""
        self.begin_writing()
        return add_table(self.connection, name, definition, self.now())

    def change_table(self, table: TableStore, definition: Mapping[str, Any], portion: Portion = WHOLE) -> TableSchema:
        """Give a table another definition; a portion of an index that is new in it is filled, others are dropped."""
        self.begin_writing()
        return change_table(self.connection, table, definition, self.now(), portion)

    def restore_table(
        self,
        name: str,
        definition: Mapping[str, Any],
        portion: Portion,
        begin: Callable[[TableStore], dict[str, Any]],
    ) -> TableSchema:
        """Create a table of items that are elsewhere, as `begin` says, and take over a portion of them."""
        self.begin_writing()
        return restore_table(self.connection, name, definition, self.now(), portion, begin)

    def remove_table(self, table: TableStore) -> None:
        """Drop a table with everything in it."""
        self.begin_writing()
        remove_table(self.connection, table, self.now())

    def remove_everything(self) -> None:
        """Drop all tables, and forget all that was remembered of any."""
        self.begin_writing()
        remove_everything(self.connection)

    def recall(self, token: str, now: float) -> Remembered | None:
        """What an idempotency token was used for, or None."""
        return recall(self.connection, token, now)

    def remember(self, token: str, now: float, used: Remembered) -> None:
        """Keep an idempotency token with the changes of this transaction."""
        self.begin_writing()
        remember(self.connection, token, now, used)

    def get(self, table: TableStore, key: Key) -> Stored | None:
        """The stored item, or None."""
        return table.get(self.connection, key)

    def apply(self, change: Change) -> None:
        """Write one change to its table and to every index that it moves in."""
        table, key, old, new = change.table, change.key, change.old, change.new
        if not change.writes or (new is None and old is None):
            return
        onlooker = self.catalogue.onlooker
        if onlooker is not None:
            onlooker.changing(change)
        if not self.wrote:
            self.begin_writing()
        connection = self.connection
        if old is None:
            row = table.insert(connection, key, change.size, change.body)
        else:
            row = old.id
            if new is None:
                table.delete(connection, row)
            else:
                table.update(connection, row, change.size, change.body, seal(key, change.body))
        self._follow(change, row)

    def add(self, change: Change) -> bool:
        """Write an item that is probably new without looking first; False where it is not, or where one must look."""
        if self.catalogue.onlooker is not None:
            return False
        if not self.wrote:
            self.begin_writing()
        table, item = change.table, change.new
        assert item is not None
        if self._cursor is None:
            self._cursor = self.connection.cursor()
        row = table.insert_new(self._cursor, change.key, change.size, change.body, item)
        if row is None:
            return False
        if table.capture is not None:
            self._record(change, row)
        return True

    def _follow(self, change: Change, row: int) -> None:
        """What follows from a change in a row: index entries, and the records of those who watch."""
        table, key, old, new, connection = change.table, change.key, change.old, change.new, self.connection
        for index in table.schema.indexes:
            before = after = None
            if old is not None and new is not None and not index.moves(old.item, new):
                continue
            if old is not None:
                before = index.entry(old.item, key[0])
            if new is not None:
                after = index.entry(new, key[0])
            if before != after:
                if before is not None:
                    table.remove_entry(connection, index, before, key)
                if after is not None:
                    table.add_entry(connection, index, after, key, row)
        if table.capture is not None:
            self._record(change, row)

    def _record(self, change: Change, row: int) -> None:
        capture, old, new = change.table.capture, change.old, change.new
        assert capture is not None
        capture.record(
            self.connection,
            self.now(),
            change.key,
            row,
            None if old is None else (old.item, old.size),
            None if new is None else (new, change.size, change.body),
            expired=change.expired,
        )
