"""A transaction of writes, however it was asked for: all or none, and once per token."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tablewright.engine.capacity import Tally, counts, larger_size
from tablewright.engine.context import Context
from tablewright.engine.outcomes import PASSED, cancel, collection_metrics, report_by_table
from tablewright.engine.storage import Change, Remembered, Transaction
from tablewright.engine.writes import Put, Write
from tablewright.errors import (
    CancellationReason,
    ConditionalCheckFailed,
    DuplicateItem,
    IdempotentParameterMismatch,
    RequestRefused,
    ValidationError,
)
from tablewright.values import attribute_size, dumps, loads, read_units

_MAX_BYTES = 4 * 1024 * 1024


def check_together(writes: Sequence[Write], wrong: Mapping[int, CancellationReason]) -> None:
    """Refuse writes that cannot be one transaction: two to one item, or too much at once."""
    if len({(write.table.name, write.key) for write in writes}) < len(writes):
        raise RequestRefused("Transaction request cannot include multiple operations on one item")
    size = sum(map(_payload, writes)) if not wrong else 0
    if size > _MAX_BYTES:
        raise RequestRefused(f"Transaction payload size cannot exceed 4MB. Payload Size: {size}")


def transact(
    context: Context,
    request: Mapping[str, Any],
    parts: Sequence[Any],
    writes: Sequence[Write],
    wrong: Mapping[int, CancellationReason],
    *,
    scope: str = "",
) -> dict[str, Any]:
    """Write everything, or cancel; `wrong` are the parts that cancel it as they stand.

    Tokens are those of one operation: `scope` keeps them apart from another's.
    """
    given: str | None = request.get("ClientRequestToken")
    token = scope + given if given is not None else None
    digest = _digest(parts) if token is not None else b""
    wanted = str(request.get("ReturnConsumedCapacity") or "NONE")

    def work(transaction: Transaction) -> dict[str, Any]:
        now = context.clock.now()
        if token is not None:
            used = transaction.recall(token, now)
            if used is not None:
                if used.request != digest:
                    raise IdempotentParameterMismatch(
                        "The token was used within the last ten minutes by a request with other parameters."
                    )
                return _again(used, wanted)
        if wrong:
            cancel([wrong.get(position, PASSED) for position in range(len(parts))])
        changes = _plan(writes, transaction)
        for change in changes:
            transaction.apply(change)
        if token is not None:
            transaction.remember(token, now, Remembered(digest, dumps(_read_sizes(changes))))
        response: dict[str, Any] = {}
        if counts(wanted):
            response["ConsumedCapacity"] = report_by_table(changes, wanted, transactional=True)
        if request.get("ReturnItemCollectionMetrics") == "SIZE":
            response["ItemCollectionMetrics"] = collection_metrics(changes)
        return response

    return context.database.write(work)


def _payload(write: Write) -> int:
    if isinstance(write, Put):
        return write.size
    return sum(map(len, write.key)) + sum(map(attribute_size, write.expressions.values.values()))


def _plan(writes: Sequence[Write], transaction: Transaction) -> list[Change]:
    """What every action changes; one that cannot do its part cancels all, each with its own reason."""
    changes: list[Change] = []
    reasons: list[CancellationReason] = []
    for write in writes:
        try:
            changes.append(write.plan(transaction))
            reasons.append(PASSED)
        except ConditionalCheckFailed as error:
            reasons.append(CancellationReason("ConditionalCheckFailed", error.message, error.item))
        except DuplicateItem as error:
            reasons.append(CancellationReason("DuplicateItem", error.message))
        except (RequestRefused, ValidationError) as error:
            reasons.append(CancellationReason("ValidationError", error.message))
    if len(changes) < len(writes):
        cancel(reasons)
    return changes


def _digest(parts: Any) -> bytes:
    try:
        return hashlib.sha256(msgspec.json.encode(parts, order="sorted")).digest()
    except (TypeError, ValueError) as error:
        raise RequestRefused("The request is not JSON.", wire_name="SerializationException") from error


def _read_sizes(changes: Sequence[Change]) -> list[tuple[str, int]]:
    return [(change.table.name, larger_size(change)) for change in changes]


def _again(used: Remembered, wanted: str) -> dict[str, Any]:
    """The answer to a repeated request: it succeeds, and costs the reading of its items."""
    if not counts(wanted):
        return {}
    tallies: dict[str, Tally] = {}
    for name, size in loads(used.response):
        tallies.setdefault(name, Tally("Read")).add(read_units(size, transactional=True))
    return {"ConsumedCapacity": [tally.report(name, wanted) for name, tally in tallies.items()]}
