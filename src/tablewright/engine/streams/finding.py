"""From a stream's ARN to the stream."""

from __future__ import annotations

import re

from tablewright.engine.context import Context
from tablewright.engine.storage.connections import Connection
from tablewright.engine.storage.stream_log import Stream, find_stream
from tablewright.errors import RequestRefused, ResourceNotFound

_STREAM = re.compile(r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/([^/|]+)/stream/([^/|]+)")


def read_stream_arn(arn: str) -> tuple[str, str]:
    """Table name and label of a stream's ARN. All regions share the same streams."""
    found = _STREAM.fullmatch(arn)
    if found is None:
        raise RequestRefused("Invalid StreamArn")
    return found[1], found[2]


def required_stream(context: Context, connection: Connection, arn: str) -> Stream:
    """The stream of an ARN, if it can still be read."""
    stream = find_stream(connection, context.clock.now(), *read_stream_arn(arn))
    if stream is None:
        raise ResourceNotFound(f"Requested resource not found: Stream: {arn} not found")
    return stream
