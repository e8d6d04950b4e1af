"""What a write's response says besides attributes: consumed capacity and item collections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from tablewright.engine.capacity import Tally, counts
from tablewright.engine.storage import Change
from tablewright.engine.validation.wording import Malformed
from tablewright.errors import CancellationReason, TransactionCanceled
from tablewright.values import Item

PASSED = CancellationReason("None")
"""What is said of an action that was not the cause of a cancellation."""

# The service gives a range; collections here are never estimated to be larger.
_COLLECTION_GIGABYTES = [0.0, 1.0]


def refuse_return_values(request: Mapping[str, Any]) -> str | None:
    """The ReturnValues of a put or delete, which know only the old item."""
    wanted: str | None = request.get("ReturnValues")
    if wanted not in (None, "NONE", "ALL_OLD"):
        raise Malformed("ReturnValues can only be ALL_OLD or NONE")
    return wanted


def cancel(reasons: Sequence[CancellationReason]) -> NoReturn:
    """Cancel a transaction, with one reason per action."""
    codes = ", ".join(reason.code for reason in reasons)
    raise TransactionCanceled(
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]", reasons=reasons
    )


def finish_write(request: Mapping[str, Any], change: Change, response: dict[str, Any]) -> dict[str, Any]:
    """Add what the request asked to know about a single write."""
    wanted = request.get("ReturnConsumedCapacity")
    if counts(wanted):
        tally = Tally()
        tally.add_write(change)
        response["ConsumedCapacity"] = tally.report(change.table.name, str(wanted))
    if request.get("ReturnItemCollectionMetrics") == "SIZE":
        for (metrics,) in collection_metrics([change]).values():
            response["ItemCollectionMetrics"] = metrics
    return response


def report_by_table(changes: Sequence[Change], wanted: str, *, transactional: bool = False) -> list[dict[str, Any]]:
    """The ConsumedCapacity of several writes, one report per table."""
    tallies: dict[str, Tally] = {}
    for change in changes:
        tallies.setdefault(change.table.name, Tally("Write" if transactional else None)).add_write(change)
    return [tally.report(name, wanted) for name, tally in tallies.items()]


def collection_metrics(changes: Sequence[Change]) -> dict[str, list[dict[str, Any]]]:
    """ItemCollectionMetrics by table: one per partition that was written in a table with local indexes."""
    metrics: dict[str, dict[bytes, dict[str, Any]]] = {}
    for change in changes:
        schema = change.table.schema
        item: Item | None = (
            change.new if change.new is not None else change.old.item if change.old is not None else None
        )
        if schema.has_local_indexes and change.writes and item is not None:
            metrics.setdefault(schema.name, {})[change.key[0]] = {
                "ItemCollectionKey": {schema.hash.name: dict(item[schema.hash.name])},
                "SizeEstimateRangeGB": list(_COLLECTION_GIGABYTES),
            }
    return {name: list(found.values()) for name, found in metrics.items()}
