"""The list of tables in a file, and this process's compiled picture of it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from tablewright.engine.index import IndexSchema
from tablewright.engine.schema import TableSchema, compile_table
from tablewright.engine.storage.backfill import MARKS, WHOLE, Portion, fill, remove_mark, set_mark
from tablewright.engine.storage.capture import arrange, settle
from tablewright.engine.storage.restoring import end_restoring, restore_next
from tablewright.engine.storage.table_store import TableStore
from tablewright.errors import LimitExceeded
from tablewright.values import Item, dumps, loads

if TYPE_CHECKING:
    from tablewright.engine.storage.transaction import Change

MAX_TABLES = 2500
"""The service's quota for one account and region, where nobody asked for more."""

Unseen = Mapping[tuple[bytes, bytes], tuple[int, Item] | None]
"""By primary key: what is shown instead of what is stored, as size and item, or None for no item."""


class Onlooker(Protocol):
    """Who is told of every change before it is written, and may show the state before it to readers of an index."""

    def changing(self, change: Change) -> None:
        """A change is about to be written, in a transaction that may yet be rolled back and run again."""
        ...

    def unseen(self, table: TableStore, index: IndexSchema) -> Unseen:
        """What an index must still show instead of what the table holds."""
        ...


class Catalogue:
    """Compiled tables by name.

    The picture is replaced as a whole when the file's version of it moves on; a table whose definition did not change
    keeps its object, so `catalogue.tables.get(table.name) is table` tells whether a table is still the same.
    """

    __slots__ = ("_lock", "_sources", "onlooker", "tables", "version")

    def __init__(self) -> None:
        self.version = 0
        self.onlooker: Onlooker | None = None
        self.tables: Mapping[str, TableStore] = {}
        self._sources: dict[int, bytes] = {}
        self._lock = threading.Lock()

    def refresh(self, connection: sqlite3.Connection) -> bool:
        """Bring the picture up to date with what `connection` sees; True when something was new."""
        # The version first: a change between the two statements is then found again, not missed.
        (version,) = connection.execute("SELECT value FROM meta WHERE name = 'catalogue'").fetchone()
        if version <= self.version:
            return False
        with self._lock:
            if version <= self.version:
                return True
            rows = connection.execute("SELECT number, name, definition FROM tables ORDER BY name").fetchall()
            tables: dict[str, TableStore] = {}
            for number, name, source in rows:
                known = self.tables.get(name)
                if known is not None and known.schema.number == number and self._sources.get(number) == source:
                    tables[name] = known
                else:
                    tables[name] = TableStore(compile_table(name, number, loads(source)))
            self._sources = {number: source for number, _, source in rows}
            self.tables = tables
            self.version = version
        return True


def add_table(connection: sqlite3.Connection, name: str, definition: Mapping[str, Any], now: float) -> TableSchema:
    """Record a new table and create its storage; refuses one more than there may be."""
    (there,) = connection.execute("SELECT count(*) FROM tables").fetchone()
    if there >= MAX_TABLES:
        raise LimitExceeded(f"Subscriber limit exceeded: There is a limit of {MAX_TABLES} tables per subscriber")
    definition = settle(connection, name, None, definition, now)
    cursor = connection.execute("INSERT INTO tables (name, definition) VALUES (?, ?)", (name, dumps(definition)))
    assert cursor.lastrowid is not None
    schema = compile_table(name, cursor.lastrowid, definition)
    TableStore(schema).create(connection)
    arrange(connection, None, schema, now)
    _step(connection)
    return schema


def restore_table(
    connection: sqlite3.Connection,
    name: str,
    definition: Mapping[str, Any],
    now: float,
    portion: Portion,
    begin: Callable[[TableStore], dict[str, Any]],
) -> TableSchema:
    """Record a new table, let `begin` say where its items come from, and take over a portion of them."""
    schema = add_table(connection, name, definition, now)
    restoring = {**schema.definition, "Restoring": begin(TableStore(schema))}
    target = TableStore(compile_table(name, schema.number, restoring))
    if restore_next(connection, target, portion).reached is None:
        end_restoring(connection, target)
        return schema
    connection.execute("UPDATE tables SET definition = ? WHERE number = ?", (dumps(restoring), schema.number))
    return target.schema


def change_table(
    connection: sqlite3.Connection,
    table: TableStore,
    definition: Mapping[str, Any],
    now: float,
    portion: Portion = WHOLE,
) -> TableSchema:
    """Record a table's new definition, drop indexes that are gone from it and start to fill those that are new.

    One that a portion did not fill is named in the definition, until a change of it says that it is full; so are the times at
    which items expire.
    """
    old = table.schema
    definition = settle(connection, old.name, old, definition, now)
    new = compile_table(old.name, old.number, definition)
    for index in old.indexes:
        if index.name not in new.index:
            table.drop_index(connection, index)
    if table.restoring and not definition.get("Restoring"):
        end_restoring(connection, table)
    if new.filling is None:
        definition.pop("Backfilling", None)
        remove_mark(connection, table, "backfill")
    changed = TableStore(new)
    for index in new.indexes:
        if index.name not in old.index:
            changed.create_index(connection, index)
            reached = fill(connection, changed, index, portion=portion).reached
            if reached is not None:
                set_mark(connection, changed, "backfill", reached)
                definition["Backfilling"] = index.name
    begun = arrange(connection, old, new, now)
    if begun is not None:
        reached = fill(connection, changed, begun, portion=portion).reached
        if reached is not None:
            set_mark(connection, changed, "expiry", reached)
            definition["TimeToLive"] = {**definition["TimeToLive"], "Filling": True}
    elif not (definition.get("TimeToLive") or {}).get("Filling"):
        remove_mark(connection, table, "expiry")
    connection.execute("UPDATE tables SET definition = ? WHERE number = ?", (dumps(definition), old.number))
    _step(connection)
    return compile_table(old.name, old.number, definition)


def remove_table(connection: sqlite3.Connection, table: TableStore, now: float) -> None:
    """Forget a table and drop its storage; its stream can still be read for a while."""
    table.drop(connection)
    if table.restoring:
        end_restoring(connection, table)
    for mark in MARKS:
        remove_mark(connection, table, mark)
    arrange(connection, table.schema, None, now)
    connection.execute("DELETE FROM tables WHERE number = ?", (table.schema.number,))
    _step(connection)


def remove_everything(connection: sqlite3.Connection) -> None:
    """Leave nothing that was ever stored: no tables, streams, backups, tokens or jobs. Numbers are still not used again."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    for (name,) in found.fetchall():
        if name in _OF_EVERY_FILE:
            connection.execute(f"DELETE FROM {name}")  # noqa: S608 - a name of our own
        elif name != "meta":
            connection.execute(f"DROP TABLE {name}")
    connection.execute("DELETE FROM meta WHERE name <> 'catalogue'")
    _step(connection)


_OF_EVERY_FILE = frozenset({"tables", "tokens", "tags", "policies", "backups", "jobs", "streams"})


def _step(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE meta SET value = value + 1 WHERE name = 'catalogue'")
