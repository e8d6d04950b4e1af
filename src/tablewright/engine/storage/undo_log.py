"""The SQL of recovery: what each change of a table replaced, in the order of its changes."""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3

from tablewright.engine.keys import Key
from tablewright.engine.storage.sealing import seal

_TRIM_EVERY = 64
_TRIM_AT_ONCE = 4 * _TRIM_EVERY
DAY = 24 * 3600.0


def hold(source: int, target: int) -> str:
    """The name of the mark up to which a table that is being restored has gathered another's changes."""
    return f"gathered_{source}_{target}"


class UndoLog:
    """Old images of one table in the order of its changes. Their times never step back, whatever the clock does."""

    __slots__ = ("_add", "_days", "_trim", "name")

    def __init__(self, number: int, days: int) -> None:
        self.name = f"undo_{number}"
        self._days = days
        last = f"(SELECT moment FROM {self.name} ORDER BY change DESC LIMIT 1)"
        self._add = (
            f"INSERT INTO {self.name} (moment, pk, sk, size, item, checksum)"
            f" VALUES (max(?, ifnull({last}, 0)), ?, ?, ?, ?, ?)"
        )
        # Whoever is being restored from it still needs what it has not gathered.
        held = f"(SELECT min(value) FROM meta WHERE name GLOB 'gathered_{number}_*')"
        self._trim = (
            f"DELETE FROM {self.name} WHERE change IN (SELECT change FROM (SELECT change, moment"
            f" FROM {self.name} ORDER BY change LIMIT {_TRIM_AT_ONCE}) WHERE moment <= ?)"
            f" AND change <= ifnull({held}, change)"
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
        connection.execute(self._trim, (now - self._days * DAY,))

    def last_change(self, connection: sqlite3.Connection, moment: float) -> int:
        """The number of the last change up to a moment, 0 where the log begins behind it."""
        (change,) = connection.execute(f"SELECT max(change) FROM {self.name} WHERE moment <= ?", (moment,)).fetchone()
        return int(change or 0)

    def damaged(self, connection: sqlite3.Connection) -> list[int]:
        """Numbers of changes whose old image does not match its checksum."""
        rows = connection.execute(
            f"SELECT change, pk, sk, item, checksum FROM {self.name} WHERE item IS NOT NULL ORDER BY change"
        )
        return [change for change, pk, sk, body, checksum in rows if seal((pk, sk), body) != checksum]
