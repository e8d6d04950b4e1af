"""What is attached to tables beside their definitions: tags and resource policies. A change of them is no change of the
catalogue."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from msgspec import Struct

SCHEMA = (
    "CREATE TABLE tags (number INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (number, key))"
    " WITHOUT ROWID",
    "CREATE TABLE policies (number INTEGER NOT NULL, resource TEXT NOT NULL, policy TEXT NOT NULL,"
    " revision INTEGER NOT NULL, PRIMARY KEY (number, resource)) WITHOUT ROWID",
)


class Policy(Struct, frozen=True):
    """A resource policy and the number of its revision."""

    text: str
    revision: int


def read_tags(connection: sqlite3.Connection, number: int) -> dict[str, str]:
    """The tags of a table, in the order of their keys."""
    return dict(connection.execute("SELECT key, value FROM tags WHERE number = ? ORDER BY key", (number,)))


def write_tags(connection: sqlite3.Connection, number: int, tags: Mapping[str, str]) -> None:
    """Add tags to a table, or give them other values."""
    connection.executemany(
        "INSERT OR REPLACE INTO tags (number, key, value) VALUES (?, ?, ?)",
        [(number, key, value) for key, value in tags.items()],
    )


def remove_tags(connection: sqlite3.Connection, number: int, keys: Iterable[str]) -> None:
    """Take tags from a table; it need not have them."""
    connection.executemany("DELETE FROM tags WHERE number = ? AND key = ?", [(number, key) for key in keys])


def read_policy(connection: sqlite3.Connection, number: int, resource: str) -> Policy | None:
    """The policy of a table, or of the stream of it that `resource` names."""
    row = connection.execute(
        "SELECT policy, revision FROM policies WHERE number = ? AND resource = ?", (number, resource)
    ).fetchone()
    return None if row is None else Policy(*row)


def write_policy(connection: sqlite3.Connection, number: int, resource: str, policy: Policy) -> None:
    """Put a policy in the place of another or of none."""
    connection.execute(
        "INSERT OR REPLACE INTO policies (number, resource, policy, revision) VALUES (?, ?, ?, ?)",
        (number, resource, policy.text, policy.revision),
    )


def remove_policy(connection: sqlite3.Connection, number: int, resource: str) -> None:
    """Take the policy away."""
    connection.execute("DELETE FROM policies WHERE number = ? AND resource = ?", (number, resource))


def forget_attachments(connection: sqlite3.Connection, number: int) -> None:
    """Drop everything that was attached to a table which is no more."""
    connection.execute("DELETE FROM tags WHERE number = ?", (number,))
    connection.execute("DELETE FROM policies WHERE number = ?", (number,))
