"""costly-reads: reads beyond the threshold, and none of the writes."""

from typing import Any

import pytest
from msgspec.structs import replace

from tablewright.cost.prices import load_prices
from tablewright.observe.snapshot import Thresholds, Traffic
from tests.observe.observations import latencies, observed, told


def queries(**more: Any) -> Traffic:
    figures: dict[str, Any] = {
        "operation": "Query",
        "pattern": "orders_of",
        "requests": 100,
        "costly": 12,
        "most_units": 256.0,
        "read_units": 3_000.0,
        "scanned": 9_000,
    }
    return latencies(Traffic(**(figures | more)), [0.02] * 99 + [0.5])


def test_twelve_percent_are_told_with_units_and_quantiles() -> None:
    writes = Traffic(operation="PutItem", requests=10, write_units=200)
    (found,) = told("costly-reads", replace(observed(queries(), writes), prices=load_prices()))
    assert (found.severity, found.category) == ("warning", "cost")
    assert found.message == "12% of orders_of() took more than 100 read units, and the dearest 256."
    assert found.details == (
        "12 of 100 requests were dear; all of them took 3,000 read units, 0.274 USD a month on demand, and looked at 9,000 items. "
        "Half of them took 20 ms, and 1% more than 20 ms."
    )
    assert found.saves is None
    assert found.impact == pytest.approx(0.75)


def test_what_is_read_consistently_without_need_costs_twice() -> None:
    (found,) = told("costly-reads", observed(queries(consistent=50), thresholds=Thresholds(read_units=50)))
    assert "took more than 50 read units" in found.message
    assert "Leave .consistent() out" in found.action
    assert found.saves == pytest.approx(1 / 3)  # half of them took twice as much as the others


def test_a_scan_needs_a_pattern_and_no_smaller_pages() -> None:
    (scan,) = told("costly-reads", observed(queries(operation="Scan", pattern=None)))
    assert "declare what is looked for as a pattern, and tablewright check says" in scan.action
    assert scan.code is None
    (query,) = told("costly-reads", observed(queries()))
    assert "all of them together read as much" in query.action
    assert query.code == "db.run(orders_of, ...).page(50)"


@pytest.mark.parametrize(
    "traffic",
    [
        queries(costly=9),
        queries(requests=1_201),
        queries(write_units=3_001),
        queries(costly=0),
        Traffic(operation="Query"),
    ],
    ids=["few", "less than one percent", "writes", "none", "nothing"],
)
def test_nothing_is_said_of_few_or_of_writes(traffic: Traffic) -> None:
    assert told("costly-reads", observed(traffic)) == []
