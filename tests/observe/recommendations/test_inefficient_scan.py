"""inefficient-scan: fires on scans that filter most of what they read away, and says what a query would take."""

from typing import Any

import pytest
from msgspec.structs import replace

from tablewright.cost.prices import load_prices
from tablewright.observe.snapshot import Traffic
from tests.observe.observations import observed, told


def scans(**more: Any) -> Traffic:
    figures: dict[str, Any] = {
        "operation": "Scan",
        "entity": "Order",
        "requests": 100,
        "read_units": 6_250.0,
        "scanned": 50_000,
        "returned": 1_000,
        "filtered": 100,
        "filtered_scanned": 50_000,
        "filtered_returned": 1_000,
    }
    return Traffic(**(figures | more))


def test_two_percent_are_told_with_what_a_query_would_save() -> None:
    (found,) = told("inefficient-scan", observed(scans(), Traffic(operation="PutItem", write_units=1_250)))
    assert (found.severity, found.category) == ("warning", "cost")
    assert found.message == "Scan of Order returns 2% of the items that it looks at."
    assert found.details == (
        "1,000 of 50,000 items passed the filter, in 100 requests that took 6,250 read units. A query that reads what it returns "
        "would take some 125."
    )
    assert found.saves == pytest.approx(0.98)
    assert found.impact == pytest.approx(0.5)
    assert found.code is not None
    assert "-> Query[Order]" in found.code


def test_each_query_takes_half_a_unit_at_least() -> None:
    (found,) = told("inefficient-scan", observed(scans(read_units=62.5)))
    assert found.evidence["needed_units"] == 50
    assert found.saves == pytest.approx(0.2)


def test_scans_without_a_filter_are_left_out_of_the_figures() -> None:
    (found,) = told(
        "inefficient-scan", observed(scans(requests=200, scanned=100_000, returned=51_000, read_units=12_500.0))
    )
    assert "1,000 of 50,000 items passed the filter, in 100 requests that took 6,250 read units." in found.details


def test_with_prices_a_month_is_told() -> None:
    seen = replace(observed(scans(pattern="find_orders", index="GSI1")), prices=load_prices())
    (found,) = told("inefficient-scan", seen)
    # 6,250 units an hour for 730 hours, at 0.125 a million
    assert "that took 6,250 read units, 0.57 USD a month on demand." in found.details
    assert found.message.startswith("find_orders() on GSI1 returns 2%")


def test_what_was_not_metered_saves_nothing_that_is_known() -> None:
    (found,) = told("inefficient-scan", observed(scans(read_units=0.0)))
    assert found.saves is None
    assert found.details == "1,000 of 50,000 items passed the filter, in 100 requests."


@pytest.mark.parametrize(
    "traffic",
    [
        scans(filtered_returned=30_000),
        scans(filtered_returned=9_900),  # 19.8%, which may be 20%
        scans(operation="Query"),
        scans(filtered=0, filtered_scanned=0, filtered_returned=0),
        scans(filtered=9),
        scans(filtered_scanned=999, filtered_returned=1),
    ],
    ids=["efficient", "perhaps chance", "query", "no filter", "few scans", "few items"],
)
def test_nothing_is_said_of_efficient_scans_of_queries_or_of_little(traffic: Traffic) -> None:
    assert told("inefficient-scan", observed(traffic)) == []
