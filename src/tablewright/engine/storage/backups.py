"""The SQL of backups: copies of a table's items beside it in the file."""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tablewright.engine.storage.sealing import seal
from tablewright.engine.storage.table_store import TableStore
from tablewright.values import dumps, loads

_COLUMNS = "number, table_name, stamp, name, created, items, size, table_id, definition"


class Backup(NamedTuple):
    """One backup: of which table, what it is called, and what the table was like."""

    number: int
    table: str
    stamp: str
    name: str
    created: float
    items: int
    size: int
    table_id: str
    definition: Mapping[str, Any]


def add_backup(connection: sqlite3.Connection, table: TableStore, name: str, table_id: str, now: float) -> Backup:
    """Copy a table's items as they are; nothing of them passes through memory."""
    items, size = table.count(connection)
    definition = table.schema.definition
    row = (table.name, "", name, now, items, size, table_id, dumps(definition))
    number = connection.execute(
        f"INSERT INTO backups ({_COLUMNS}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", row
    ).lastrowid
    assert number is not None
    stamp = f"{int(now * 1000):014d}-{number:08x}"
    connection.execute("UPDATE backups SET stamp = ? WHERE number = ?", (stamp, number))
    connection.execute(
        f"CREATE TABLE backup_{number} (pk BLOB NOT NULL, sk BLOB NOT NULL, size INTEGER NOT NULL, item BLOB NOT NULL,"
        " checksum INTEGER NOT NULL)"
    )
    connection.execute(f"INSERT INTO backup_{number} SELECT pk, sk, size, item, checksum FROM {table.items}")
    return Backup(number, table.name, stamp, name, now, items, size, table_id, definition)


def find_backup(connection: sqlite3.Connection, table: str, stamp: str) -> Backup | None:
    """The backup of a table with this stamp, or None."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM backups WHERE table_name = ? AND stamp = ?", (table, stamp)
    ).fetchone()
    return None if row is None else _backup(row)


def list_backups(
    connection: sqlite3.Connection, table: str | None, low: float, high: float, after: int, limit: int
) -> list[Backup]:
    """Backups of one table or all, made from `low` until before `high`, in the order in which they were made."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM backups WHERE number > ? AND created >= ? AND created < ?"
        " AND (? IS NULL OR table_name = ?) ORDER BY number LIMIT ?",
        (after, low, high, table, table, limit),
    )
    return [_backup(row) for row in rows]


def remove_backup(connection: sqlite3.Connection, backup: Backup) -> None:
    """Forget a backup and its items."""
    connection.execute(f"DROP TABLE backup_{backup.number}")
    connection.execute("DELETE FROM backups WHERE number = ?", (backup.number,))


def verify_backups(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with the backups in the file."""
    for number, expected in connection.execute("SELECT number, items FROM backups ORDER BY number").fetchall():
        found = 0
        for row, pk, sk, body, checksum in connection.execute(
            f"SELECT rowid, pk, sk, item, checksum FROM backup_{number}"
        ):
            found += 1
            if seal((pk, sk), body) != checksum:
                yield f"the item in row {row} of backup {number} does not match its checksum"
        if found != expected:
            yield f"backup {number} has {found} items where {expected} belong"


def _backup(row: tuple[Any, ...]) -> Backup:
    *values, definition = row
    return Backup._make([*values, loads(definition)])
