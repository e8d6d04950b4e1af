"""Consumed capacity by DynamoDB's rules, counted only where a request asks for it."""

from __future__ import annotations

from typing import Any

from tablewright.engine.index import IndexSchema
from tablewright.engine.storage import Change
from tablewright.values import item_size, read_units, write_units


class Tally:
    """Units that one request consumed on one table and its indexes."""

    __slots__ = ("_indexes", "_table")

    def __init__(self) -> None:
        self._table = 0.0
        self._indexes: dict[IndexSchema, float] = {}

    def add(self, units: float, index: IndexSchema | None = None) -> None:
        """Count units of the table, or of an index."""
        if index is None:
            self._table += units
        else:
            self._indexes[index] = self._indexes.get(index, 0.0) + units

    def add_write(self, change: Change, *, transactional: bool = False) -> None:
        """Count a write: the larger of old and new image, and what it moves in each index."""
        old_size = change.old.size if change.old is not None else 0
        new_size = change.size if change.new is not None else 0
        self.add(write_units(max(old_size, new_size), transactional))
        if not change.writes:
            return
        for index in change.table.schema.indexes:
            units = _index_units(change, index)
            if units:
                self.add(units * 2 if transactional else units, index)

    def add_read(self, size: int, *, consistent: bool, index: IndexSchema | None = None) -> None:
        """Count a read of `size` bytes."""
        self.add(read_units(size, consistent), index)

    def report(self, table: str, wanted: str) -> dict[str, Any]:
        """The ConsumedCapacity member of a response; `wanted` is TOTAL or INDEXES."""
        report: dict[str, Any] = {"TableName": table, "CapacityUnits": self._table + sum(self._indexes.values())}
        if wanted == "INDEXES":
            report["Table"] = {"CapacityUnits": self._table}
            for member, is_global in (("LocalSecondaryIndexes", False), ("GlobalSecondaryIndexes", True)):
                units = {i.name: {"CapacityUnits": n} for i, n in self._indexes.items() if i.is_global is is_global}
                if units:
                    report[member] = units
        return report


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
    if before == after:
        return 0.0
    sizes = [write_units(item_size(image)) for image in (before, after) if image is not None]
    if old is not None and new is not None and index.entry(old, pk) == index.entry(new, pk):
        return max(sizes)
    return sum(sizes)
