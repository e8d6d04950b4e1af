"""Reading items into a new table, in one transaction: the table is there with all of them, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tablewright.engine.storage import Change, TableStore, Transaction
from tablewright.engine.validation.keys import item_key, table_key
from tablewright.errors import ServiceError, ValidationError
from tablewright.values import MAX_ITEM_SIZE, dumps, weigh_item


class Imported(NamedTuple):
    """How an import went: items read, items that are in the table now, and items that could not be."""

    table: str
    processed: int
    imported: int
    errors: int


def import_items(transaction: Transaction, table: TableStore, items: Iterable[Any], *, heeds_indexes: bool) -> Imported:
    """Put items into a table that this transaction has created; of several with one key the last one stays.

    An item whose attributes an index cannot have in its key is an error, as a put of it is. Unless the table is to
    heed its indexes such an item stays out of them only, as one does that was there before its index.
    """
    key_of = item_key if heeds_indexes else table_key
    processed = imported = errors = 0
    for raw in items:
        processed += 1
        try:
            item, size = weigh_item(raw)
            key = key_of(table.schema, item)
        except (ServiceError, ValidationError, UnicodeEncodeError, RecursionError):
            errors += 1
            continue
        if size > MAX_ITEM_SIZE:
            errors += 1
            continue
        old = transaction.get(table, key)
        transaction.apply(Change(table, key, old, item, size, dumps(item)))
        if old is None:
            imported += 1
    return Imported(table.name, processed, imported, errors)
