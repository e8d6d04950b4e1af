"""What a call means that leaves something unsaid; apart from what it is for, so that sessions can show it before that is loaded."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TypeAlias

MAX_BATCH_GET = 100
"""Items that one request can ask for."""
OVERLAP = timedelta(seconds=10)
"""How late a change may appear in a feed."""


class Unset:
    """No expectation about the version."""

    def __repr__(self) -> str:
        return "whatever it is"


UNSET = Unset()
ANY_VERSION = UNSET
"""No expectation about the version, as in a write that names none: `expected_version=ANY_VERSION if seen is None else seen`,
in a function that may be given one or not. (None is an item without a version.)"""
Expectation: TypeAlias = int | datetime | Unset | None
"""What a caller expects of the item: its version, or with lock="updated_at" the time of its last write; None: none at
all; UNSET: whatever it has."""
Lock: TypeAlias = int | str | Unset | None
"""The same as it is stored."""
