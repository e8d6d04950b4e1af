"""Shards: a stream's records in windows of four hours, each a shard with the one before it as parent.

Nothing is stored of them. A record belongs to the window that its time falls into, and times in a log never step
back; so a shard is a run of the log, closed when its window is over or its stream was closed.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from zlib import crc32

from tablewright.engine.storage.connections import Connection
from tablewright.engine.storage.stream_log import STREAM_SECONDS, Stream

SHARD_SECONDS = 4 * 3600.0

# Before the number in the log stands the number of the shard, so that numbers of shards do not meet; a fixed width
# keeps their order as text the same as their order as numbers.
_FIRST_SHARD = 100_000
_LOG_DIGITS = 19


class Shard(NamedTuple):
    """One shard: records from `first` up to `last` in the log's own numbers, which are empty if last < first."""

    number: int
    id: str
    parent: str | None
    first: int
    last: int
    closed: bool

    def describe(self) -> dict[str, Any]:
        """The Shard of DescribeStream."""
        numbers = {"StartingSequenceNumber": sequence_number(self.number, 0)}
        if self.closed:
            # Whether records are left does not matter: the end that was told once stays.
            numbers["EndingSequenceNumber"] = sequence_number(self.number, self.last)
        described: dict[str, Any] = {"ShardId": self.id, "SequenceNumberRange": numbers}
        if self.parent is not None:
            described["ParentShardId"] = self.parent
        return described


def shard_of(stream: Stream, created: float) -> int:
    """The index of the shard that a record of this time belongs to."""
    return max(0, int((created - stream.created) // SHARD_SECONDS))


def shards_of(connection: Connection, stream: Stream, now: float) -> list[Shard]:
    """The shards that can be read, in order."""
    log = stream.log
    last = log.last(connection)
    current = _current(connection, stream, last, now)
    oldest = shard_of(stream, now - STREAM_SECONDS)
    starts = [log.first_at(connection, starts_at(stream, index)) for index in range(oldest, current + 1)]
    # Records of the oldest shard may be over already.
    starts[0] = log.first_at(connection, max(starts_at(stream, oldest), now - STREAM_SECONDS))
    starts.append(last + 1)
    return [
        Shard(
            number=index,
            id=_shard_id(stream, index),
            parent=_shard_id(stream, index - 1) if index else None,
            first=starts[position],
            last=starts[position + 1] - 1,
            closed=index < current or stream.closed is not None,
        )
        for position, index in enumerate(range(oldest, current + 1))
    ]


def reach_of(connection: Connection, stream: Stream, index: int, now: float) -> tuple[int, bool]:
    """The last number of one shard, and whether it is closed: all that a reader on its way needs."""
    last = stream.log.last(connection)
    over = index < _current(connection, stream, last, now)
    if over:
        last = stream.log.first_at(connection, starts_at(stream, index + 1)) - 1
    return last, over or stream.closed is not None


def _current(connection: Connection, stream: Stream, last: int, now: float) -> int:
    """The index of the newest shard; a record may be ahead of a clock that was set back."""
    end = now if stream.closed is None else min(now, stream.closed)
    newest = stream.log.created(connection, last)
    return max(shard_of(stream, end), 0 if newest is None else shard_of(stream, newest))


def starts_at(stream: Stream, index: int) -> float:
    """The moment at which a shard begins."""
    return stream.created + index * SHARD_SECONDS


def _shard_id(stream: Stream, index: int) -> str:
    start = int(starts_at(stream, index) * 1000)
    return f"shardId-{start:020d}-{crc32(f'{stream.number}/{stream.ordinal}/{index}'.encode()):08x}"


def sequence_number(shard: int, number: int) -> str:
    """A SequenceNumber from a shard and a number in the log."""
    return f"{_FIRST_SHARD + shard}{number:0{_LOG_DIGITS}d}"


def read_sequence_number(text: str) -> tuple[int, int] | None:
    """Shard and number in the log from a SequenceNumber; None for one that we never gave."""
    if not text.isascii() or not text.isdigit() or len(text) != len(str(_FIRST_SHARD)) + _LOG_DIGITS:
        return None
    shard = int(text[:-_LOG_DIGITS]) - _FIRST_SHARD
    return None if shard < 0 else (shard, int(text[-_LOG_DIGITS:]))
