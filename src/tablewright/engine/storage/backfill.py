"""The SQL of filling what is new beside writers: some rows in each transaction, and a mark in the file of how far it is.

From the moment that an index exists every write keeps the entry of its own item right, so that an item never has more
than the entry of its present state. What is left to do is to add the entries of items that nobody touched, in the order
of their rows; those that a write has added meanwhile are there already. The same holds for the times at which items expire.
"""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from tablewright.engine.index import IndexSchema
from tablewright.engine.keys import Key
from tablewright.engine.storage.expiry_index import ExpiryIndex
from tablewright.engine.storage.table_store import TableStore
from tablewright.values import Item

New: TypeAlias = IndexSchema | ExpiryIndex
"""What is filled: an index, or the times at which items expire."""
Mark: TypeAlias = Literal["backfill", "expiry"]
MARKS: tuple[Mark, ...] = ("backfill", "expiry")


class Portion(Struct, frozen=True):
    """How much of a table is looked at in one transaction: the bounds that come first; None is no bound."""

    rows: int | None = None
    seconds: float | None = None


class Filled(Struct, frozen=True):
    """What came of a portion: how many items were looked at, and the last row, or None when nothing is left."""

    looked: int
    reached: int | None


WHOLE = Portion()


def fill(
    connection: sqlite3.Connection, table: TableStore, new: New, behind: int = 0, portion: Portion = WHOLE
) -> Filled:
    """Add an entry for every item in the rows behind one that has one in the index or expires.

    Items whose key attributes have another type, are empty or too long stay out, as on the service.
    """
    if isinstance(new, ExpiryIndex):
        return _look(connection, table, behind, portion, lambda row, _, item: new.add(connection, item, row))
    index, columns = new, (*table.order_columns(new), "id")
    add = (
        f"INSERT OR IGNORE INTO {table.sides[index.name]} ({', '.join(columns)})"
        f" VALUES ({', '.join('?' for _ in columns)})"
    )

    def note(row: int, key: Key, item: Item) -> None:
        entry = index.entry(item, key[0])
        if entry is not None:
            connection.execute(add, (*table.entry_columns(index, entry, key), row))

    return _look(connection, table, behind, portion, note)


def _look(
    connection: sqlite3.Connection,
    table: TableStore,
    behind: int,
    portion: Portion,
    note: Callable[[int, Key, Item], None],
) -> Filled:
    end = None if portion.seconds is None else time.monotonic() + portion.seconds
    looked, reached = 0, behind
    for row, pk, sk, body, checksum in connection.execute(
        f"SELECT id, pk, sk, item, checksum FROM {table.items} WHERE id > ? ORDER BY id", (behind,)
    ):
        # One row at least, or a slow machine would never get anywhere.
        if looked == portion.rows or (end is not None and looked and time.monotonic() > end):
            return Filled(looked, reached)
        note(row, (pk, sk), table.open((pk, sk), body, checksum))
        looked, reached = looked + 1, row
    return Filled(looked, None)


def fill_next(connection: sqlite3.Connection, table: TableStore, new: New, portion: Portion) -> Filled:
    """Go on behind the mark, and move it."""
    name = _name(table, "expiry" if isinstance(new, ExpiryIndex) else "backfill")
    (behind,) = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    filled = fill(connection, table, new, behind, portion)
    if filled.reached is not None:
        connection.execute("UPDATE meta SET value = ? WHERE name = ?", (filled.reached, name))
    return filled


def set_mark(connection: sqlite3.Connection, table: TableStore, mark: Mark, row: int) -> None:
    """Remember how far what is new is filled; a table has one new index at a time."""
    connection.execute("INSERT INTO meta VALUES (?, ?)", (_name(table, mark), row))


def remove_mark(connection: sqlite3.Connection, table: TableStore, mark: Mark) -> None:
    """Forget a mark of a table, if it has it."""
    connection.execute("DELETE FROM meta WHERE name = ?", (_name(table, mark),))


def _name(table: TableStore, mark: Mark) -> str:
    return f"{mark}_{table.schema.number}"
