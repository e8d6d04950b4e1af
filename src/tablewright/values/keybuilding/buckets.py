"""Times in keys: buckets of an hour, a day, a month or a year in UTC, and the seconds by which items expire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tablewright.errors import ArgumentError, KeyValueError
from tablewright.values.keybuilding.granularity import WIDTHS, Granularity
from tablewright.values.keybuilding.texts import limited, written_key

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_bucket(timestamp: datetime, granularity: Granularity) -> str:
    """The bucket of a moment in UTC: `2025-12-02` for a day, `2025-12-02T14` for an hour, `2025-12` for a month."""
    width = WIDTHS.get(granularity)
    if width is None:
        raise ArgumentError(
            "A bucket is an hour, a day, a month or a year.", constraint="granularity", hint='Use "day", say.'
        )
    return utc("time_bucket", timestamp).isoformat()[:width]


def time_series_key(timestamp: datetime, granularity: Granularity, *, of: str) -> str:
    """The partition of a time series: `time_series_key(t, "day", of="SENSOR#s1")` is `SENSOR#s1#2025-12-02`.

    `of` is whose series it is: an entity's key, or a shard from `distributed_key`. A bucket alone would be one partition
    for everything that happens now.
    """
    return limited(f"{written_key('time_series_key', of)}#{time_bucket(timestamp, granularity)}")


def ttl_timestamp(expires_at: datetime) -> int:
    """The moment as DynamoDB expires items by: whole seconds since 1970, never milliseconds."""
    return (utc("ttl_timestamp", expires_at) - _EPOCH) // timedelta(seconds=1)


def epoch_milliseconds(function: str, timestamp: datetime) -> int:
    """Whole milliseconds since 1970."""
    return (utc(function, timestamp) - _EPOCH) // timedelta(milliseconds=1)


def utc(function: str, moment: datetime) -> datetime:
    """A moment in UTC; one without a time zone is refused."""
    if not isinstance(moment, datetime) or moment.utcoffset() is None:
        raise KeyValueError(
            f"{function}() takes a datetime with a time zone.", constraint="aware", hint="Use datetime.now(UTC)."
        )
    return moment.astimezone(UTC)
