"""Fields in the cells of CSV, which knows texts only: what is empty, what is None, and what is JSON."""

from __future__ import annotations

import re
from typing import Any

from msgspec import UNSET, UnsetType

from tablewright.evolve.transfer.forms import Form, dumps, loads
from tablewright.evolve.transfer.leaves import LEAVES

NONE, EMPTY = r"\N", r"\E"
"""None where an empty cell would mean the default, and an empty text where it would mean None."""
_MARKS = re.compile(r"\\+[NE]")


def write_cell(form: Form, value: Any) -> str:
    """The text of a cell. None is an empty one where that is the default."""
    if value is None:
        return "" if form.field.omit_none else NONE
    written = form.write(value)
    if form.single is not None:
        text = ("true" if written else "false") if isinstance(written, bool) else str(written)
    else:
        text = written if isinstance(written, str) and not _is_json(written) else dumps(written)
    if _MARKS.fullmatch(text):
        return "\\" + text
    return text or ("" if _keeps_empty(form) else EMPTY)


def read_cell(form: Form, text: str) -> Any | UnsetType:
    """The value of a cell, ready to be validated; UNSET where nothing was said."""
    if text == NONE:
        return None
    if text == EMPTY:
        return form.read("")
    if not text:
        return "" if _keeps_empty(form) else UNSET
    if _MARKS.fullmatch(text):
        text = text[1:]
    if form.single is not None:
        return form.read(text)
    try:
        return form.read(loads(text))
    except (ValueError, RecursionError):
        return form.read(text)


def _keeps_empty(form: Form) -> bool:
    """Whether an empty cell is an empty text: so where the field is a text that takes no None."""
    return form.single is LEAVES[str] and not form.field.nullable


def _is_json(text: str) -> bool:
    try:
        loads(text)
    except ValueError:
        return not text
    except RecursionError:
        pass  # how deep is too deep depends on who reads
    return True
