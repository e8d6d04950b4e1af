"""Refusals of all transports as errors of the one tree: error replies of DynamoDB, and sessions that are closed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.errors import (
    BY_WIRE_NAME,
    CancellationReason,
    ConditionalCheckFailed,
    ConfigError,
    InternalError,
    ServiceError,
    TablewrightError,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
)
from tablewright.values.types import Item


def session_closed() -> ConfigError:
    """Nothing was sent, and nothing will be."""
    return ConfigError("This session is closed.", hint="Open the table again.")


def service_error(
    name: str, message: str, members: Mapping[str, Any], *, status: int, operation: str
) -> TablewrightError:
    """The error with this wire name; `members` is the rest of the reply, with items in wire form."""
    if name == "ConditionalCheckFailedException":
        return ConditionalCheckFailed(message, item=_item(members), operation=operation)
    if name == "TransactionCanceledException":
        reasons = [
            CancellationReason(str(r.get("Code", "None")), r.get("Message"), _item(r))
            for r in _dicts(members.get("CancellationReasons"))
        ]
        return TransactionCanceled(message, reasons=reasons, operation=operation)
    told = _dicts(members.get("ThrottlingReasons") or members.get("throttlingReasons"))
    if told:
        throttling = [ThrottlingReason(r.get("reason", ""), r.get("resource", "")) for r in told]
        return Throttled(message, reasons=throttling, wire_name=name, operation=operation)
    kind = BY_WIRE_NAME.get(name)
    if kind is None:
        kind = InternalError if status >= 500 else ServiceError
    return kind(message, wire_name=name, operation=operation)


def _item(members: Mapping[str, Any]) -> Item | None:
    """The item that an error brings along, if it does."""
    item = members.get("Item")
    return item if isinstance(item, dict) and item else None


def _dicts(told: Any) -> list[dict[str, Any]]:
    """A list of dicts; empty where somebody who is not DynamoDB sent something else."""
    return told if isinstance(told, list) and all(isinstance(one, dict) for one in told) else []
