"""One open database, in memory or in a file: who may read and write when. Requests get connections only from here."""

from __future__ import annotations

import math
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

from tablewright.engine.clock import Clock, SystemClock
from tablewright.engine.storage.catalogue import Catalogue
from tablewright.engine.storage.committer import Committer, Pending, WouldWaitError
from tablewright.engine.storage.connections import (
    BUSY_SECONDS,
    Synchronous,
    closed,
    connect_file,
    connect_memory,
    explain,
    is_busy,
)
from tablewright.engine.storage.fileformat import prepare
from tablewright.engine.storage.sharing import NotSharedError, Sharing
from tablewright.engine.storage.transaction import Transaction
from tablewright.errors import StorageError

T = TypeVar("T")

_IDLE_READERS = 16
_BETWEEN_TRIES = 0.01
_TIMED_COMMITS = 8
"""Commits by which the disk is judged; some take longer, since they copy the log into the file."""


class Reading(Protocol):
    """A read under way; leaving it gives the connection back and explains SQLite's errors."""

    def __enter__(self) -> sqlite3.Connection: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Database(Protocol):
    """What the engine needs of a database."""

    where: str
    in_memory: bool
    catalogue: Catalogue

    def reading(self) -> Reading:
        """A connection for one statement."""
        ...

    def snapshot(self) -> Reading:
        """A connection whose statements all see the same state."""
        ...

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a write transaction and return its value once it is committed.

        `work` must read and decide before its first write, and may be run more than once.
        """
        ...

    def alter(self, work: Callable[[Transaction], T]) -> T:
        """As `write`, for work that changes the catalogue: nothing shares its transaction."""
        ...

    def together(self, tasks: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Run tasks so that one commit covers all that they write; what a task raises stands in its place.

        The tasks run in this thread, one after the other, and may be run more than once.
        """
        ...

    def together_at_once(self, tasks: Sequence[Callable[[], T]]) -> list[T | Exception] | None:
        """The same for one who must not wait for others: None, and nothing is done, where somebody else is writing, or where
        the tasks cannot share a commit."""
        ...

    @property
    def commit_seconds(self) -> float:
        """How long a commit took lately; infinite as long as nobody knows."""
        ...

    def refresh(self) -> bool:
        """Look for changes of the catalogue; True when there were some."""
        ...

    def close(self) -> None:
        """Wait for writers and let go of everything."""
        ...


class MemoryDatabase:
    """A database in memory: one connection, one request at a time."""

    where = "The database in memory"
    in_memory = True

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._lock = threading.RLock()  # those who share a transaction hold it already
        self._sharing = Sharing(self._write_shared)
        self._connection: sqlite3.Connection | None = connect_memory()
        prepare(self._connection, self.where)
        self.catalogue = Catalogue()
        self.catalogue.refresh(self._connection)

    def __enter__(self) -> sqlite3.Connection:
        self._lock.acquire()
        if self._connection is None:
            self._lock.release()
            raise closed()
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()
        if isinstance(error, sqlite3.Error):
            explain(error, self.where)

    def reading(self) -> Reading:
        """A connection for one statement."""
        return self

    def snapshot(self) -> Reading:
        """A connection whose statements all see the same state."""
        return self

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a write transaction and return its value once it is committed."""
        shared = self._sharing.here()
        if shared is not None:
            return work(shared)
        with self as connection:
            transaction = Transaction(connection, self.catalogue, self._clock, lazy=True)
            try:
                value = work(transaction)
                if transaction.wrote:
                    connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return value

    def _write_shared(self, work: Callable[[Transaction], T]) -> T:
        with self as connection:
            connection.execute("BEGIN")
            try:
                value = work(Transaction(connection, self.catalogue, self._clock, lazy=False))
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return value

    def alter(self, work: Callable[[Transaction], T]) -> T:
        """As `write`, for work that changes the catalogue: nothing shares its transaction."""
        if self._sharing.here() is not None:
            raise NotSharedError

        def work_and_refresh(transaction: Transaction) -> T:
            value = work(transaction)
            # Before anybody else gets the lock: a write must never miss an index.
            connection = transaction.connection
            if transaction.wrote:
                connection.execute("COMMIT")
                transaction.wrote = False
                self.catalogue.refresh(connection)
            return value

        return self.write(work_and_refresh)

    def together(self, tasks: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Run tasks so that one commit covers all that they write; what a task raises stands in its place."""
        return self._sharing.run(tasks)

    def together_at_once(self, tasks: Sequence[Callable[[], T]]) -> list[T | Exception] | None:
        """The same: whoever else is at it is soon done."""
        return self.together(tasks)

    @property
    def commit_seconds(self) -> float:
        """Nothing to speak of."""
        return 0.0

    def refresh(self) -> bool:
        """Look for changes of the catalogue; in memory everybody who makes one says so."""
        with self:  # which refuses where the database is closed
            return False

    def close(self) -> None:
        """Wait for writers and let go of everything."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None


class FileDatabase:
    """A database file: one writing connection behind group commit, and a pool of readers."""

    in_memory = False

    def __init__(self, path: str, synchronous: Synchronous, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self.where = f"The file {path}"
        self._path = path
        self._synchronous: Synchronous = synchronous
        self._closed = False
        self._foreign = False
        self._commits: deque[float] = deque(maxlen=_TIMED_COMMITS)
        self._idle: list[sqlite3.Connection] = []
        self.catalogue = Catalogue()
        try:
            self._writer = connect_file(path, synchronous, writer=True)
            try:
                prepare(self._writer, self.where)
                self._use_log()
                self.catalogue.refresh(self._writer)
                self._writer.execute("PRAGMA busy_timeout = 0")  # from now on _begin() waits, for those who can
            except BaseException:
                self._writer.close()
                raise
        except sqlite3.Error as error:
            explain(error, self.where)
        self._committer = Committer(self._commit_group)
        self._sharing = Sharing(self._committer.run)
        _open_files.add(self)

    def _use_log(self) -> None:
        mode = self._log_mode()
        if mode != "wal":
            raise StorageError(
                f"{self.where} cannot have a write-ahead log where it is.",
                hint="Keep it on a local disk; network file systems lack the shared memory that the log needs.",
            )

    def _log_mode(self) -> str:
        # SQLite's own waiting does not cover this change of mode, which several processes may make at once.
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                (mode,) = self._writer.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(_BETWEEN_TRIES)
            else:
                return str(mode)

    def reading(self) -> Reading:
        """A connection for one statement."""
        return _FileReading(self)

    def snapshot(self) -> Reading:
        """A connection whose statements all see the same state."""
        return _FileSnapshot(self)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a write transaction and return its value once it is committed."""
        shared = self._sharing.here()
        if shared is not None:
            return work(shared)
        if self._foreign:
            raise _forked()
        value: T = self._committer.run(work)
        return value

    def alter(self, work: Callable[[Transaction], T]) -> T:
        """As `write`, for work that changes the catalogue: nothing shares its transaction."""
        if self._sharing.here() is not None:
            raise NotSharedError
        if self._foreign:
            raise _forked()
        value: T = self._committer.run(work, alone=True)
        self.refresh()
        return value

    def together(self, tasks: Sequence[Callable[[], T]]) -> list[T | Exception]:
        """Run tasks so that one commit covers all that they write; what a task raises stands in its place."""
        if self._foreign:
            raise _forked()
        return self._sharing.run(tasks)

    def together_at_once(self, tasks: Sequence[Callable[[], T]]) -> list[T | Exception] | None:
        """The same, where that needs no waiting for another thread or process; otherwise None, and nothing is done."""
        if self._foreign:
            raise _forked()
        try:
            return self._sharing.run_shared(tasks, partial(self._committer.run, patient=False))
        except (NotSharedError, WouldWaitError):
            return None
        except Exception as error:
            return [error for _ in tasks]

    @property
    def commit_seconds(self) -> float:
        """How long a commit took lately; infinite as long as nobody knows."""
        return min(self._commits, default=math.inf)

    def refresh(self) -> bool:
        """Look for changes of the catalogue, which another process may have made."""
        with self.reading() as connection:
            return self.catalogue.refresh(connection)

    def close(self) -> None:
        """Wait for writers and let go of everything."""
        if self._foreign or self._closed:
            return
        self._committer.close()
        self._closed = True
        self._close_idle()
        self._writer.close()

    def _close_idle(self) -> None:
        while self._idle:
            try:
                self._idle.pop().close()
            except IndexError:
                return

    def borrow(self) -> sqlite3.Connection:
        """A reader of one's own until it is given back."""
        if self._closed or self._foreign:
            raise _forked() if self._foreign else closed()
        try:
            return self._idle.pop()
        except IndexError:
            pass
        try:
            return connect_file(self._path, self._synchronous, writer=False)
        except sqlite3.Error as error:
            explain(error, self.where)

    def give_back(self, connection: sqlite3.Connection) -> None:
        """Return a reader for the next to borrow."""
        if len(self._idle) >= _IDLE_READERS:
            connection.close()
            return
        self._idle.append(connection)
        if self._closed:
            self._close_idle()

    def disown(self) -> None:
        """Never touch the connections again: after a fork they belong to the parent process."""
        self._foreign = True

    # ------------------------------------------------------------------------------------------------ committing

    def _commit_group(self, group: Sequence[Pending]) -> None:
        if len(group) > 1 and not any(pending.alone for pending in group) and self._commit_together(group):
            return
        for pending in group:
            self._commit_together((pending,))

    def _commit_together(self, group: Sequence[Pending]) -> bool:
        """Commit a group in one transaction; False when one of several must not share the others' fate.

        A request that fails before its first write has changed nothing, so the rest of the group goes on without a
        savepoint. One that fails later spoils the transaction: it is rolled back and everybody runs again alone.
        """
        connection = self._writer
        transaction = Transaction(connection, self.catalogue, self._clock, lazy=False)
        outcomes: list[tuple[Any, Exception | None]] = []
        try:
            self._begin(patient=all(pending.patient for pending in group))
            self.catalogue.refresh(connection)
            for pending in group:
                transaction.wrote = False
                try:
                    outcomes.append((pending.work(transaction), None))
                except Exception as error:
                    if transaction.wrote or isinstance(error, sqlite3.Error):
                        raise
                    outcomes.append((None, error))
            began = time.perf_counter()
            connection.execute("COMMIT")
            self._commits.append(time.perf_counter() - began)
        except BaseException as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            elif not isinstance(error, Exception) and len(outcomes) == len(group):
                # An interrupt that arrived after the commit did its work does not undo it.
                self._settle(group, outcomes)
            if not isinstance(error, Exception):
                raise
            if len(group) > 1 and len(outcomes) < len(group):
                return False
            self._settle(group, [(None, self._explained(error)) for _ in group])
            return True
        self._settle(group, outcomes)
        return True

    def _begin(self, *, patient: bool) -> None:
        """Begins to write; who is patient waits for another process that does."""
        deadline = time.monotonic() + BUSY_SECONDS
        pause = _BETWEEN_TRIES / 10
        while True:
            try:
                self._writer.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                if not patient:
                    raise WouldWaitError from error
                if time.monotonic() > deadline:
                    raise
                time.sleep(pause)
                pause = min(2 * pause, _BETWEEN_TRIES)
            else:
                return

    @staticmethod
    def _settle(group: Sequence[Pending], outcomes: Sequence[tuple[Any, Exception | None]]) -> None:
        for pending, (value, error) in zip(group, outcomes, strict=True):
            pending.settle(value, error)

    def _explained(self, error: Exception) -> Exception:
        if isinstance(error, sqlite3.Error):
            try:
                explain(error, self.where)
            except Exception as explained:
                return explained
        return error


class _FileReading:
    __slots__ = ("_connection", "_database")

    def __init__(self, database: FileDatabase) -> None:
        self._database = database

    def __enter__(self) -> sqlite3.Connection:
        self._connection = self._database.borrow()
        return self._connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.give_back(self._connection)
        if isinstance(error, sqlite3.Error):
            explain(error, self._database.where)


class _FileSnapshot(_FileReading):
    __slots__ = ()

    def __enter__(self) -> sqlite3.Connection:
        connection = super().__enter__()
        connection.execute("BEGIN")
        return connection

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        super().__exit__(kind, error, trace)


_open_files: WeakSet[FileDatabase] = WeakSet()


def _disown_all() -> None:
    for database in list(_open_files):
        database.disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown_all)


def _forked() -> StorageError:
    return StorageError(
        "The engine was opened before this process was forked; SQLite files do not survive a fork.",
        hint="Open the engine in the process that uses it.",
    )


def open_database(target: str, synchronous: Synchronous, clock: Clock | None = None) -> Database:
    """Open "memory:" or a file path."""
    if target == "memory:":
        return MemoryDatabase(clock)
    return FileDatabase(target, synchronous, clock)
