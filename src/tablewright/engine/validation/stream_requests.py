"""The shapes of requests about streams."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.engine.validation.names import NAME_PATTERN
from tablewright.engine.validation.shapes import Number, Struct, Text

_LIMIT = Number(low=1)

SHAPES: Mapping[str, Struct] = {
    "DescribeStream": Struct(
        {
            "StreamArn": Text(required=True),
            "ExclusiveStartShardId": Text(low=28, high=65),
            "ShardFilter": Struct(
                {
                    "Type": Text(required=True, choices=("CHILD_SHARDS",)),
                    "ShardId": Text(required=True, low=28, high=65),
                }
            ),
            "Limit": _LIMIT,
        }
    ),
    "GetRecords": Struct({"ShardIterator": Text(required=True), "Limit": _LIMIT}),
    "GetShardIterator": Struct(
        {
            "StreamArn": Text(required=True),
            "ShardId": Text(required=True, low=28, high=65),
            "ShardIteratorType": Text(
                required=True, choices=("TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER")
            ),
            "SequenceNumber": Text(low=21, high=40),
        }
    ),
    "ListStreams": Struct(
        {
            "TableName": Text(pattern=NAME_PATTERN, low=3, high=255),
            "ExclusiveStartStreamArn": Text(),
            "Limit": _LIMIT,
        }
    ),
}
