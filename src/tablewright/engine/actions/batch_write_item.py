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
from tablewright.engine.writes import Write, prepare_delete, prepare_put
from tablewright.errors import RequestRefused


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
    writes: list[Write] = []
    for name, requests in parts.items():
        for one in requests:
            put, delete = one.get("PutRequest"), one.get("DeleteRequest")
            if (put is None) is (delete is None):
                raise RequestRefused(
                    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the "
                    "supported datatypes"
                )
            if put is not None:
                try:
                    writes.append(prepare_put(context, {"TableName": name, "Item": put["Item"]}))
                except NotTheKey as error:
                    raise RequestRefused(MISMATCH) from error
            elif delete is not None:
                writes.append(prepare_delete(context, {"TableName": name, "Key": delete["Key"]}))
    if len({(write.table.name, write.key) for write in writes}) < len(writes):
        raise RequestRefused("Provided list of item keys contains duplicates")
    return writes
