"""Counters that never step back, kept in the file: one per name, for stream sequence numbers."""

from __future__ import annotations

import sqlite3


def advance(connection: sqlite3.Connection, name: str, by: int = 1) -> int:
    """Step a counter inside a write transaction and return its new value; it starts at zero."""
    connection.execute(
        "INSERT INTO sequences (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
        (name, by),
    )
    return current(connection, name)


def current(connection: sqlite3.Connection, name: str) -> int:
    """The counter's value; zero when it was never stepped."""
    row = connection.execute("SELECT value FROM sequences WHERE name = ?", (name,)).fetchone()
    return 0 if row is None else int(row[0])
