"""The shapes of requests about tables: definitions, capacity, and everything that administers them."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.engine.validation.names import NAME_PATTERN, NOT_PRESENT, TableName
from tablewright.engine.validation.shapes import Flag, Members, Number, Shape, Struct, Text

OWN_TABLE = TableName(NOT_PRESENT)
"""A TableName in operations on tables themselves."""
INDEX_NAME = Text(required=True, pattern=NAME_PATTERN, low=3, high=255)

THROUGHPUT_MEMBERS: Mapping[str, Shape] = {
    "WriteCapacityUnits": Number(required=True, low=1),
    "ReadCapacityUnits": Number(required=True, low=1),
}
THROUGHPUT = Struct(THROUGHPUT_MEMBERS)
ON_DEMAND = Struct({"MaxReadRequestUnits": Number(), "MaxWriteRequestUnits": Number()})
WARM = Struct({"ReadUnitsPerSecond": Number(), "WriteUnitsPerSecond": Number()})
SSE = Struct({"Enabled": Flag(), "SSEType": Text(choices=("AES256", "KMS")), "KMSMasterKeyId": Text()})
BILLING = Text(choices=("PROVISIONED", "PAY_PER_REQUEST"))

_DEFINITION = Struct(
    {
        "AttributeName": Text(required=True, low=1, high=255),
        "AttributeType": Text(required=True, choices=("B", "N", "S")),
    }
)
_KEY_ELEMENT = Struct(
    {
        "AttributeName": Text(required=True, low=1, high=255),
        "KeyType": Text(required=True, choices=("HASH", "RANGE")),
    },
    name="KeySchemaElement",
)
DEFINITIONS = Members(_DEFINITION, required=True)
TABLE_KEYS = Members(_KEY_ELEMENT, required=True, low=1, high=2)
_PROJECTION = Struct(
    {
        "ProjectionType": Text(choices=("ALL", "INCLUDE", "KEYS_ONLY")),
        "NonKeyAttributes": Members(Text(low=1, high=255), low=1, high=20),
    },
    required=True,
)
LOCAL_INDEXES = Members(Struct({"IndexName": INDEX_NAME, "KeySchema": TABLE_KEYS, "Projection": _PROJECTION}))
_GLOBAL_INDEX = Struct(
    {
        "IndexName": INDEX_NAME,
        "KeySchema": Members(_KEY_ELEMENT, required=True, low=1, high=8),
        "Projection": _PROJECTION,
        "ProvisionedThroughput": THROUGHPUT,
        "OnDemandThroughput": ON_DEMAND,
        "WarmThroughput": WARM,
    }
)
GLOBAL_INDEXES = Members(_GLOBAL_INDEX)
_STREAM = Struct(
    {
        "StreamEnabled": Flag(required=True),
        "StreamViewType": Text(choices=("OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE")),
    }
)
_SETTINGS: Mapping[str, Shape] = {
    "ProvisionedThroughput": THROUGHPUT,
    "OnDemandThroughput": ON_DEMAND,
    "WarmThroughput": WARM,
    "StreamSpecification": _STREAM,
    "SSESpecification": SSE,
    "TableClass": Text(),
    "DeletionProtectionEnabled": Flag(),
}
TAGS = Members(Struct({"Key": Text(), "Value": Text()}))

SHAPES: Mapping[str, Struct] = {
    "CreateTable": Struct(
        {
            "TableName": OWN_TABLE,
            "BillingMode": BILLING,
            "AttributeDefinitions": DEFINITIONS,
            **_SETTINGS,
            "KeySchema": TABLE_KEYS,
            "GlobalSecondaryIndexes": GLOBAL_INDEXES,
            "LocalSecondaryIndexes": LOCAL_INDEXES,
            "Tags": TAGS,
            "ResourcePolicy": Text(),
        }
    ),
    "DeleteTable": Struct({"TableName": OWN_TABLE}),
    "DescribeTable": Struct({"TableName": OWN_TABLE}),
    "ListTables": Struct(
        {
            "ExclusiveStartTableName": Text(pattern=NAME_PATTERN, low=3, high=255),
            "Limit": Number(low=1, high=100),
        }
    ),
    "UpdateTable": Struct(
        {
            "TableName": OWN_TABLE,
            "BillingMode": BILLING,
            "AttributeDefinitions": Members(_DEFINITION),
            **_SETTINGS,
            "GlobalSecondaryIndexUpdates": Members(
                Struct(
                    {
                        "Create": _GLOBAL_INDEX,
                        "Update": Struct(
                            {
                                "IndexName": INDEX_NAME,
                                "ProvisionedThroughput": THROUGHPUT,
                                "OnDemandThroughput": ON_DEMAND,
                                "WarmThroughput": WARM,
                            }
                        ),
                        "Delete": Struct({"IndexName": INDEX_NAME}),
                    }
                )
            ),
        }
    ),
}
