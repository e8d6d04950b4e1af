"""What one more index copy costs, while keys are still being looked for and there is no plan to ask."""

from __future__ import annotations

from tablewright.cost.prices import MONTH, Prices, on_demand, usual_rates
from tablewright.model.expectations import ItemsExpected
from tablewright.values.sizes import write_units


def copy_cost(expected: ItemsExpected, size: int, prices: Prices, *, moves: bool, share: float = 1.0) -> float:
    """What writing and storing a copy of so many bytes costs in a month, on demand. A key that `moves` is a delete and an
    insert with every write; an index that is sparse has a `share` of the items. Where nobody said how many writes there
    are, one a second is taken, so that copies count."""
    writes = (1.0 if expected.writes is None else expected.writes) * write_units(size) * (2 if moves else 1) * share
    stored = (expected.items or 0) * share * (size + prices.item_overhead)
    return on_demand(usual_rates(prices), reads=0.0, writes=writes * MONTH, stored=stored).total
