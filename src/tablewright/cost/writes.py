"""The exact write units of one write, for items that are known: the table's, and those of each index.

These are DynamoDB's rules: the larger of old and new image for the table; nothing for an index whose projection stays
as it is; the larger image where only other attributes change; a delete and an insert where a key attribute does.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from tablewright.compiler.projections import projected_names
from tablewright.expressions import equal
from tablewright.model.indexes import Index
from tablewright.model.table import TableModel
from tablewright.values.sizes import item_size, write_units
from tablewright.values.types import Item


class Units(Struct, frozen=True):
    """Capacity units by where they are used."""

    table: float
    indexes: Mapping[str, float] = field(default_factory=dict)
    """Only those that cost something."""

    @property
    def total(self) -> float:
        """All of them."""
        return self.table + sum(self.indexes.values())

    def __add__(self, other: Units) -> Units:
        names = [*self.indexes, *(n for n in other.indexes if n not in self.indexes)]
        indexes = {n: self.indexes.get(n, 0.0) + other.indexes.get(n, 0.0) for n in names}
        return Units(self.table + other.table, indexes)


def write_cost(table: TableModel, old: Item | None, new: Item | None, *, transactional: bool = False) -> Units:
    """What it costs to turn `old` into `new`; None stands for no item. In a transaction the table's units are doubled,
    and those of the indexes are not."""
    size = max(item_size(old) if old is not None else 0, item_size(new) if new is not None else 0)
    units = {index.name: _index_cost(table, index, old, new) for index in table.indexes.values()}
    return Units(write_units(size, transactional), {name: n for name, n in units.items() if n})


def _index_cost(table: TableModel, index: Index, old: Item | None, new: Item | None) -> float:
    before = _copy(table, index, old)
    after = _copy(table, index, new)
    if before is None or after is None:
        return sum(write_units(item_size(copy)) for copy in (before, after) if copy is not None)
    if equal({"M": before}, {"M": after}):
        return 0.0
    sizes = [write_units(item_size(copy)) for copy in (before, after)]
    moved = any(not equal(before[a.name], after[a.name]) for a in index.attributes)
    return sum(sizes) if moved else max(sizes)


def _copy(table: TableModel, index: Index, item: Item | None) -> Item | None:
    """What an index holds of an item; None when the item is not in it."""
    if item is None or not all(item.get(a.name, {}).get(a.tag) for a in index.attributes):
        return None
    names = projected_names(table, index)
    return item if names is None else {name: value for name, value in item.items() if name in names}
