"""Markers that a field carries in `Annotated[...]` to say how it is stored, and ready-made field types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import StringConstraints

EpochUnit: TypeAlias = Literal["s", "ms", "us"]


@dataclass(frozen=True, slots=True)
class Epoch:
    """Store a datetime as a number of seconds ("s"), milliseconds or microseconds since 1970, not as ISO text.

    A TTL field is always `Epoch("s")`: that is the only form DynamoDB expires items by.
    """

    unit: EpochUnit = "s"


NaturalKey: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1)]
"""Text that people type and that identifies something, such as an email address: trimmed and lower-cased before it is
stored or looked up, so that two spellings are one key."""
