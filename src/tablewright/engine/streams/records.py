"""A stream record as GetRecords gives it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from tablewright.engine.storage.stream_log import EXPIRE, INSERT, MODIFY, REMOVE, Record, Stream
from tablewright.engine.streams.shards import sequence_number, shard_of

_NAMES = {INSERT: "INSERT", MODIFY: "MODIFY", REMOVE: "REMOVE", EXPIRE: "REMOVE"}
_BY_TIME_TO_LIVE = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}


def describe_record(region: str, stream: Stream, record: Record) -> dict[str, Any]:
    """The record in the service's own form; its ID is the same whenever it is read."""
    number = sequence_number(shard_of(stream, record.created), record.sequence)
    event = blake2b(f"{stream.number}/{stream.ordinal}/{record.sequence}".encode(), digest_size=16).hexdigest()
    described: dict[str, Any] = {
        "eventID": event,
        "eventName": _NAMES[record.kind],
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": region,
        "dynamodb": {
            "ApproximateCreationDateTime": int(record.created),
            **record.images,
            "SequenceNumber": number,
            "SizeBytes": record.size,
            "StreamViewType": stream.view,
        },
    }
    if record.kind == EXPIRE:
        described["userIdentity"] = dict(_BY_TIME_TO_LIVE)
    return described
