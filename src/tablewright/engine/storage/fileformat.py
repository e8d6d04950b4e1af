"""What makes a SQLite file a Tablewright file: its mark, its format version and the tables that every file has."""

from __future__ import annotations

import sqlite3

from tablewright.engine.storage import attachments, stream_log
from tablewright.errors import FileFormatError

APPLICATION_ID = 0x54425752
"""The letters TBWR in SQLite's header, where `file` and other tools look."""
FORMAT_VERSION = 1

_SCHEMA = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    # AUTOINCREMENT: a dropped table's number never comes back, so a stale reader cannot meet a new table under it.
    "CREATE TABLE tables (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,"
    " definition BLOB NOT NULL)",
    "CREATE TABLE tokens (token TEXT PRIMARY KEY, created REAL NOT NULL, request BLOB NOT NULL,"
    " response BLOB NOT NULL) WITHOUT ROWID",
    "CREATE INDEX tokens_by_age ON tokens (created)",
    *attachments.SCHEMA,
    # AUTOINCREMENT: the number is part of the backup's ARN, which must never come to mean another.
    "CREATE TABLE backups (number INTEGER PRIMARY KEY AUTOINCREMENT, table_name TEXT NOT NULL, stamp TEXT NOT NULL,"
    " name TEXT NOT NULL, created REAL NOT NULL, items INTEGER NOT NULL, size INTEGER NOT NULL,"
    " table_id TEXT NOT NULL, definition BLOB NOT NULL)",
    # AUTOINCREMENT: the number is part of the job's ARN, which must never come to mean another.
    "CREATE TABLE jobs (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, table_name TEXT NOT NULL,"
    " table_id TEXT NOT NULL, started REAL NOT NULL, token TEXT, request BLOB NOT NULL, outcome BLOB NOT NULL)",
    *stream_log.SCHEMA,
    "INSERT INTO meta VALUES ('catalogue', 1)",
)


def prepare(connection: sqlite3.Connection, where: str) -> None:
    """Make an empty database a Tablewright database; refuse one that is something else or from the future."""
    if not _is_empty(connection):
        _check(connection, where)
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have prepared the file between the look and the lock.
        if _is_empty(connection):
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
        else:
            _check(connection, where)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    (value,) = connection.execute(f"PRAGMA {name}").fetchone()
    return int(value)


def _is_empty(connection: sqlite3.Connection) -> bool:
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return objects == 0 and _pragma(connection, "application_id") == 0


def _check(connection: sqlite3.Connection, where: str) -> None:
    if _pragma(connection, "application_id") != APPLICATION_ID:
        raise FileFormatError(
            f"{where} is a SQLite database, but not one of Tablewright's.",
            hint="Give another path; Tablewright creates the file itself.",
            operation="open",
        )
    version = _pragma(connection, "user_version")
    if version != FORMAT_VERSION:
        raise FileFormatError(
            f"{where} has file format {version}; this version of Tablewright reads format {FORMAT_VERSION}.",
            hint="Open it with the version of Tablewright that wrote it, or with a newer one.",
            operation="open",
        )
