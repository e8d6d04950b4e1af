"""Idempotency tokens of transactions, kept in the file for as long as the service keeps them."""

from __future__ import annotations

import sqlite3

from msgspec import Struct

TOKEN_SECONDS = 600.0


class Remembered(Struct, frozen=True):
    """What a token was used for: a digest of the request, and the response as JSON."""

    request: bytes
    response: bytes


def recall(connection: sqlite3.Connection, token: str, now: float) -> Remembered | None:
    """What the token was used for within its ten minutes, or None."""
    row = connection.execute(
        "SELECT request, response FROM tokens WHERE token = ? AND created > ?", (token, now - TOKEN_SECONDS)
    ).fetchone()
    return None if row is None else Remembered(*row)


def remember(connection: sqlite3.Connection, token: str, now: float, used: Remembered) -> None:
    """Keep a token, and let go of those whose time is over."""
    connection.execute("DELETE FROM tokens WHERE created <= ?", (now - TOKEN_SECONDS,))
    connection.execute(
        "INSERT OR REPLACE INTO tokens (token, created, request, response) VALUES (?, ?, ?, ?)",
        (token, now, used.request, used.response),
    )
