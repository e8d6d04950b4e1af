"""SQLite connections as the engine needs them, and what SQLite's errors mean here."""

from __future__ import annotations

import sqlite3
from typing import Literal, NoReturn

from tablewright.errors import CorruptDataError, FileFormatError, StorageError

Synchronous = Literal["FULL", "NORMAL"]

Connection = sqlite3.Connection
"""What storage's own readers are given; other rooms pass it on and ask it nothing."""

BUSY_SECONDS = 30.0
_OLDEST_SQLITE = (3, 24)
_CACHED_STATEMENTS = 2048
_WAL_PAGES = 4000
"""Pages after which a commit copies the log into the file: few enough that nobody notices how long it takes."""
_WRITER_CACHE_KB = 64 * 1024
_READER_CACHE_KB = 8 * 1024


class StaleSchemaError(Exception):
    """The catalogue changed under a request, here or in another process: the request starts again."""


def connect_memory() -> sqlite3.Connection:
    """A private database in memory."""
    return _connect(":memory:")


def connect_file(path: str, synchronous: Synchronous, *, writer: bool) -> sqlite3.Connection:
    """A connection to a database file in WAL mode."""
    connection = _connect(path)
    try:
        connection.execute(f"PRAGMA synchronous = {synchronous}")
        if synchronous == "FULL":
            # On macOS a plain fsync leaves data in the drive's own cache.
            connection.execute("PRAGMA fullfsync = ON")
        connection.execute(f"PRAGMA cache_size = -{_WRITER_CACHE_KB if writer else _READER_CACHE_KB}")
        if writer:
            connection.execute(f"PRAGMA wal_autocheckpoint = {_WAL_PAGES}")
        else:
            connection.execute("PRAGMA query_only = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(database: str) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StorageError(
            f"This Python is linked to SQLite {sqlite3.sqlite_version}; the engine needs 3.24 or later.",
            hint="Use a Python that brings or finds a newer SQLite.",
        )
    # Connections pass between threads, one thread at a time; the engine sees to that.
    connection = sqlite3.connect(
        database,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=_CACHED_STATEMENTS,
    )
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def closed() -> StorageError:
    """What a request meets after close()."""
    return StorageError("The engine is closed.", hint="Open it again before using it.")


def is_busy(error: sqlite3.Error) -> bool:
    """Whether somebody else holds what is needed."""
    return str(getattr(error, "sqlite_errorname", "")).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def explain(error: sqlite3.Error, where: str) -> NoReturn:
    """Raise what a SQLite error means to the caller."""
    name = getattr(error, "sqlite_errorname", "")
    text = str(error)
    if text.startswith(("no such table", "no such index")):
        raise StaleSchemaError from error
    if "closed database" in text:
        raise closed() from error
    if name.startswith("SQLITE_NOTADB"):
        raise FileFormatError(
            f"{where} is not a Tablewright file.",
            hint="Give another path; Tablewright creates the file itself.",
            operation="open",
        ) from error
    if name.startswith("SQLITE_CORRUPT"):
        raise CorruptDataError(
            f"{where} is damaged: SQLite cannot follow its pages.",
            hint="Restore the file from a copy, or its tables from exports; `tablewright verify` tells what is affected.",
        ) from error
    if is_busy(error):
        raise StorageError(
            f"{where} was locked by another process for {BUSY_SECONDS:.0f} seconds.",
            hint="Look for a process that holds a transaction open on it.",
        ) from error
    if name.startswith("SQLITE_FULL"):
        raise StorageError(f"The disk that holds {where} is full.", hint="Free some space and try again.") from error
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM")):
        raise StorageError(
            f"{where} cannot be opened for writing.", hint="Check that its folder exists and may be written to."
        ) from error
    raise StorageError(f"SQLite failed on {where}: {text}") from error
