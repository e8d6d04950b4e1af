"""Defaults that were meant to be made anew for each item, but were made once, when the class was read."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from tablewright.errors import ModelError

_ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
_UUID = r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}"
_JUST_NOW = timedelta(minutes=1)
_GENERATED = (1, 4, 6, 7, 8)
"""Versions of UUIDs that stand for a moment or for chance; 3 and 5 are made from names, and zero is none."""


def refuse_frozen_default(entity: str, field: str, info: Any) -> None:
    """In the primary key such a default would make every new item the same one, written over and over."""
    found = None if info.default_factory is not None else _frozen(info.default)
    if found is None:
        return
    what, factory = found
    raise ModelError(
        f"{entity}: the primary key is made of {field!r}, whose default is one {what} for all items: each new one would "
        f"take the place of the last.",
        hint=f"Write {field}: ... = Field(default_factory={factory}). A constant that is meant is made the same way, with a "
        "function that returns it.",
    )


def _frozen(default: Any) -> tuple[str, str] | None:
    """What a default must have been made by, in words and as a factory; None for a constant like any other."""
    if isinstance(default, datetime):
        just_now = abs(datetime.now(default.tzinfo) - default) < _JUST_NOW
        return ("moment", "lambda: datetime.now(UTC)") if just_now else None
    if isinstance(default, UUID):
        return ("generated UUID", "uuid7") if default.version in _GENERATED else None
    if isinstance(default, str) and re.fullmatch(_ULID, default):
        return "ULID", "ulid"
    if isinstance(default, str) and re.fullmatch(_UUID, default) and UUID(default).version in _GENERATED:
        return "generated UUID", "lambda: str(uuid7())"
    return None
