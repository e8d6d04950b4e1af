"""The SQL of making a table from a copy, or from another table's past, some rows in each transaction.

The new table is there from the beginning and cannot be used until it is whole; marks in the file say how far it is, so that
whoever comes next can go on. The items of a backup never change. Those of a table do: a change that is made meanwhile leaves
what it replaced in the table's undo log, so before rows are taken over, all changes behind the wanted one are gathered up to
that moment, the first of each item. What was gathered is not taken from the table but, in the end, from there.
"""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping
from typing import Any

from tablewright.engine.storage.backfill import Filled, Portion, fill
from tablewright.engine.storage.table_store import TableStore
from tablewright.engine.storage.undo_log import UndoLog, hold

_CHUNK = 250
_COLUMNS = "pk, sk, size, item, checksum"


def begin_from_backup(connection: sqlite3.Connection, target: TableStore, number: int) -> dict[str, Any]:
    """Prepare a new table to take over a backup's items; what its definition must say of that."""
    _set(connection, f"restore_{target.schema.number}", 0)
    return {"Backup": number}


def begin_from_past(
    connection: sqlite3.Connection, target: TableStore, source: int, undo: UndoLog, until: float
) -> dict[str, Any]:
    """Prepare a new table to take over what another held at a moment; what its definition must say of that."""
    number = target.schema.number
    connection.execute(
        f"CREATE TABLE past_{number} (id INTEGER PRIMARY KEY, pk BLOB NOT NULL, sk BLOB NOT NULL, size INTEGER,"
        " item BLOB, checksum INTEGER, UNIQUE (pk, sk))"
    )
    _set(connection, f"restore_{number}", 0)
    _set(connection, hold(source, number), undo.last_change(connection, until))
    return {"Table": source}


def restore_next(connection: sqlite3.Connection, target: TableStore, portion: Portion) -> Filled:
    """Take over a portion; nothing is left where no row was reached."""
    end = None if portion.seconds is None else time.monotonic() + portion.seconds
    looked = 0
    origin: Mapping[str, Any] = target.schema.definition["Restoring"]
    while True:
        last = target.largest_row(connection)
        number = _copy(connection, target, origin)
        if not number:
            return Filled(looked, None)
        for index in target.schema.indexes:
            fill(connection, target, index, last)
        looked += number
        if (portion.rows is not None and looked >= portion.rows) or (end is not None and time.monotonic() > end):
            return Filled(looked, last)


def end_restoring(connection: sqlite3.Connection, target: TableStore) -> None:
    """Forget what was needed while a table was being restored."""
    number = target.schema.number
    origin: Mapping[str, Any] = target.schema.definition["Restoring"]
    names = [f"restore_{number}", f"restore_past_{number}"]
    if "Table" in origin:
        connection.execute(f"DROP TABLE past_{number}")
        names.append(hold(origin["Table"], number))
    for name in names:
        connection.execute("DELETE FROM meta WHERE name = ?", (name,))


def _copy(connection: sqlite3.Connection, target: TableStore, origin: Mapping[str, Any]) -> int:
    """Take over some rows, or gather some changes; how many there were."""
    number = target.schema.number
    if "Backup" in origin:
        return _take(connection, f"restore_{number}", f"backup_{origin['Backup']}", "rowid", target.items)
    source = origin["Table"]
    past = f"past_{number}"
    # What the next changes replaced, the first of each item.
    gathered = _take(connection, hold(source, number), f"undo_{source}", "change", past)
    if gathered:
        return gathered
    kept = f"NOT EXISTS (SELECT 1 FROM {past} p WHERE p.pk = s.pk AND p.sk = s.sk)"
    taken = _take(connection, f"restore_{number}", f"items_{source}", "id", target.items, kept)
    return taken or _take(connection, f"restore_past_{number}", past, "id", target.items, "s.item IS NOT NULL")


def _take(connection: sqlite3.Connection, mark: str, source: str, row: str, target: str, kept: str = "TRUE") -> int:
    """Copy what is kept of the next rows behind a mark, and move it; how many there were."""
    behind = _get(connection, mark)
    looked, reached = connection.execute(
        f"SELECT count(*), max(n) FROM (SELECT {row} AS n FROM {source} WHERE {row} > ? ORDER BY {row} LIMIT {_CHUNK})",
        (behind,),
    ).fetchone()
    if looked:
        # What is there already came first, or, where it was taken over and then gathered too, is the same.
        connection.execute(
            f"INSERT OR IGNORE INTO {target} ({_COLUMNS}) SELECT {_COLUMNS} FROM {source} s"
            f" WHERE s.{row} > ? AND s.{row} <= ? AND {kept} ORDER BY s.{row}",
            (behind, reached),
        )
        _set(connection, mark, reached)
    return int(looked)


def _get(connection: sqlite3.Connection, name: str) -> int:
    found = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return 0 if found is None else int(found[0])


def _set(connection: sqlite3.Connection, name: str, value: int) -> None:
    connection.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name, value)
    )
