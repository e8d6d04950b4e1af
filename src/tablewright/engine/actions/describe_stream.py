"""DescribeStream: a stream and its shards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.arns import stream_arn
from tablewright.engine.context import Context
from tablewright.engine.streams.finding import required_stream
from tablewright.engine.streams.shards import shards_of
from tablewright.errors import RequestRefused
from tablewright.values import loads

_MOST = 100


def describe_stream(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a DescribeStream request."""
    limit = request.get("Limit") or _MOST
    if limit > _MOST:
        raise RequestRefused(
            f"One or more parameter values were invalid: Limit cannot be greater than the maximum: {_MOST}"
        )
    with context.database.snapshot() as connection:
        stream = required_stream(context, connection, request["StreamArn"])
        shards = shards_of(connection, stream, context.clock.now())
    wanted = request.get("ShardFilter")
    if wanted is not None:
        shards = [shard for shard in shards if shard.parent == wanted["ShardId"]]
    start = request.get("ExclusiveStartShardId")
    if start is not None:
        # Identifiers begin with the time of their shard, so that one of a shard that is gone has a place too.
        shards = [shard for shard in shards if shard.id > start]
    description: dict[str, Any] = {
        "StreamArn": stream_arn(context.region, stream.name, stream.label),
        "StreamLabel": stream.label,
        "StreamStatus": "ENABLED" if stream.closed is None else "DISABLED",
        "StreamViewType": stream.view,
        "CreationRequestDateTime": stream.created,
        "TableName": stream.name,
        "KeySchema": loads(stream.keys),
        "Shards": [shard.describe() for shard in shards[:limit]],
    }
    if len(shards) > limit:
        description["LastEvaluatedShardId"] = shards[limit - 1].id
    return {"StreamDescription": description}
