"""Counting what a session does: requests, and the capacity they consume."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from msgspec import Struct, field

from tablewright.client.calls import Call
from tablewright.errors import TablewrightError
from tablewright.model.results import Capacity
from tablewright.values.operations import METERED, WRITES

NO_CAPACITY = Capacity()
_LEVELS = {operation: "INDEXES" if operation in WRITES else "TOTAL" for operation in METERED}


class Sent(Struct, frozen=True, gc=False):
    """One request that was sent."""

    operation: str
    """DynamoDB's name for it, such as "Query"."""
    index: str | None
    """The index that it asked; None for the table."""
    capacity: Capacity
    """What it consumed."""
    error: str | None = None
    """The code of the error that came back, if one did."""
    pattern: str | None = None
    """The access pattern that it served, if it served one."""


class Meter(Struct):
    """The requests of a session while it is measured: `with db.measure() as meter`. Repeated ones count each time.

    Those count that this thread or task sends, and tasks that it starts meanwhile; what others do with the session does not.
    """

    requests: list[Sent] = field(default_factory=list)
    """Every request, in the order in which they were answered."""

    def __repr__(self) -> str:
        read, write = self.capacity.read, self.capacity.write
        return f"<meter: {len(self.requests)} requests, {read:g} read units, {write:g} write units>"

    @property
    def capacity(self) -> Capacity:
        """All capacity units together."""
        return sum((r.capacity for r in self.requests), Capacity())


class _Block(Struct, eq=False):
    """A `with db.measure()`, and the one around it, perhaps of another session."""

    of: Measuring
    meter: Meter
    outer: _Block | None
    over: bool = False


_block: ContextVar[_Block | None] = ContextVar("tablewright_measuring", default=None)


def _unless_over(block: _Block | None) -> _Block | None:
    while block is not None and block.over:
        block = block.outer
    return block


class Measuring:
    """The blocks in which one session is being measured."""

    __slots__ = ("blocks",)

    def __init__(self) -> None:
        self.blocks: set[_Block] = set()

    @contextmanager
    def begin(self) -> Iterator[Meter]:
        """Counts what is sent within the block, also by tasks that are started there."""
        block = _Block(self, Meter(), _unless_over(_block.get()))
        self.blocks.add(block)
        _block.set(block)
        try:
            yield block.meter
        finally:
            block.over = True
            self.blocks.discard(block)
            # Blocks need not end in order, nor in the task in which they began; what is over is skipped wherever it is met.
            _block.set(_unless_over(_block.get()))

    def meters(self) -> list[Meter]:
        """Who counts what is sent here and now. A task may live longer than the block in which it was started."""
        block = _block.get()
        if block is not None and block.outer is None:  # nearly always
            return [block.meter] if block.of is self and not block.over else []
        found = []
        while block is not None:
            if block.of is self and not block.over:
                found.append(block.meter)
            block = block.outer
        return found


def asking_for_capacity(call: Call) -> dict[str, Any]:
    """The request, asking for its consumed capacity. It is made once for all attempts: what a token stands for must be
    the same bytes in each."""
    if call.operation not in METERED:
        return call.request
    return {**call.request, "ReturnConsumedCapacity": "TOTAL"}


def asking_for_parts(call: Call) -> dict[str, Any]:
    """The same, where writes tell what each index consumed."""
    level = _LEVELS.get(call.operation)
    return call.request if level is None else {**call.request, "ReturnConsumedCapacity": level}


def count(meters: Iterable[Meter], call: Call, response: dict[str, Any]) -> None:
    """A request was answered."""
    told = response.get("ConsumedCapacity")
    if not told:
        capacity = NO_CAPACITY
    else:
        # Told of one table, or of each.
        units = (
            told.get("CapacityUnits", 0.0)
            if told.__class__ is dict
            else sum([part.get("CapacityUnits", 0.0) for part in told])
        )
        capacity = Capacity(0.0, units) if call.operation in WRITES else Capacity(units)
    sent = Sent(call.operation, call.request.get("IndexName"), capacity, None, call.pattern)
    for meter in meters:
        meter.requests.append(sent)


def count_failure(meters: Iterable[Meter], call: Call, error: TablewrightError) -> None:
    """A request failed."""
    sent = Sent(call.operation, call.index, NO_CAPACITY, error.code, call.pattern)
    for meter in meters:
        meter.requests.append(sent)
