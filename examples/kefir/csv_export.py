"""A user's data as CSV: one file, a row for each item, written as it is read; no cell can be taken for a formula.

The first column says what a row is, the others are the fields of all entities, of which each fills its own.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, get_args

from pydantic import BaseModel

from tablewright import Entity, Page, stored

from .model import Batch, BatchEvent, Device, Reminder, User

ENTITIES: tuple[type[Entity], ...] = (User, Device, Batch, BatchEvent, Reminder)
_BOUNDARY = re.compile("""(^|[,;|\t\r\n])([\\s"'\x00-\x20\ufeff\u200b-\u200f]*)(?=[=+\\-@＝＋－＠])""")
_GUARDED = re.compile("""(^|[,;|\t\r\n])([\\s"'\x00-\x20\ufeff\u200b-\u200f]*)'(?=[=+\\-@＝＋－＠])""")


class Writable(Protocol):
    """Whatever takes text: an open file, the body of a response."""

    def write(self, text: str, /) -> object:
        """Takes some more."""
        ...


@dataclass(frozen=True)
class CsvStep:
    """A part of an export, and the cursor of the next; None at the end."""

    text: str
    rows: int
    cursor: str | None


def write_csv(items: Iterable[Entity], out: Writable, *, header: bool = True) -> int:
    """Writes a row for each item, below a header; how many rows there are."""
    writer = csv.DictWriter(out, COLUMNS, quoting=csv.QUOTE_ALL, restval="")
    if header:
        writer.writeheader()
    count = 0
    for item in items:
        writer.writerow({column: cell(value) for column, value in _row(item)})
        count += 1
    return count


def csv_step(page: Page[Entity], *, first: bool) -> CsvStep:
    """A page as text, with the header where it is the first."""
    out = io.StringIO()
    rows = write_csv(page, out, header=first)
    return CsvStep(out.getvalue(), rows, page.cursor)


def cell(value: object) -> str:
    """A value as the text of a cell.

    A spreadsheet computes what begins like a formula, and where it is told another separator, cells begin behind each
    semicolon or tab of a text as well. An apostrophe goes before each such beginning; `plain` takes it away again."""
    if isinstance(value, str):
        return _BOUNDARY.sub(r"\1\2'", value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return value.isoformat()
    return "" if value is None else str(value)


def plain(text: str) -> str:
    """The text that a cell was made of."""
    return _GUARDED.sub(r"\1\2", text)


def _row(item: Entity) -> Iterator[tuple[str, object]]:
    yield "record", type(item).__name__
    yield from _flat(item.model_dump(), "")
    known = stored(item)
    if known is not None:
        yield "created_at", known.created
        yield "updated_at", known.updated


def _flat(values: dict[str, Any], before: str) -> Iterator[tuple[str, object]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        elif value is not None:
            yield before + name, value


def _columns(model: type[BaseModel], before: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        kinds = (field.annotation, *get_args(field.annotation))
        nested = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)]
        if nested:
            yield from _columns(nested[0], f"{before}{name}.")
        else:
            yield before + name


COLUMNS = list(dict.fromkeys(["record", *(c for e in ENTITIES for c in _columns(e)), "created_at", "updated_at"]))
