"""The shape of every operation's request: which parameters it has, which it needs, and what they may be."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.engine.validation.item_requests import ITEM_SHAPES
from tablewright.engine.validation.names import NAME_PATTERN, NOT_PRESENT, TableName
from tablewright.engine.validation.shapes import Flag, Members, Number, Shape, Struct, Text

_OWN_TABLE = TableName(NOT_PRESENT)
_INDEX_NAME = Text(required=True, pattern=NAME_PATTERN, low=3, high=255)

_THROUGHPUT = Struct(
    {"ReadCapacityUnits": Number(required=True, low=1), "WriteCapacityUnits": Number(required=True, low=1)}
)
_DEFINITIONS = Members(
    Struct(
        {
            "AttributeName": Text(required=True, low=1, high=255),
            "AttributeType": Text(required=True, choices=("B", "N", "S")),
        }
    )
)
_KEY_ELEMENT = Struct(
    {
        "AttributeName": Text(required=True, low=1, high=255),
        "KeyType": Text(required=True, choices=("HASH", "RANGE")),
    },
    name="KeySchemaElement",
)
_PROJECTION = Struct(
    {
        "ProjectionType": Text(choices=("ALL", "INCLUDE", "KEYS_ONLY")),
        "NonKeyAttributes": Members(Text(low=1, high=255), low=1, high=100),
    },
    required=True,
)
_LOCAL_INDEX = Struct(
    {
        "IndexName": _INDEX_NAME,
        "KeySchema": Members(_KEY_ELEMENT, required=True, low=1, high=2),
        "Projection": _PROJECTION,
    }
)
_GLOBAL_INDEX = Struct(
    {
        "IndexName": _INDEX_NAME,
        "KeySchema": Members(_KEY_ELEMENT, required=True, low=1, high=8),
        "Projection": _PROJECTION,
        "ProvisionedThroughput": _THROUGHPUT,
    }
)
_STREAM = Struct(
    {
        "StreamEnabled": Flag(required=True),
        "StreamViewType": Text(choices=("NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY")),
    }
)
_TABLE_SETTINGS: dict[str, Shape] = {
    "BillingMode": Text(choices=("PROVISIONED", "PAY_PER_REQUEST")),
    "ProvisionedThroughput": _THROUGHPUT,
    "StreamSpecification": _STREAM,
    "SSESpecification": Struct({"Enabled": Flag(), "SSEType": Text(choices=("AES256", "KMS"))}),
    "TableClass": Text(choices=("STANDARD", "STANDARD_INFREQUENT_ACCESS")),
    "DeletionProtectionEnabled": Flag(),
}

SHAPES: Mapping[str, Struct] = {
    **ITEM_SHAPES,
    "CreateTable": Struct(
        {
            "TableName": _OWN_TABLE,
            "AttributeDefinitions": Members(_DEFINITIONS.of, required=True),
            "KeySchema": Members(_KEY_ELEMENT, required=True, low=1, high=2),
            "LocalSecondaryIndexes": Members(_LOCAL_INDEX),
            "GlobalSecondaryIndexes": Members(_GLOBAL_INDEX),
            **_TABLE_SETTINGS,
        }
    ),
    "DeleteTable": Struct({"TableName": _OWN_TABLE}),
    "DescribeTable": Struct({"TableName": _OWN_TABLE}),
    "ListTables": Struct(
        {
            "ExclusiveStartTableName": Text(pattern=NAME_PATTERN, low=3, high=255),
            "Limit": Number(low=1, high=100),
        }
    ),
    "UpdateTable": Struct(
        {
            "TableName": _OWN_TABLE,
            "AttributeDefinitions": _DEFINITIONS,
            "GlobalSecondaryIndexUpdates": Members(
                Struct(
                    {
                        "Create": _GLOBAL_INDEX,
                        "Update": Struct(
                            {
                                "IndexName": _INDEX_NAME,
                                "ProvisionedThroughput": Struct(_THROUGHPUT.members, required=True),
                            }
                        ),
                        "Delete": Struct({"IndexName": _INDEX_NAME}),
                    }
                )
            ),
            **_TABLE_SETTINGS,
        }
    ),
}
