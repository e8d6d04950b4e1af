"""What an answer must hold, by operation: whatever else answers with status 200 is not DynamoDB, and is told as such.

Only what the client goes by is looked at, and only once for each answer; what stands in items is the decoders' matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.errors import NetworkError
from tablewright.transport.base import Request, Response
from tablewright.values.types import Item


def fits(operation: str, request: Request, response: Response) -> bool:
    """Whether a response is one to this request."""
    check = _CHECKS.get(operation)
    if check is not None and not check(request, response):
        return False
    return "ConsumedCapacity" not in response or _consumed(operation, response["ConsumedCapacity"])


def unfit(operation: str) -> NetworkError:
    """The error for one that is not; of a write nobody knows what became."""
    return NetworkError(
        f"The reply to {operation} is not one that DynamoDB gives.",
        operation=operation,
        hint="Is this its address, or that of something in between?",
    )


def next_start(response: Response) -> Item | None:
    """Where the page after this one begins; None behind the last. Some who speak DynamoDB's language say so with an empty key."""
    return response.get("LastEvaluatedKey") or None


_OF_TABLES = frozenset(
    {
        *("BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"),
        *("BatchExecuteStatement", "ExecuteTransaction"),
    }
)
"""Operations that tell the capacity of each table, in a list."""


_NUMBERS = (float, int)


def _dict(value: Any) -> bool:
    return value.__class__ is dict


def _dict_or_none(value: Any) -> bool:
    return value is None or value.__class__ is dict


def _count(value: Any) -> bool:
    return value.__class__ is int and value >= 0


def _dicts(value: Any) -> bool:
    """Whether it is a list of nothing but dicts; there may be thousands."""
    return value.__class__ is list and set(map(type, value)) <= {dict}


def _consumed(operation: str, told: Any) -> bool:
    return _units(told) if operation not in _OF_TABLES else _dicts(told) and all(map(_units, told))


def _units(told: Any) -> bool:
    return told.__class__ is dict and told.get("CapacityUnits", 0.0).__class__ in _NUMBERS


def _item(request: Request, response: Response) -> bool:
    return _dict_or_none(response.get("Item"))


def _page(request: Request, response: Response) -> bool:
    whole = _dict_or_none(response.get("LastEvaluatedKey")) and _count(response.get("ScannedCount", 0))
    if request.get("Select") == "COUNT":
        return whole and _count(response.get("Count"))
    return whole and _dicts(response.get("Items"))


def _statement(request: Request, response: Response) -> bool:
    token = response.get("NextToken")
    if token is not None and token.__class__ is not str:
        return False
    reads = str(request.get("Statement")).lstrip()[:6].upper() == "SELECT"
    return _dicts(response.get("Items")) if reads else _dicts(response.get("Items", []))


def _batch_read(request: Request, response: Response) -> bool:
    found: Any = response.get("Responses")
    left: Any = response.get("UnprocessedKeys", {})
    return (
        _dict(found)
        and all(map(_dicts, found.values()))
        and _dict(left)
        and all(_dict(table) and _dicts(table.get("Keys")) for table in left.values())
    )


def _transaction_read(request: Request, response: Response) -> bool:
    found: Any = response.get("Responses")
    return _dicts(found) and len(found) == len(request["TransactItems"]) and all(_item(request, one) for one in found)


def _write(request: Request, response: Response) -> bool:
    return _dict_or_none(response.get("Attributes"))


def _update(request: Request, response: Response) -> bool:
    told = response.get("Attributes")
    return _dict(told) if request.get("ReturnValues") == "ALL_NEW" else _dict_or_none(told)


def _batch_write(request: Request, response: Response) -> bool:
    left: Any = response.get("UnprocessedItems", {})
    return _dict(left) and all(_dicts(table) and all(map(_repeatable, table)) for table in left.values())


def _repeatable(write: dict[str, Any]) -> bool:
    put: Any = write.get("PutRequest")
    delete: Any = write.get("DeleteRequest")
    return _dict(put.get("Item")) if _dict(put) else _dict(delete) and _dict(delete.get("Key"))


def _description(request: Request, response: Response) -> bool:
    table: Any = response.get("Table")
    return (
        _dict(table)
        and table.get("TableStatus").__class__ is str
        and _dicts(table.get("KeySchema"))
        and _dicts(table.get("AttributeDefinitions"))
    )


_CHECKS: Mapping[str, Callable[[Request, Response], bool]] = {
    "GetItem": _item,
    "Query": _page,
    "Scan": _page,
    "ExecuteStatement": _statement,
    "BatchGetItem": _batch_read,
    "TransactGetItems": _transaction_read,
    "PutItem": _write,
    "DeleteItem": _write,
    "UpdateItem": _update,
    "BatchWriteItem": _batch_write,
    "DescribeTable": _description,
}
