"""The shapes of requests that administer tables: tags, policies, and what the service has and the engine has not."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.engine.validation.names import NAME_PATTERN, TableName
from tablewright.engine.validation.shapes import Flag, Members, Number, Struct, Text
from tablewright.engine.validation.table_requests import TAGS

_NAMED = TableName()
_TAGGED = Text(required="Invalid TableArn")
_RESOURCE = Text(required=True, low=1, high=1283)
_REVISION = Text(low=1, high=255)

SHAPES: Mapping[str, Struct] = {
    "DeleteResourcePolicy": Struct({"ResourceArn": _RESOURCE, "ExpectedRevisionId": _REVISION}),
    "DescribeContributorInsights": Struct(
        {"TableName": _NAMED, "IndexName": Text(pattern=NAME_PATTERN, low=3, high=255)}
    ),
    "DescribeEndpoints": Struct({}),
    "DescribeGlobalTable": Struct(
        {"GlobalTableName": Text(required=True, pattern=NAME_PATTERN, low=3, high=255)},
    ),
    "DescribeKinesisStreamingDestination": Struct({"TableName": _NAMED}),
    "DescribeLimits": Struct({}),
    "DescribeTableReplicaAutoScaling": Struct({"TableName": _NAMED}),
    "GetResourcePolicy": Struct({"ResourceArn": _RESOURCE}),
    "ListContributorInsights": Struct(
        {"TableName": TableName(required=False), "NextToken": Text(), "MaxResults": Number(high=100)}
    ),
    "ListGlobalTables": Struct(
        {
            "ExclusiveStartGlobalTableName": Text(pattern=NAME_PATTERN, low=3, high=255),
            "Limit": Number(low=1),
            "RegionName": Text(),
        }
    ),
    "ListTagsOfResource": Struct({"ResourceArn": _TAGGED, "NextToken": Text()}),
    "PutResourcePolicy": Struct(
        {
            "ResourceArn": _RESOURCE,
            "Policy": Text(required=True),
            "ExpectedRevisionId": _REVISION,
            "ConfirmRemoveSelfResourceAccess": Flag(),
        }
    ),
    "TagResource": Struct({"ResourceArn": _TAGGED, "Tags": Members(TAGS.of, required=True)}),
    "UntagResource": Struct({"ResourceArn": _TAGGED, "TagKeys": Members(Text(), required=True)}),
}
