"""The shape of every operation's request: which parameters it has, which it needs, and what they may be."""

from __future__ import annotations

from collections.abc import Mapping

from tablewright.engine.validation.names import NAME_PATTERN, NOT_PRESENT, TableName
from tablewright.engine.validation.shapes import Entries, Flag, Members, Number, Shape, Struct, Text

MAX_TRANSACTION = 100
MAX_BATCH_GET = 100
MAX_BATCH_WRITE = 25

_TABLE = TableName()
_OWN_TABLE = TableName(NOT_PRESENT)
_INDEX_NAME = Text(required=True, pattern=NAME_PATTERN, low=3, high=255)
_CONSUMED = Text(choices=("INDEXES", "TOTAL", "NONE"))
_METRICS = Text(choices=("SIZE", "NONE"))
_RETURN_VALUES = Text(choices=("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"))
_ON_FAILURE = Text(choices=("ALL_OLD", "NONE"))
_SELECT = Text(choices=("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"))
_NAMES = Entries(Text())
_ATTRIBUTES_TO_GET = Members(Text(), low=1, high=255)

_ITEM = Entries(required=True)
_VALUES = Entries()

_CONDITION: dict[str, Shape] = {
    "ConditionExpression": Text(),
    "ExpressionAttributeNames": _NAMES,
    "ExpressionAttributeValues": _VALUES,
}
_WRITE: dict[str, Shape] = {
    **_CONDITION,
    "ReturnConsumedCapacity": _CONSUMED,
    "ReturnItemCollectionMetrics": _METRICS,
    "ReturnValues": _RETURN_VALUES,
    "ReturnValuesOnConditionCheckFailure": _ON_FAILURE,
}
_PROJECTED: dict[str, Shape] = {
    "AttributesToGet": _ATTRIBUTES_TO_GET,
    "ExpressionAttributeNames": _NAMES,
    "ProjectionExpression": Text(),
}
_PAGE: dict[str, Shape] = {
    "TableName": _TABLE,
    "IndexName": Text(pattern=NAME_PATTERN, low=3, high=255),
    "Limit": Number(low=1),
    "Select": _SELECT,
    "ConsistentRead": Flag(),
    "ExclusiveStartKey": _VALUES,
    "ExpressionAttributeValues": _VALUES,
    "FilterExpression": Text(),
    "ReturnConsumedCapacity": _CONSUMED,
    **_PROJECTED,
}

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

_PUT: dict[str, Shape] = {"TableName": _TABLE, "Item": _ITEM}
_KEYED: dict[str, Shape] = {"TableName": _TABLE, "Key": _ITEM}
_IN_TRANSACTION: dict[str, Shape] = {**_CONDITION, "ReturnValuesOnConditionCheckFailure": _ON_FAILURE}

SHAPES: Mapping[str, Struct] = {
    "BatchGetItem": Struct(
        {
            "RequestItems": Entries(
                Struct(
                    {
                        "Keys": Members(_ITEM, required=True, low=1),
                        "ConsistentRead": Flag(),
                        **_PROJECTED,
                    }
                ),
                required=True,
                low=1,
            ),
            "ReturnConsumedCapacity": _CONSUMED,
        }
    ),
    "BatchWriteItem": Struct(
        {
            "RequestItems": Entries(
                Members(
                    Struct({"PutRequest": Struct({"Item": _ITEM}), "DeleteRequest": Struct({"Key": _ITEM})}),
                    low=1,
                    high=MAX_BATCH_WRITE,
                ),
                required=True,
                low=1,
            ),
            "ReturnConsumedCapacity": _CONSUMED,
            "ReturnItemCollectionMetrics": _METRICS,
        }
    ),
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
    "DeleteItem": Struct({**_KEYED, **_WRITE}),
    "DeleteTable": Struct({"TableName": _OWN_TABLE}),
    "DescribeTable": Struct({"TableName": _OWN_TABLE}),
    "GetItem": Struct(
        {**_KEYED, "ConsistentRead": Flag(), "ReturnConsumedCapacity": _CONSUMED, **_PROJECTED},
    ),
    "ListTables": Struct(
        {
            "ExclusiveStartTableName": Text(pattern=NAME_PATTERN, low=3, high=255),
            "Limit": Number(low=1, high=100),
        }
    ),
    "PutItem": Struct({**_PUT, **_WRITE}),
    "Query": Struct({**_PAGE, "KeyConditionExpression": Text(), "ScanIndexForward": Flag()}),
    "Scan": Struct({**_PAGE, "Segment": Number(low=0, high=999_999), "TotalSegments": Number(low=1, high=1_000_000)}),
    "TransactGetItems": Struct(
        {
            "TransactItems": Members(
                Struct(
                    {
                        "Get": Struct(
                            {
                                "TableName": _TABLE,
                                "Key": _ITEM,
                                "ExpressionAttributeNames": _NAMES,
                                "ProjectionExpression": Text(),
                            },
                            required=True,
                        )
                    }
                ),
                required=True,
                low=1,
                high=MAX_TRANSACTION,
            ),
            "ReturnConsumedCapacity": _CONSUMED,
        }
    ),
    "TransactWriteItems": Struct(
        {
            "TransactItems": Members(
                Struct(
                    {
                        "ConditionCheck": Struct(
                            {
                                "TableName": _TABLE,
                                "Key": _ITEM,
                                **_IN_TRANSACTION,
                                "ConditionExpression": Text(required=True),
                            }
                        ),
                        "Put": Struct({"TableName": _TABLE, "Item": _ITEM, **_IN_TRANSACTION}),
                        "Delete": Struct({"TableName": _TABLE, "Key": _ITEM, **_IN_TRANSACTION}),
                        "Update": Struct(
                            {
                                "TableName": _TABLE,
                                "Key": _ITEM,
                                **_IN_TRANSACTION,
                                "UpdateExpression": Text(required=True),
                            }
                        ),
                    }
                ),
                required=True,
                low=1,
                high=MAX_TRANSACTION,
            ),
            "ClientRequestToken": Text(low=1, high=36),
            "ReturnConsumedCapacity": _CONSUMED,
            "ReturnItemCollectionMetrics": _METRICS,
        }
    ),
    "UpdateItem": Struct({**_KEYED, **_WRITE, "UpdateExpression": Text()}),
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
