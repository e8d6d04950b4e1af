"""GetShardIterator: a place in a shard to read from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from tablewright.engine.arns import stream_arn
from tablewright.engine.context import Context
from tablewright.engine.storage.stream_log import STREAM_SECONDS
from tablewright.engine.streams.finding import required_stream
from tablewright.engine.streams.iterators import ShardIterator, write_iterator
from tablewright.engine.streams.shards import Shard, read_sequence_number, shards_of, starts_at
from tablewright.errors import RequestRefused, ResourceNotFound

_INVALID = "One or more parameter values were invalid: "


def get_shard_iterator(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a GetShardIterator request."""
    now = context.clock.now()
    with context.database.snapshot() as connection:
        stream = required_stream(context, connection, request["StreamArn"])
        shards = {shard.id: shard for shard in shards_of(connection, stream, now)}
        shard = shards.get(request["ShardId"])
        if shard is None:
            raise ResourceNotFound("Requested resource not found: Shard does not exist")
        oldest = stream.log.first_at(connection, now - STREAM_SECONDS)
    after = _place(
        shard,
        oldest,
        starts_at(stream, shard.number) <= now - STREAM_SECONDS,
        request["ShardIteratorType"],
        request.get("SequenceNumber"),
    )
    arn = stream_arn(context.region, stream.name, stream.label)
    iterator = ShardIterator(stream.number, stream.ordinal, shard.number, after, now)
    return {"ShardIterator": write_iterator(arn, iterator)}


def _place(shard: Shard, oldest: int, aged: bool, kind: str, number: str | None) -> int:
    """The number in the log behind which reading starts; `aged` is a shard whose beginning is over."""
    if kind in ("TRIM_HORIZON", "LATEST"):
        if number is not None:
            raise RequestRefused(f"{_INVALID}SequenceNumber should not be passed for this iterator type")
        return shard.first - 1 if kind == "TRIM_HORIZON" else shard.last
    read = None if number is None else read_sequence_number(number)
    if read is None:
        raise RequestRefused(f"{_INVALID}Invalid SequenceNumber")
    index, sequence = read
    if index != shard.number or sequence > shard.last:
        raise RequestRefused("Invalid SequenceNumber for the shard")
    if sequence == 0:
        # The number that a shard starts with belongs to no record.
        if aged:
            refuse_trimmed()
        return shard.first - 1
    if sequence < oldest:
        refuse_trimmed()
    if sequence < shard.first:
        raise RequestRefused("Invalid SequenceNumber for the shard")
    return sequence - 1 if kind == "AT_SEQUENCE_NUMBER" else sequence


def refuse_trimmed() -> NoReturn:
    """Refuse to read records whose time is over."""
    raise RequestRefused(
        "The operation attempted to read past the oldest stream record in a shard.",
        wire_name="TrimmedDataAccessException",
        hint="Records are kept for 24 hours; start again at TRIM_HORIZON.",
    )
