"""Consumed capacity by DynamoDB's rules, counted only where a request asks for it."""

from __future__ import annotations

from typing import Any, Literal

from tablewright.engine.index import IndexSchema
from tablewright.engine.storage import Change
from tablewright.expressions import equal
from tablewright.values import item_size, read_units, write_units


class Tally:
    """Units that one request consumed on one table and its indexes.

    Transactions tell the same figures once more as `transacted` units, Read or Write.
    """

    __slots__ = ("_indexes", "_table", "_transacted")

    def __init__(self, transacted: Literal["Read", "Write"] | None = None) -> None:
        self._transacted = transacted
        self._table = 0.0
        self._indexes: dict[IndexSchema, float] = {}

    def add(self, units: float, index: IndexSchema | None = None) -> None:
        """Count units of the table, or of an index."""
        if index is None:
            self._table += units
        else:
            self._indexes[index] = self._indexes.get(index, 0.0) + units

    def add_write(self, change: Change) -> None:
        """Count a write: the larger of old and new image, and what it moves in each index.

        A transaction costs twice as much on the table, and no more on its indexes.
        """
        self.add(write_units(larger_size(change), self._transacted is not None))
        if not change.writes:
            return
        for index in change.table.schema.indexes:
            units = _index_units(change, index)
            if units:
                self.add(units, index)

    def add_read(self, size: int, *, consistent: bool, index: IndexSchema | None = None) -> None:
        """Count a read of `size` bytes."""
        self.add(read_units(size, consistent), index)

    def report(self, table: str, wanted: str) -> dict[str, Any]:
        """The ConsumedCapacity member of a response; `wanted` is TOTAL or INDEXES."""
        report: dict[str, Any] = {"TableName": table, **self._units(self._table + sum(self._indexes.values()))}
        if wanted == "INDEXES":
            report["Table"] = self._units(self._table)
            for member, is_global in (("LocalSecondaryIndexes", False), ("GlobalSecondaryIndexes", True)):
                units = {i.name: self._units(n) for i, n in self._indexes.items() if i.is_global is is_global}
                if units:
                    report[member] = units
        return report

    def _units(self, units: float) -> dict[str, float]:
        if self._transacted is None:
            return {"CapacityUnits": units}
        return {"CapacityUnits": units, f"{self._transacted}CapacityUnits": units}


def larger_size(change: Change) -> int:
    """The size of an item before or after a change, whichever is larger."""
    before = change.old.size if change.old is not None else 0
    return max(before, change.size if change.new is not None else 0)


def counts(wanted: str | None) -> bool:
    """Whether a request's ReturnConsumedCapacity asks for a report."""
    return wanted is not None and wanted != "NONE"


def _index_units(change: Change, index: IndexSchema) -> float:
    """An unchanged projection costs nothing, a changed one the larger image, a changed key a delete and an insert."""
    pk = change.key[0]
    old = change.old.item if change.old is not None and index.entry(change.old.item, pk) is not None else None
    new = change.new if change.new is not None and index.entry(change.new, pk) is not None else None
    if old is None and new is None:
        return 0.0
    before = index.project(old) if old is not None else None
    after = index.project(new) if new is not None else None
    if before is not None and after is not None and equal({"M": before}, {"M": after}):
        return 0.0
    sizes = [write_units(item_size(image)) for image in (before, after) if image is not None]
    if old is not None and new is not None and index.entry(old, pk) == index.entry(new, pk):
        return max(sizes)
    return sum(sizes)
