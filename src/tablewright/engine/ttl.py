"""Time to live: items whose time is over are deleted, a few at once, by a thread or when asked."""

from __future__ import annotations

import threading

from tablewright.engine.background import Background
from tablewright.engine.clock import Clock
from tablewright.engine.storage import Database, Expiry, StaleSchemaError, TableStore, Transaction
from tablewright.engine.storage.stream_log import drop_ended, has_ended
from tablewright.errors import TablewrightError

_BATCH = 25
"""Items in one transaction: other writers wait no longer than for a BatchWriteItem."""


def has_expiries(database: Database) -> bool:
    """Whether any table lets its items expire."""
    return any(
        table.capture is not None and table.capture.expiry is not None for table in database.catalogue.tables.values()
    )


def sweep(database: Database, clock: Clock, limit: int | None = None, stop: threading.Event | None = None) -> int:
    """Delete expired items of all tables, `limit` at most; how many there were.

    Two processes may do this at once: what has expired is looked up in the transaction that deletes it. Along the
    way old records of streams and recovery make room where nothing is written any more.
    """
    database.refresh()
    _drop_streams(database, clock)
    swept = 0
    for table in list(database.catalogue.tables.values()):
        capture = table.capture
        if capture is None:
            continue
        expiry = capture.expiry
        try:
            _trim(database, table)
            while expiry is not None and (limit is None or swept < limit) and not (stop is not None and stop.is_set()):
                with database.reading() as connection:
                    if not expiry.expired(connection, clock.now(), 1):
                        break
                swept += _sweep_batch(database, table, _BATCH if limit is None else min(_BATCH, limit - swept))
        except StaleSchemaError:
            # The table was changed or deleted meanwhile; the next sweep meets it as it is then.
            database.refresh()
    return swept


def _sweep_batch(database: Database, table: TableStore, limit: int) -> int:
    def work(transaction: Transaction) -> int:
        transaction.require(table)
        expiry = None if table.capture is None else table.capture.expiry
        assert expiry is not None
        swept = 0
        for row in expiry.expired(transaction.connection, transaction.now(), limit):
            found = table.get_row(transaction.connection, row)
            if found is not None:
                key, stored = found
                transaction.apply(Expiry(table, key, stored, None))
                swept += 1
        return swept

    return database.write(work)


def _trim(database: Database, table: TableStore) -> None:
    def work(transaction: Transaction) -> None:
        transaction.require(table)
        assert table.capture is not None
        transaction.begin_writing()
        table.capture.trim(transaction.connection, transaction.now())

    database.write(work)


def _drop_streams(database: Database, clock: Clock) -> None:
    with database.reading() as connection:
        if not has_ended(connection, clock.now()):
            return

    def work(transaction: Transaction) -> None:
        transaction.begin_writing()
        drop_ended(transaction.connection, transaction.now())

    database.write(work)


class Sweeper(Background):
    """Sweeps every so often, once it was started."""

    __slots__ = ("_clock", "_database", "_every")

    def __init__(self, database: Database, clock: Clock, every: float) -> None:
        super().__init__("ttl")
        self._database = database
        self._clock = clock
        self._every = every

    def first_pause(self) -> float:
        """Nothing is so urgent that the first sweep could not wait as long as all others."""
        return self._every

    def turn(self) -> float | None:
        """Sweep once; what goes wrong is told to the log, and tried again next time."""
        try:
            sweep(self._database, self._clock, stop=self._stop)
        except TablewrightError as error:
            if not self._stop.is_set():
                import logging  # here and not above: this is seldom, and it takes long to load

                logging.getLogger(__name__).warning("Expired items could not be deleted: %s", error.message)
        return self._every
