"""Parts that are times: datetime in UTC with microseconds, date."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from msgspec import to_builtins

from tablewright.errors import KeyValueError
from tablewright.values.keycodec.parts.base import PartCodec, not_written_here, wrong_type

_DIGITS = frozenset("0123456789")
_datetime_text = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z").fullmatch
_date_text = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch
_TICK = timedelta(microseconds=1)
_FIRST = datetime.min.replace(tzinfo=UTC)


class DatetimePart(PartCodec):
    """An aware datetime as `2025-01-31T23:59:59.000000Z`."""

    kind = "a datetime"
    discrete = True
    fixed_width = 27
    max_bytes = 27
    alphabet = _DIGITS | frozenset("-T:.Z")
    required = frozenset("-T:.Z")

    def encode(self, value: Any) -> str:
        if value.__class__ is not datetime or value.tzinfo is not UTC:
            value = _utc(value)
        # A tenth of the cost of isoformat; it leaves out microseconds that are zero.
        text: str = to_builtins(value)
        return text if len(text) == self.fixed_width else text[:-1] + ".000000Z"

    def decode(self, text: str) -> datetime:
        if not _datetime_text(text):
            raise not_written_here(self.kind)
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            raise not_written_here(self.kind) from None

    def before(self, value: Any) -> datetime | None:
        moment = _utc(value)
        return None if moment == _FIRST else moment - _TICK


class DatePart(PartCodec):
    """A date as `2025-01-31`."""

    kind = "a date"
    discrete = True
    fixed_width = 10
    max_bytes = 10
    alphabet = _DIGITS | {"-"}
    required = frozenset("-")

    def encode(self, value: Any) -> str:
        if not isinstance(value, date) or isinstance(value, datetime):
            raise wrong_type(self.kind, value)
        return date.isoformat(value)

    def decode(self, text: str) -> date:
        if not _date_text(text):
            raise not_written_here(self.kind)
        try:
            return date.fromisoformat(text)
        except ValueError:
            raise not_written_here(self.kind) from None

    def before(self, value: Any) -> date | None:
        return None if value == date.min else value - timedelta(days=1)


def _utc(value: Any) -> datetime:
    if not isinstance(value, datetime):
        raise wrong_type("a datetime", value)
    if value.utcoffset() is None:
        raise KeyValueError(
            "a datetime in a key needs a time zone.",
            constraint="aware",
            hint="Use datetime.now(UTC), or value.replace(tzinfo=...) with the zone that it was meant in.",
        )
    if getattr(value, "nanosecond", 0):
        raise KeyValueError("a datetime in a key has microseconds, not nanoseconds.", constraint="microseconds")
    try:
        moment = value.astimezone(UTC)
        return moment if moment.__class__ is datetime else datetime.combine(moment.date(), moment.timetz())
    except OverflowError:
        raise KeyValueError("is outside the years 1 to 9999 in UTC.", constraint="range") from None
