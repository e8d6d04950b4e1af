"""Markers that a field carries in `Annotated[...]` to say how it is stored, and ready-made field types."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Struct
from pydantic import GetCoreSchemaHandler, StringConstraints
from pydantic_core import CoreSchema, core_schema

from tablewright.errors import ArgumentError, ModelError

EpochUnit: TypeAlias = Literal["s", "ms", "us"]


class Epoch(Struct, frozen=True):
    """Store a datetime as a number of seconds ("s"), milliseconds or microseconds since 1970, not as ISO text.

    Validation cuts the value down to whole units, so that what is read back equals what was written. A TTL field is
    always `Epoch("s")`: that is the only form DynamoDB expires items by.
    """

    unit: EpochUnit = "s"
    """Seconds, milliseconds or microseconds."""

    def __post_init__(self) -> None:
        if self.unit not in ("s", "ms", "us"):
            raise ModelError(f"Epoch({self.unit!r}) is unknown.", hint='Use "s", "ms" or "us".')

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._whole, handler(source))

    def _whole(self, value: Any) -> Any:
        if self.unit == "us" or not isinstance(value, datetime):
            return value
        kept = 0 if self.unit == "s" else value.microsecond // 1000 * 1000
        return value if value.microsecond == kept else value.replace(microsecond=kept)


NaturalKey: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, to_lower=True, min_length=1)]
"""Text that people type and that identifies something, such as an email address: trimmed and lower-cased before it is
stored or looked up, so that two spellings are one key."""


def expires_in(keep: timedelta, *, start: datetime | None = None) -> datetime:
    """The moment when an item that is kept for so long expires, in whole seconds, counted from now or from `start`:
    `Login(..., expires_at=expires_in(timedelta(hours=24)))`."""
    begin = datetime.now(UTC) if start is None else start
    if not isinstance(keep, timedelta) or not isinstance(begin, datetime) or begin.tzinfo is None:
        raise ArgumentError(
            "expires_in() takes a timedelta, and a start with a time zone.", hint="expires_in(timedelta(hours=24))"
        )
    return (begin + keep).replace(microsecond=0)
