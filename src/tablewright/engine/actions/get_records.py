"""GetRecords: the next records of a shard, and an iterator for those behind them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import Any

from tablewright.engine.actions.get_shard_iterator import refuse_trimmed
from tablewright.engine.context import Context
from tablewright.engine.storage.stream_log import STREAM_SECONDS
from tablewright.engine.streams.finding import required_stream
from tablewright.engine.streams.iterators import read_iterator, write_iterator
from tablewright.engine.streams.records import describe_record
from tablewright.engine.streams.shards import reach_of
from tablewright.errors import RequestRefused

_MOST = 1000
_PAGE_BYTES = 1024 * 1024


def get_records(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a GetRecords request; the end of a closed shard has no next iterator."""
    limit = request.get("Limit") or _MOST
    if limit > _MOST:
        raise RequestRefused(
            f"One or more parameter values were invalid: Limit should be less than or equal to {_MOST}"
        )
    now = context.clock.now()
    arn, place = read_iterator(request["ShardIterator"], now)
    records: list[dict[str, Any]] = []
    after, size = place.after, 0
    with context.database.snapshot() as connection:
        stream = required_stream(context, connection, arn)
        if (stream.number, stream.ordinal) != (place.number, place.ordinal):
            raise RequestRefused("Invalid ShardIterator")
        last, closed = reach_of(connection, stream, place.shard, now)
        if after < last:
            created = stream.log.created(connection, after + 1)
            if created is None or created < now - STREAM_SECONDS:
                refuse_trimmed()
        with closing(stream.log.page(connection, after, max(0, min(limit, last - after)))) as page:
            for record in page:
                size += record.size
                if records and size > _PAGE_BYTES:
                    break
                records.append(describe_record(context.region, stream, record))
                after = record.sequence
    response: dict[str, Any] = {"Records": records}
    if after < last or not closed:
        response["NextShardIterator"] = write_iterator(arn, place._replace(after=after, issued=now))
    return response
