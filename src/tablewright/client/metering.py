"""Counting what a session does: requests, and the capacity they consume."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tablewright.model.results import Capacity

_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
_METERED = _WRITES | {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}


@dataclass(frozen=True, slots=True)
class Sent:
    """One request that was sent."""

    operation: str
    index: str | None
    capacity: Capacity


@dataclass(slots=True)
class Meter:
    """The requests of a session while it is measured: `with db.measure() as meter`."""

    requests: list[Sent] = field(default_factory=list)

    @property
    def capacity(self) -> Capacity:
        """All capacity units together."""
        return sum((r.capacity for r in self.requests), Capacity())

    def prepared(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """The request, asking for its consumed capacity."""
        return {**request, "ReturnConsumedCapacity": "TOTAL"} if operation in _METERED else request

    def note(self, operation: str, request: dict[str, Any], response: dict[str, Any]) -> None:
        """Takes down what a request consumed."""
        consumed = response.get("ConsumedCapacity", [])
        units = sum(c.get("CapacityUnits", 0.0) for c in (consumed if isinstance(consumed, list) else [consumed]))
        capacity = Capacity(write=units) if operation in _WRITES else Capacity(read=units)
        self.requests.append(Sent(operation, request.get("IndexName"), capacity))
