"""ListStreams: every stream that can be read, of all tables or of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import stream_arn
from tablewright.engine.context import Context
from tablewright.engine.storage.stream_log import streams_of
from tablewright.engine.streams.finding import read_stream_arn
from tablewright.errors import RequestRefused

_MOST = 100


def list_streams(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a ListStreams request: by table, the newest stream first."""
    limit = request.get("Limit") or _MOST
    if limit > _MOST:
        raise RequestRefused(
            f"One or more parameter values were invalid: Limit cannot be greater than the maximum allowed size: {_MOST}"
        )
    start = request.get("ExclusiveStartStreamArn")
    name, label = ("", "") if start is None else read_stream_arn(start)
    with context.database.reading() as connection:
        streams = streams_of(connection, context.clock.now(), request.get("TableName"))
    if start is not None:
        streams = [one for one in streams if one.name > name or (one.name == name and one.label < label)]
    listed = [
        {
            "StreamArn": stream_arn(context.region, one.name, one.label),
            "TableName": one.name,
            "StreamLabel": one.label,
        }
        for one in streams[:limit]
    ]
    response: dict[str, Any] = {"Streams": listed}
    if len(streams) > limit:
        response["LastEvaluatedStreamArn"] = listed[-1]["StreamArn"]
    return response
