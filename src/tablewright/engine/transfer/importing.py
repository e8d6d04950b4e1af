"""Reading items into a new table, in one transaction: the table is there with all of them, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tablewright.engine.storage import Change, TableStore, Transaction
from tablewright.engine.validation.keys import item_key, table_key
from tablewright.errors import ServiceError, ValidationError
from tablewright.values import MAX_ITEM_SIZE, dumps, weigh_item

_MOST_TOLD = 10
_LONGEST_NAME = 100
_WITHOUT_VALUES = {"number": "it is not a number", "unique members": "a set has a member twice"}
"""Where the service quotes values, what is said in place of its words."""
_INVALID = ("One or more parameter values were invalid: ", "One or more parameter values are not valid. ")


class LeftOut(NamedTuple):
    """A line of a file whose item is not in the table, and why. Names attributes, never values."""

    file: str
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.why}"


class Imported(NamedTuple):
    """How an import went: items read, items that are in the table now, and items that could not be.

    `left_out` tells of the first ten that could not be.
    """

    table: str
    processed: int
    imported: int
    errors: int
    left_out: tuple[LeftOut, ...] = ()


def import_items(
    transaction: Transaction, table: TableStore, items: Iterable[tuple[Path, int, Any]], *, heeds_indexes: bool
) -> Imported:
    """Put items into a table that this transaction has created; of several with one key the last one stays.

    An item whose attributes an index cannot have in its key is an error, as a put of it is. Unless the table is to
    heed its indexes such an item stays out of them only, as one does that was there before its index.
    """
    key_of = item_key if heeds_indexes else table_key
    processed = imported = errors = 0
    left_out: list[LeftOut] = []
    for path, line, raw in items:
        processed += 1
        try:
            if isinstance(raw, ValidationError):
                raise raw
            item, size = weigh_item(raw)
            key = key_of(table.schema, item)
            if size > MAX_ITEM_SIZE:
                raise ValidationError(f"it has {size:,} bytes, and an item may have {MAX_ITEM_SIZE:,}")
        except (ServiceError, ValidationError, UnicodeEncodeError, RecursionError) as error:
            errors += 1
            if len(left_out) < _MOST_TOLD:
                left_out.append(LeftOut(path.name, line, _why(error)))
            continue
        old = transaction.get(table, key)
        transaction.apply(Change(table, key, old, item, size, dumps(item)))
        if old is None:
            imported += 1
    return Imported(table.name, processed, imported, errors, tuple(left_out))


def _why(error: ServiceError | ValidationError | UnicodeEncodeError | RecursionError) -> str:
    """What is wrong with an item, without a value of it."""
    if isinstance(error, UnicodeEncodeError):
        return "it holds a lone surrogate, which is no valid text"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    text = error.message
    for start in _INVALID:
        text = text.removeprefix(start)
    if isinstance(error, ServiceError):
        return text
    text = _WITHOUT_VALUES.get(error.constraint or "", text)
    return f"attribute {error.field[:_LONGEST_NAME]}: {text}" if error.field else text
