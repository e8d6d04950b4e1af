"""The SQL of time to live: when each item of a table expires, so that nobody has to scan for it."""
# Names in these statements are made of the catalogue's own numbers, values are always bound.
# ruff: noqa: S608

from __future__ import annotations

import sqlite3
from decimal import ROUND_CEILING, Decimal

from tablewright.values import Item

OLDEST_SECONDS = 1826 * 24 * 3600
"""Five years: an item that expired longer ago is left alone, as on the service, and taken for a mistake."""

# Far beyond any date and well within SQLite's integers.
_LATEST = 10**15


class ExpiryIndex:
    """Expiry times of one table's items by row."""

    __slots__ = ("_add", "_remove", "attribute", "filling", "name")

    def __init__(self, number: int, attribute: str, *, filling: bool = False) -> None:
        self.attribute = attribute
        self.filling = filling  # items that were there before it may still be missing
        self.name = f"expiry_{number}"
        self._add = f"INSERT INTO {self.name} (moment, id) VALUES (?, ?)"
        self._remove = f"DELETE FROM {self.name} WHERE moment = ? AND id = ?"

    def create(self, connection: sqlite3.Connection) -> None:
        """Create the empty index."""
        connection.execute(
            f"CREATE TABLE {self.name} (moment INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (moment, id))"
            " WITHOUT ROWID"
        )

    def drop(self, connection: sqlite3.Connection) -> None:
        """Drop the index."""
        connection.execute(f"DROP TABLE {self.name}")

    def add(self, connection: sqlite3.Connection, item: Item, row: int) -> None:
        """Add the item in a row, unless it is there or never expires."""
        moment = self.moment(item)
        if moment is not None:
            connection.execute(f"INSERT OR IGNORE INTO {self.name} (moment, id) VALUES (?, ?)", (moment, row))

    def moment(self, item: Item | None) -> int | None:
        """The second from which on an item has expired; None for one that never does."""
        value = None if item is None else item.get(self.attribute)
        number = None if value is None else value.get("N")
        if number is None:
            return None
        moment = int(number) if number.isdigit() else int(Decimal(number).to_integral_value(ROUND_CEILING))
        return moment if 0 < moment < _LATEST else None

    def follow(self, connection: sqlite3.Connection, old: Item | None, new: Item | None, row: int) -> None:
        """Bring the index up to date with one change."""
        before, after = self.moment(old), self.moment(new)
        if before != after:
            if before is not None:
                connection.execute(self._remove, (before, row))
            if after is not None:
                connection.execute(self._add, (after, row))

    def expired(self, connection: sqlite3.Connection, now: float, limit: int) -> list[int]:
        """Row ids of items that have expired, the longest expired first."""
        rows = connection.execute(
            f"SELECT id FROM {self.name} WHERE moment > ? AND moment < ? ORDER BY moment, id LIMIT ?",
            (int(now) - OLDEST_SECONDS, now, limit),
        )
        return [row for (row,) in rows]

    def entries(self, connection: sqlite3.Connection) -> set[tuple[int, int]]:
        """Everything in the index as pairs of moment and row id."""
        return set(connection.execute(f"SELECT moment, id FROM {self.name}"))
