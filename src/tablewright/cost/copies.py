"""What one more index copy costs, while keys are still being looked for and there is no plan to ask."""

from __future__ import annotations

from msgspec import Struct

from tablewright.cost.prices import MONTH, Prices, on_demand, usual_rates
from tablewright.model.expectations import ItemsExpected
from tablewright.values.sizes import write_units


class CopyCost(Struct, frozen=True):
    """The copy of an entity in an index."""

    units: float
    """Write units of one write that keeps the key."""
    month: float
    """What writing and storing it costs in a month, on demand, where every write moves the key that can move."""


def copy_cost(expected: ItemsExpected, size: int, prices: Prices, *, moves: bool, share: float = 1.0) -> CopyCost:
    """The cost of a copy of so many bytes. A key that `moves` is a delete and an insert; an index that is sparse has a
    `share` of the items. Where nobody said how many writes there are, one a second is taken, so that copies count."""
    units = write_units(size)
    writes = (1.0 if expected.writes is None else expected.writes) * units * (2 if moves else 1) * share
    stored = (expected.items or 0) * share * (size + prices.item_overhead)
    bill = on_demand(usual_rates(prices), reads=0.0, writes=writes * MONTH, stored=stored)
    return CopyCost(units, bill.total)
