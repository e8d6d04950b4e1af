"""How much a read takes at worst: items and read units, from what expect() says of an entity."""

from __future__ import annotations

import math
from collections.abc import Iterable

from msgspec import Struct

from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan
from tablewright.compiler.served import Served
from tablewright.model.table import TableModel
from tablewright.values.sizes import read_units

PAGE = 1024 * 1024
"""Bytes that one request reads at most; each page is rounded up on its own."""


class Share(Struct, frozen=True):
    """How many items of an entity are read at most, and how large one is; None where that was not said."""

    items: int | None
    size: int | None

    def no_more_than(self, most: int) -> Share:
        """The same where so many are asked for."""
        return Share(most if self.items is None else min(self.items, most), self.size)


def share_of(
    table: TableModel, plan: EntityPlan, served: Served, *, unique: bool, partitions: int | None = None
) -> Share:
    """What a read takes of the entity that it asks for, out of so many partitions, if that is known."""
    expected = table.expectations.of(plan.entity)
    if unique:
        return Share(1, expected.max_size or expected.size)
    # What a filter tests is read all the same.
    known = frozenset(served.known) - {leaf.field for test in served.rest for leaf in test.leaves()}
    counts = [expected.at_most(known, served.path.index_name)]
    listed = frozenset(fan.name for fan in served.fan_out if fan.listed is not None)
    if partitions is not None and listed:
        shards = math.prod(fan.plan.of for fan in served.fan_out if isinstance(fan.plan, ShardPlan))
        alone = expected.at_most(known | listed, served.path.index_name)
        counts.append(None if alone is None else alone * partitions // shards)
    return Share(min((n for n in counts if n is not None), default=None), expected.max_size or expected.size)


def share_beside(table: TableModel, plan: EntityPlan, partition: Iterable[KeyPlan]) -> Share:
    """What a read takes of an entity that merely lies in the same partition."""
    expected = table.expectations.of(plan.entity)
    fields = frozenset(name for key in partition for name in key.fields)
    return Share(expected.at_most(fields), expected.max_size or expected.size)


def total_items(shares: Iterable[Share]) -> int | None:
    """All items together."""
    counts = [share.items for share in shares]
    return None if None in counts else sum(count for count in counts if count is not None)


def total_units(
    shares: Iterable[Share], *, consistent: bool, partitions: int | None, per_page: int | None, fetched: bool = False
) -> float | None:
    """What reading all of them costs, of each partition in requests for at most `per_page` items where that was declared.
    `fetched` items are read one by one from the table, besides their index."""
    listed = list(shares)
    if partitions is None or any(share.items is None or share.size is None for share in listed):
        return None
    size = sum((share.items or 0) * (share.size or 0) for share in listed)
    # What follows on a full page shows only when it was asked for, so a last request may bring nothing.
    requests = partitions + (sum(share.items or 0 for share in listed) // per_page if per_page is not None else 0)
    # Each request begins a unit of its own.
    units = read_units(size, consistent) + (requests - 1 + size // PAGE) * read_units(0, consistent)
    if per_page is not None:
        page = per_page * max((share.size or 0 for share in listed), default=0)
        units = min(units, requests * read_units(page, consistent)) if page <= PAGE else units
    if fetched:
        units += sum((share.items or 0) * read_units(share.size or 0, consistent) for share in listed)
    return units
