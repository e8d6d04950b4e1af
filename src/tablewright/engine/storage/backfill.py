"""The SQL of filling a new index beside its writers: some rows in each transaction, and a mark in the file of how far it is.

From the moment that an index exists every write keeps the entry of its own item right, so that an item never has more
than the entry of its present state. What is left to do is to add the entries of items that nobody touched, in the order
of their rows; those that a write has added meanwhile are there already.
"""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3
import time
from typing import NamedTuple

from tablewright.engine.index import IndexSchema
from tablewright.engine.storage.table_store import TableStore


class Portion(NamedTuple):
    """How much of a table is looked at in one transaction: the bounds that come first; None is no bound."""

    rows: int | None = None
    seconds: float | None = None


class Filled(NamedTuple):
    """What came of a portion: how many items were looked at, and the last row, or None when nothing is left."""

    looked: int
    reached: int | None


WHOLE = Portion()


def fill(
    connection: sqlite3.Connection, table: TableStore, index: IndexSchema, behind: int = 0, portion: Portion = WHOLE
) -> Filled:
    """Add an entry for every item in the rows behind one that has the index's keys.

    Items whose key attributes have another type, are empty or too long stay out, as on the service.
    """
    columns = (*table.order_columns(index), "id")
    add = (
        f"INSERT OR IGNORE INTO {table.sides[index.name]} ({', '.join(columns)})"
        f" VALUES ({', '.join('?' for _ in columns)})"
    )
    end = None if portion.seconds is None else time.monotonic() + portion.seconds
    looked, reached = 0, behind
    for row, pk, sk, body, checksum in connection.execute(
        f"SELECT id, pk, sk, item, checksum FROM {table.items} WHERE id > ? ORDER BY id", (behind,)
    ):
        # One row at least, or a slow machine would never get anywhere.
        if looked == portion.rows or (end is not None and looked and time.monotonic() > end):
            return Filled(looked, reached)
        entry = index.entry(table.open((pk, sk), body, checksum), pk)
        if entry is not None:
            connection.execute(add, (*table.entry_columns(index, entry, (pk, sk)), row))
        looked, reached = looked + 1, row
    return Filled(looked, None)


def fill_next(connection: sqlite3.Connection, table: TableStore, index: IndexSchema, portion: Portion) -> Filled:
    """Go on behind the mark, and move it."""
    name = _mark(table)
    (behind,) = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    filled = fill(connection, table, index, behind, portion)
    if filled.reached is not None:
        connection.execute("UPDATE meta SET value = ? WHERE name = ?", (filled.reached, name))
    return filled


def set_mark(connection: sqlite3.Connection, table: TableStore, row: int) -> None:
    """Remember how far the new index of a table is filled; a table has one new index at a time."""
    connection.execute("INSERT INTO meta VALUES (?, ?)", (_mark(table), row))


def remove_mark(connection: sqlite3.Connection, table: TableStore) -> None:
    """Forget the mark of a table, if it has one."""
    connection.execute("DELETE FROM meta WHERE name = ?", (_mark(table),))


def _mark(table: TableStore) -> str:
    return f"backfill_{table.schema.number}"
