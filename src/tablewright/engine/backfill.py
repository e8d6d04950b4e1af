"""What is new in tables that hold items: filled a portion at a time, by a thread or when asked, while writes go on.

That are indexes, the times at which items expire, and tables that are being restored.
"""

from __future__ import annotations

import time

from msgspec.structs import replace

from tablewright.engine.background import Background
from tablewright.engine.storage import Database, Filled, Portion, StaleSchemaError, TableStore, Transaction
from tablewright.engine.storage.backfill import New, fill_next
from tablewright.engine.storage.restoring import restore_next
from tablewright.errors import TablewrightError

PORTION = Portion(rows=4000, seconds=0.05)
"""What is done in one transaction: other writers wait no longer than this."""

NOTHING = Portion(rows=0)
AT_ONCE = Portion(rows=2000)


def backfill(database: Database, limit: int | None = None) -> int:
    """Fill what is new in all tables, looking at `limit` items at most; how many there were."""
    looked = 0
    while limit is None or looked < limit:
        filled = fill_portion(database, PORTION if limit is None else replace(PORTION, rows=limit - looked))
        if filled is None:
            break
        looked += filled.looked
    return looked


def is_filling(table: TableStore) -> bool:
    """Whether something of a table is still to be filled."""
    return table.restoring or _new(table) is not None


def fill_portion(database: Database, portion: Portion) -> Filled | None:
    """Fill some of what is new in one table; None when there is nothing.

    Two processes may do this at once: how far it is filled is looked up in the transaction that goes on.
    """
    database.refresh()
    table = next((table for table in database.catalogue.tables.values() if is_filling(table)), None)
    if table is None:
        return None
    try:
        filled = _go_on(database, table, portion)
        if filled.reached is None:
            _finish(database, table)
    except StaleSchemaError:
        # The table was changed meanwhile, perhaps because the other process came to the end.
        return Filled(0, 0)
    return filled


def _new(table: TableStore) -> New | None:
    expiry = None if table.capture is None else table.capture.expiry
    return table.schema.filling or (expiry if expiry is not None and expiry.filling else None)


def _go_on(database: Database, table: TableStore, portion: Portion) -> Filled:
    def work(transaction: Transaction) -> Filled:
        transaction.require(table)
        new = _new(table)
        transaction.begin_writing()
        if table.restoring:
            return restore_next(transaction.connection, table, portion)
        assert new is not None
        return fill_next(transaction.connection, table, new, portion)

    return database.write(work)


def _finish(database: Database, table: TableStore) -> None:
    def work(transaction: Transaction) -> None:
        transaction.require(table)
        definition = dict(table.schema.definition)
        if definition.pop("Restoring", None) is None and definition.pop("Backfilling", None) is None:
            definition["TimeToLive"] = {"AttributeName": definition["TimeToLive"]["AttributeName"]}
        transaction.change_table(table, definition)

    database.alter(work)


class Filler(Background):
    """Fills what is new, and rests as long as it worked, so that writers in other processes get their turn."""

    __slots__ = ("_database",)

    def __init__(self, database: Database) -> None:
        super().__init__("backfill")
        self._database = database

    def turn(self) -> float | None:
        """Fill a portion; what goes wrong is told to the log, and tried again when somebody asks for the index."""
        started = time.monotonic()
        try:
            filled = fill_portion(self._database, PORTION)
        except TablewrightError as error:
            import logging  # here and not above: this is seldom, and it takes long to load

            logging.getLogger(__name__).warning("What is new in a table could not be filled: %s", error.message)
            return None
        return None if filled is None else time.monotonic() - started
