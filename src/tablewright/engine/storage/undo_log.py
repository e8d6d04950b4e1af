"""The SQL of recovery: what each change of a table replaced, and an older state of the table made from that."""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3

from tablewright.engine.keys import Key
from tablewright.engine.storage.sealing import seal

_TRIM_EVERY = 64
_TRIM_AT_ONCE = 4 * _TRIM_EVERY
DAY = 24 * 3600.0


class UndoLog:
    """Old images of one table in the order of its changes. Their times never step back, whatever the clock does."""

    __slots__ = ("_add", "_days", "name")

    def __init__(self, number: int, days: int) -> None:
        self.name = f"undo_{number}"
        self._days = days
        last = f"(SELECT moment FROM {self.name} ORDER BY change DESC LIMIT 1)"
        self._add = (
            f"INSERT INTO {self.name} (moment, pk, sk, size, item, checksum)"
            f" VALUES (max(?, ifnull({last}, 0)), ?, ?, ?, ?, ?)"
        )

    def create(self, connection: sqlite3.Connection) -> None:
        """Create the empty log."""
        connection.execute(
            f"CREATE TABLE {self.name} (change INTEGER PRIMARY KEY AUTOINCREMENT, moment REAL NOT NULL,"
            " pk BLOB NOT NULL, sk BLOB NOT NULL, size INTEGER, item BLOB, checksum INTEGER)"
        )

    def drop(self, connection: sqlite3.Connection) -> None:
        """Forget the past."""
        connection.execute(f"DROP TABLE {self.name}")

    def add(self, connection: sqlite3.Connection, now: float, key: Key, old: tuple[int, bytes] | None) -> None:
        """Keep what a change replaced: size and body, or None where there was no item."""
        size, body, checksum = (None, None, None) if old is None else (*old, seal(key, old[1]))
        change = connection.execute(self._add, (now, *key, size, body, checksum)).lastrowid
        assert change is not None
        if change % _TRIM_EVERY == 0:
            self.trim(connection, now)

    def trim(self, connection: sqlite3.Connection, now: float) -> None:
        """Remove what lies before the recovery period, a little at once."""
        connection.execute(
            f"DELETE FROM {self.name} WHERE change IN (SELECT change FROM (SELECT change, moment"
            f" FROM {self.name} ORDER BY change LIMIT {_TRIM_AT_ONCE}) WHERE moment <= ?)",
            (now - self._days * DAY,),
        )

    def copy_state(self, connection: sqlite3.Connection, source: str, target: str, moment: float) -> None:
        """Fill the empty item table `target` with what the item table `source` held at a moment.

        Everything stays in SQLite: nothing here grows with the table but the file.
        """
        past = f"past_{target}"
        connection.execute(
            f"CREATE TABLE {past} (pk BLOB NOT NULL, sk BLOB NOT NULL, size INTEGER, item BLOB, checksum INTEGER,"
            " PRIMARY KEY (pk, sk))"
        )
        # Of several changes to an item the first one after the moment replaced what was there at that moment.
        connection.execute(
            f"INSERT OR IGNORE INTO {past} SELECT pk, sk, size, item, checksum FROM {self.name}"
            " WHERE moment > ? ORDER BY change",
            (moment,),
        )
        connection.execute(
            f"INSERT INTO {target} (pk, sk, size, item, checksum) SELECT s.pk, s.sk, s.size, s.item, s.checksum"
            f" FROM {source} s WHERE NOT EXISTS (SELECT 1 FROM {past} p WHERE p.pk = s.pk AND p.sk = s.sk)"
        )
        connection.execute(
            f"INSERT INTO {target} (pk, sk, size, item, checksum) SELECT pk, sk, size, item, checksum FROM {past}"
            " WHERE item IS NOT NULL"
        )
        connection.execute(f"DROP TABLE {past}")

    def damaged(self, connection: sqlite3.Connection) -> list[int]:
        """Numbers of changes whose old image does not match its checksum."""
        rows = connection.execute(
            f"SELECT change, pk, sk, item, checksum FROM {self.name} WHERE item IS NOT NULL ORDER BY change"
        )
        return [change for change, pk, sk, body, checksum in rows if seal((pk, sk), body) != checksum]
