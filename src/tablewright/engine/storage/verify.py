"""A full check of what is stored: checksums, keys, sizes, and that every index holds exactly what it should."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from msgspec import Struct

from tablewright.engine.storage.backups import verify_backups
from tablewright.engine.storage.catalogue import Catalogue
from tablewright.engine.storage.stream_log import all_streams
from tablewright.engine.storage.table_store import TableStore
from tablewright.errors import CorruptDataError
from tablewright.values import item_size


class Problem(Struct, frozen=True):
    """One thing that is not as it should be. Names tables, indexes and rows, never values."""

    what: str
    table: str | None = None
    index: str | None = None

    def __str__(self) -> str:
        where = f"table {self.table}" if self.table else "file"
        return f"{where}, index {self.index}: {self.what}" if self.index else f"{where}: {self.what}"


def verify(connection: sqlite3.Connection, catalogue: Catalogue) -> list[Problem]:
    """Every problem found, in one snapshot of the database."""
    problems: list[Problem] = []
    try:
        for (line,) in connection.execute("PRAGMA integrity_check"):
            if line != "ok":
                problems.append(Problem(f"SQLite's own check says: {line}"))
    except sqlite3.DatabaseError as error:
        problems.append(Problem(f"SQLite cannot read the file: {error}"))
    try:
        catalogue.refresh(connection)
    except sqlite3.DatabaseError as error:
        problems.append(Problem(f"SQLite cannot read what tables there are: {error}"))
    try:
        for stream in all_streams(connection):
            for sequence in stream.log.damaged(connection):
                problems.append(Problem(f"stream record {sequence} does not match its checksum", stream.name))
    except sqlite3.DatabaseError as error:
        problems.append(Problem(f"SQLite cannot read the streams: {error}"))
    for table in catalogue.tables.values():
        try:
            problems.extend(_verify_table(connection, table))
        except sqlite3.DatabaseError as error:
            problems.append(Problem(f"SQLite cannot read it: {error}", table.name))
    try:
        problems.extend(map(Problem, verify_backups(connection)))
    except sqlite3.DatabaseError as error:
        problems.append(Problem(f"SQLite cannot read the backups: {error}"))
    return problems


def _verify_table(connection: sqlite3.Connection, table: TableStore) -> Iterator[Problem]:
    if table.capture is not None:
        for what in table.capture.verify(connection, lambda: table.items_by_row(connection)):
            yield Problem(what, table.name)
    expected = dict.fromkeys(table.schema.index, 0)
    whole = True
    for row, pk, sk, size, body, checksum in table.rows(connection):
        try:
            item = table.open((pk, sk), body, checksum)
        except CorruptDataError:
            yield Problem(f"the item in row {row} does not match its checksum", table.name)
            whole = False
            continue
        if table.schema.key(item) != (pk, sk):
            yield Problem(f"the item in row {row} is stored under another key", table.name)
        if item_size(item) != size:
            yield Problem(f"the item in row {row} has another size than was recorded", table.name)
        for index in table.schema.indexes:
            entry = index.entry(item, pk)
            if entry is not None:
                expected[index.name] += 1
                found = table.find_entry(connection, index, table.entry_columns(index, entry, (pk, sk)))
                if found is None and index.filling:
                    expected[index.name] -= 1
                elif found is None:
                    yield Problem(f"the item in row {row} is missing", table.name, index.name)
                elif found != row:
                    yield Problem(f"the entry of the item in row {row} points at row {found}", table.name, index.name)
    for index in table.schema.indexes:
        # Each expected entry was looked up, so an equal number means that there are no others.
        entries = table.count_side(connection, index)
        if whole and entries != expected[index.name]:
            yield Problem(f"it has {entries} entries where {expected[index.name]} belong", table.name, index.name)
