"""Counting what a session does: requests, and the capacity they consume."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from tablewright.client.calls import WRITES, Call
from tablewright.model.results import Capacity

_METERED = WRITES | {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}


class Sent(Struct, frozen=True):
    """One request that was sent; `error` is the code of the error that came back, if one did."""

    operation: str
    index: str | None
    capacity: Capacity
    error: str | None = None


class Meter(Struct):
    """The requests of a session while it is measured: `with db.measure() as meter`. Repeated ones count each time."""

    requests: list[Sent] = field(default_factory=list)
    _outer: Meter | None = None

    def __repr__(self) -> str:
        read, write = self.capacity.read, self.capacity.write
        return f"<meter: {len(self.requests)} requests, {read:g} read units, {write:g} write units>"

    @property
    def capacity(self) -> Capacity:
        """All capacity units together."""
        return sum((r.capacity for r in self.requests), Capacity())

    def note(self, call: Call, response: dict[str, Any] | None, error: str | None = None) -> None:
        """Takes down a request with what it consumed."""
        consumed = (response or {}).get("ConsumedCapacity", [])
        units = sum(c.get("CapacityUnits", 0.0) for c in (consumed if isinstance(consumed, list) else [consumed]))
        capacity = Capacity(write=units) if call.operation in WRITES else Capacity(read=units)
        self.requests.append(Sent(call.operation, call.index, capacity, error))
        if self._outer is not None:
            self._outer.note(call, response, error)


def asking_for_capacity(call: Call) -> dict[str, Any]:
    """The request, asking for its consumed capacity."""
    if call.operation not in _METERED:
        return call.request
    return {**call.request, "ReturnConsumedCapacity": "TOTAL"}
