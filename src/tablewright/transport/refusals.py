"""Error replies of DynamoDB, from whichever transport they came, as errors of the one tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.errors import (
    BY_WIRE_NAME,
    CancellationReason,
    ConditionalCheckFailed,
    InternalError,
    ServiceError,
    TablewrightError,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
)


def service_error(
    name: str, message: str, members: Mapping[str, Any], *, status: int, operation: str
) -> TablewrightError:
    """The error with this wire name; `members` is the rest of the reply, with items in wire form."""
    if name == "ConditionalCheckFailedException":
        return ConditionalCheckFailed(message, item=members.get("Item") or None, operation=operation)
    if name == "TransactionCanceledException":
        reasons = [
            CancellationReason(r.get("Code", "None"), r.get("Message"), r.get("Item") or None)
            for r in members.get("CancellationReasons") or ()
        ]
        return TransactionCanceled(message, reasons=reasons, operation=operation)
    told = members.get("ThrottlingReasons") or members.get("throttlingReasons")
    if told:
        throttling = [ThrottlingReason(r.get("reason", ""), r.get("resource", "")) for r in told]
        return Throttled(message, reasons=throttling, wire_name=name, operation=operation)
    kind = BY_WIRE_NAME.get(name)
    if kind is None:
        kind = InternalError if status >= 500 else ServiceError
    return kind(message, wire_name=name, operation=operation)
