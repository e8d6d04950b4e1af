"""BatchWriteItem: up to 25 puts and deletes on any tables. Here they happen together; the service promises less."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.capacity import counts
from tablewright.engine.context import Context
from tablewright.engine.outcomes import collection_metrics, report_by_table
from tablewright.engine.storage import Change, Transaction
from tablewright.engine.validation.item_requests import MAX_BATCH_WRITE
from tablewright.engine.validation.keys import MISMATCH, NotTheKey
from tablewright.engine.writes import Write, check_action, prepare_delete, prepare_put
from tablewright.errors import RequestRefused, ServiceError


def batch_write_item(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a BatchWriteItem request."""
    writes = _prepare(context, request["RequestItems"])

    def work(transaction: Transaction) -> list[Change]:
        changes = [write.plan(transaction) for write in writes]
        for change in changes:
            transaction.apply(change)
        return changes

    changes = context.database.write(work)
    response: dict[str, Any] = {"UnprocessedItems": {}}
    wanted = request.get("ReturnConsumedCapacity")
    if counts(wanted):
        response["ConsumedCapacity"] = report_by_table(changes, str(wanted))
    if request.get("ReturnItemCollectionMetrics") == "SIZE":
        response["ItemCollectionMetrics"] = collection_metrics(changes)
    return response


def _prepare(context: Context, parts: Mapping[str, list[Mapping[str, Any]]]) -> list[Write]:
    if sum(map(len, parts.values())) > MAX_BATCH_WRITE:
        raise RequestRefused("Too many items requested for the BatchWriteItem call")
    try:
        writes = [_write(context, name, one) for name, requests in parts.items() for one in requests]
    except ServiceError:
        # Of two faults that which shows without a look at any table is told.
        for requests in parts.values():
            for one in requests:
                for action in (one.get("PutRequest"), one.get("DeleteRequest")):
                    if action is not None:
                        check_action(action)
        raise
    if len({(write.table.name, write.key) for write in writes}) < len(writes):
        raise RequestRefused("Provided list of item keys contains duplicates")
    return writes


def _write(context: Context, name: str, request: Mapping[str, Any]) -> Write:
    put, delete = request.get("PutRequest"), request.get("DeleteRequest")
    if put is not None and delete is None:
        try:
            return prepare_put(context, {"TableName": name, "Item": put["Item"]})
        except NotTheKey as error:
            raise RequestRefused(MISMATCH) from error
    if delete is not None and put is None:
        return prepare_delete(context, {"TableName": name, "Key": delete["Key"]})
    raise RequestRefused(
        "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
    )
