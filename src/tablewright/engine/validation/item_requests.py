"""The shapes of requests that read and write items. Members stand in the order in which the service looks at them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tablewright.engine.legacy import ACTIONS, OPERATORS
from tablewright.engine.validation.layers import Layered, OwnName, Unnamed
from tablewright.engine.validation.names import NAME_PATTERN, TableName
from tablewright.engine.validation.shapes import (
    ONE_ERROR,
    Entries,
    Flag,
    Members,
    NameOrNull,
    Number,
    Shape,
    Struct,
    Text,
    fault,
)
from tablewright.errors import RequestRefused

MAX_TRANSACTION = 100
MAX_BATCH_GET = 100
MAX_BATCH_WRITE = 25


def _unshown(path: str, constraint: str) -> str:
    """The newer wording for reads: members as they are spelt in requests, and no values."""
    spelt = ".".join(part if part == "member" else part[:1].upper() + part[1:] for part in path.split("."))
    return f"{ONE_ERROR}Value at '{spelt}' failed to satisfy constraint: {constraint}"


_TABLE = TableName()


class _QueryLimit(Number, frozen=True):
    """The Limit of a query, with its own wording."""

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        wrong: list[str] = []
        Number.explain(self, value, path, wrong)
        if wrong:
            faults.append(_unshown(path, f"Member must have value greater than or equal to {self.low}"))


class _Keys(Members, frozen=True):
    """The keys that a batch asks of one table, with their own wording."""

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        wrong: list[str] = []
        Members.explain(self, value, path, wrong)
        if not self.sized(value):
            # The table's name is not a member's and keeps its spelling.
            _, _, rest = path.partition(".")
            table = rest.removesuffix(".member.keys")
            bound = f"less than or equal to {self.high}" if value else f"greater than or equal to {self.low}"
            wrong = [
                f"{ONE_ERROR}Value at 'RequestItems.{table}.member.Keys' failed to satisfy "
                f"constraint: Member must have length {bound}"
            ]
        faults.extend(wrong)


class _Batch(Entries, frozen=True):
    """The RequestItems of a batch by table, with the message of its own when there are none.

    `show` is how messages about the tables' names echo the whole map.
    """

    when_empty: str = ""
    names_last: bool = False
    """Whether names are only looked at when all other members of the request are right."""
    show: Callable[[Any], str] = str

    def fits(self, value: Any) -> bool:
        """Whether the value has this shape."""
        return Entries.fits(self, value) and all(map(_TABLE.fits, value))

    def explain(self, value: Any, path: str, faults: list[str]) -> None:
        """Refuse a wrong JSON type; add broken constraints to `faults`."""
        if value == {}:
            faults.append(self.when_empty)
            return
        inner: list[str] = []
        Entries.explain(self, value, path, inner)
        if not all(map(_TABLE.fits, value)):
            if not all(isinstance(name, str) for name in value):
                raise RequestRefused("The name of a table is not a string.", wire_name="SerializationException")
            rules = (
                "Member must have length less than or equal to 255, Member must have length greater than or equal to 3, "
                f"Member must satisfy regular expression pattern: {NAME_PATTERN}"
            )
            told = fault(self.show(value), path, f"Map keys must satisfy constraint: [{rules}]")
            if not (faults and self.names_last):
                faults.append(told)
        faults.extend(inner)


def _as_json(value: Any) -> str:
    try:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str, skipkeys=True)
    except RecursionError:
        return f"{{{len(value)} members}}"


def _as_requests(value: Any) -> str:
    """A map of write requests as the service prints it, for which it only counts what they hold."""
    kinds = (("PutRequest", "Item"), ("DeleteRequest", "Key"))

    def one(request: Any) -> str:
        parts = [
            f"{kind[0].lower()}{kind[1:]}={kind}({member.lower()}={{{', '.join(f'{n}=...' for n in request[kind][member])}}})"
            for kind, member in kinds
            if isinstance(request, dict) and request.get(kind) and isinstance(request[kind].get(member), dict)
        ]
        return f"WriteRequest({', '.join(parts)})"

    tables = (f"{name}=[{', '.join(map(one, requests or ()))}]" for name, requests in value.items())
    return f"{{{', '.join(tables)}}}"


# --------------------------------------------------------------------------------------------------------- parts

_CONSUMED = Text(choices=("INDEXES", "TOTAL", "NONE"))
_METRICS = Text(choices=("SIZE", "NONE"))
_RETURN_VALUES = Text(choices=("ALL_NEW", "UPDATED_OLD", "ALL_OLD", "NONE", "UPDATED_NEW"))
_ON_FAILURE = Text(choices=("ALL_OLD", "NONE"))
_SELECT = Text(choices=("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"))
_NAMES = Entries(NameOrNull())
_ITEM = Entries(required=True)
_VALUES = Entries()

_CONDITIONS = Entries(
    Struct(
        {
            "ComparisonOperator": Text(required=True, choices=OPERATORS),
            "AttributeValueList": Members(_VALUES),
        }
    )
)
_EXPECTED = Entries(
    Struct(
        {
            "ComparisonOperator": Text(choices=OPERATORS),
            "Value": _VALUES,
            "Exists": Flag(),
            "AttributeValueList": Members(_VALUES),
        }
    )
)
_UPDATES = Entries(Struct({"Action": Text(choices=ACTIONS), "Value": _VALUES}))
_JOINED_BY = Text(choices=("OR", "AND"))

_CONDITION: dict[str, Shape] = {
    "ConditionExpression": Text(),
    "ExpressionAttributeNames": _NAMES,
    "ExpressionAttributeValues": _VALUES,
}
_OF_UPDATE: dict[str, Shape] = {
    "ReturnConsumedCapacity": _CONSUMED,
    "TableName": _TABLE,
    "ReturnItemCollectionMetrics": _METRICS,
    "ReturnValues": _RETURN_VALUES,
}
_OF_PUT: dict[str, Shape] = {
    "ReturnConsumedCapacity": _CONSUMED,
    "TableName": _TABLE,
    "Item": _ITEM,
    "ReturnValues": _RETURN_VALUES,
    "ReturnItemCollectionMetrics": _METRICS,
}
_OF_DELETE: dict[str, Shape] = {
    "ReturnConsumedCapacity": _CONSUMED,
    "TableName": _TABLE,
    "ReturnValues": _RETURN_VALUES,
    "ReturnItemCollectionMetrics": _METRICS,
}
_AFTER: dict[str, Shape] = {
    "ConditionalOperator": _JOINED_BY,
    "Expected": _EXPECTED,
    "ReturnValuesOnConditionCheckFailure": _ON_FAILURE,
    **_CONDITION,
}
_PROJECTED: dict[str, Shape] = {
    "AttributesToGet": Members(NameOrNull(), low=1, high=255),
    "ConsistentRead": Flag(),
    "ExpressionAttributeNames": _NAMES,
    "ProjectionExpression": Text(),
}
_PAGE: dict[str, Shape] = {
    "TableName": _TABLE,
    "ReturnConsumedCapacity": _CONSUMED,
    "Select": _SELECT,
    "IndexName": Text(pattern=NAME_PATTERN, low=3, high=255),
    "ConditionalOperator": _JOINED_BY,
    "ExclusiveStartKey": _VALUES,
    "ExpressionAttributeValues": _VALUES,
    "FilterExpression": Text(),
    **_PROJECTED,
}
_IN_TRANSACTION: dict[str, Shape] = {**_CONDITION, "ReturnValuesOnConditionCheckFailure": _ON_FAILURE}


def _transaction(action: Struct, **before: Shape) -> Struct:
    actions = Members(action, required=True, low=1, high=MAX_TRANSACTION)
    return Struct({**before, "TransactItems": actions})


# What the newer checks of single items look at first.
_NEWER_JOINED_BY = Unnamed(choices=_JOINED_BY.choices, shown="ALL, OR")
_NEWER: dict[str, Shape] = {
    "TableName": OwnName(),
    "ConditionalOperator": _NEWER_JOINED_BY,
    "ReturnConsumedCapacity": _CONSUMED,
    "ReturnValues": _RETURN_VALUES,
}
_NEWER_QUERY: dict[str, Shape] = {"ConditionalOperator": msgspec.structs.replace(_NEWER_JOINED_BY, counted=False)}


# ---------------------------------------------------------------------------------------------------- operations

SHAPES: Mapping[str, Struct] = {
    "BatchGetItem": Struct(
        {
            "RequestItems": _Batch(
                Struct({"Keys": _Keys(_ITEM, required=True, low=1, high=MAX_BATCH_GET), **_PROJECTED}),
                required=True,
                low=1,
                when_empty="The requestItems parameter is required for BatchGetItem",
                show=_as_json,
            ),
            "ReturnConsumedCapacity": _CONSUMED,
        }
    ),
    "BatchWriteItem": Struct(
        {
            "ReturnConsumedCapacity": _CONSUMED,
            "ReturnItemCollectionMetrics": _METRICS,
            "RequestItems": _Batch(
                Members(
                    Struct({"PutRequest": Struct({"Item": _ITEM}), "DeleteRequest": Struct({"Key": _ITEM})}),
                    low=1,
                    high=MAX_BATCH_WRITE,
                ),
                required=True,
                low=1,
                when_empty="The requestItems parameter is required for BatchWriteItem",
                names_last=True,
                show=_as_requests,
            ),
        }
    ),
    "DeleteItem": Layered({**_OF_DELETE, "Key": _ITEM, **_AFTER}, newer=_NEWER),
    "GetItem": Struct({"TableName": _TABLE, "ReturnConsumedCapacity": _CONSUMED, "Key": _ITEM, **_PROJECTED}),
    "PutItem": Layered({**_OF_PUT, **_AFTER}, newer=_NEWER),
    "Query": Layered(
        {
            **_PAGE,
            "QueryFilter": _CONDITIONS,
            "Limit": _QueryLimit(low=1),
            "KeyConditions": _CONDITIONS,
            "KeyConditionExpression": Text(),
            "ScanIndexForward": Flag(),
        },
        newer=_NEWER_QUERY,
    ),
    "Scan": Struct(
        {
            **_PAGE,
            "ScanFilter": _CONDITIONS,
            "Limit": Number(low=1),
            "Segment": Number(low=0, high=999_999),
            "TotalSegments": Number(low=1, high=1_000_000),
        }
    ),
    "TransactGetItems": _transaction(
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
        ReturnConsumedCapacity=_CONSUMED,
    ),
    "TransactWriteItems": _transaction(
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
        ClientRequestToken=Text(low=1, high=36),
        ReturnConsumedCapacity=_CONSUMED,
        ReturnItemCollectionMetrics=_METRICS,
    ),
    "UpdateItem": Layered(
        {**_OF_UPDATE, **_AFTER, "Key": _ITEM, "AttributeUpdates": _UPDATES, "UpdateExpression": Text()},
        newer=_NEWER,
    ),
}
