"""Where the engine keeps tables: the only room with SQL. Requests come in through Database and Transaction."""

from tablewright.engine.storage.backfill import WHOLE, Filled, Portion
from tablewright.engine.storage.catalogue import Onlooker, Unseen
from tablewright.engine.storage.connections import Connection, StaleSchemaError, Synchronous
from tablewright.engine.storage.database import Database, open_database
from tablewright.engine.storage.table_store import Body, Selection, Stored, TableStore, read_item
from tablewright.engine.storage.tokens import Remembered
from tablewright.engine.storage.transaction import Change, Expiry, Transaction

__all__ = [
    "WHOLE",
    "Body",
    "Change",
    "Connection",
    "Database",
    "Expiry",
    "Filled",
    "Onlooker",
    "Portion",
    "Remembered",
    "Selection",
    "StaleSchemaError",
    "Stored",
    "Synchronous",
    "TableStore",
    "Transaction",
    "Unseen",
    "open_database",
    "read_item",
]
