"""The SQL of exports: every item of a table in one pass, as it is or as it was."""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from tablewright.engine.storage.sealing import seal
from tablewright.engine.storage.table_store import TableStore
from tablewright.errors import CorruptDataError


def exported_rows(
    connection: sqlite3.Connection, table: TableStore, moment: float | None = None
) -> Iterator[tuple[int, bytes]]:
    """Size and JSON of every item, verified; of a table with recovery on, as they were at a moment."""
    if moment is None:
        rows = connection.execute(f"SELECT pk, sk, size, item, checksum FROM {table.items}")
    else:
        assert table.capture is not None
        assert table.capture.undo is not None
        undo = table.capture.undo.name
        # Of several changes to an item the first one after the moment replaced what was there at that moment.
        first = f"(SELECT pk, sk, min(change) AS change FROM {undo} WHERE moment > ? GROUP BY pk, sk)"
        rows = connection.execute(
            f"SELECT s.pk, s.sk, s.size, s.item, s.checksum FROM {table.items} s LEFT JOIN {first} p"
            " ON p.pk = s.pk AND p.sk = s.sk WHERE p.pk IS NULL UNION ALL"
            f" SELECT u.pk, u.sk, u.size, u.item, u.checksum FROM {first} p JOIN {undo} u ON u.change = p.change"
            " WHERE u.item IS NOT NULL",
            (moment, moment),
        )
    for pk, sk, size, body, checksum in rows:
        if seal((pk, sk), body) != checksum:
            raise CorruptDataError(
                f"An item of table {table.name} does not match its checksum: the stored bytes were damaged.",
                hint="Run verify() to see which items are affected, and restore them from a copy.",
                context={"table": table.name},
            )
        yield size, body
