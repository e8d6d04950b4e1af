"""What a thousand users cost in a month: as such sums are usually done, by the prices of then and of today, and as it is
charged. `python -m examples.kefir.costs` prints it.

The usual sum takes a request for a unit, and forgets the indexes. The other one goes by the model: a write of 2 KB is two
units, each index is written and stored as well, and a read that need not be consistent is half a unit for each 4 KB.
"""

from collections.abc import Iterable

from tablewright.cost.estimating import Estimate, estimate
from tablewright.cost.prices import Bill, Prices, load_prices, on_demand, usual_rates

from .model import kefir

USERS = 1_000
KILOBYTES = {"User": 1, "Batch": 2, "BatchEvent": 2, "Reminder": 1, "Device": 1}
PER_USER = {"User": 1, "Batch": 10, "BatchEvent": 50, "Reminder": 20, "Device": 3}
READS = 100_000
WRITES = 50_000
MEGABYTES = 150
"""What 1,000 users of 144 KB are rounded up to."""

THEN = "before-2024-11"
TODAY = "us-east-1"


def usual_sum(prices: Prices) -> Bill:
    """A month, with each request for a unit and without indexes."""
    return on_demand(usual_rates(prices), reads=READS, writes=WRITES, stored=MEGABYTES * 2**20)


def charged(prices: Prices) -> Bill:
    """The same month as it is charged: requests spread over the patterns as the model expects them, writes over entities by
    how many there are."""
    found = estimate(kefir, prices)
    reads = READS * _mean((pattern.units, pattern.rate or 0.0) for pattern in found.patterns)
    writes = WRITES * _mean((entity.create.total, entity.items or 0) for entity in found.entities)
    return on_demand(usual_rates(prices), reads=reads, writes=writes, stored=found.stored)


def stored_per_user(found: Estimate) -> float:
    """Kilobytes of a user's items in the table itself."""
    return sum(entity.size * (entity.items or 0) for entity in found.entities) / USERS / 1024


def _mean(weighted: Iterable[tuple[float, float]]) -> float:
    listed = list(weighted)
    return sum(value * weight for value, weight in listed) / sum(weight for _, weight in listed)


def shown() -> str:
    """The four bills as lines of text."""
    lines = [f"{'USD a month':<28}{'storage':>9}{'reads':>9}{'writes':>9}{'total':>9}"]
    for title, bill in (
        ("usual sum, prices of then", usual_sum(load_prices(THEN))),
        ("usual sum, prices of today", usual_sum(load_prices(TODAY))),
        ("as charged, prices of then", charged(load_prices(THEN))),
        ("as charged, prices of today", charged(load_prices(TODAY))),
    ):
        figures = (bill.storage, bill.reads, bill.writes, bill.total)
        lines.append(f"{title:<28}" + "".join(f"{figure:>9.3f}" for figure in figures))
    return "\n".join(lines)


if __name__ == "__main__":
    print(shown())
