"""slow-requests: one in a hundred beyond the threshold, and ten at least."""

from typing import Any

import pytest

from tablewright.observe.snapshot import Thresholds, Traffic
from tests.observe.observations import latencies, observed, told


def queries(slow: int = 42, usual: int = 958, **more: Any) -> Traffic:
    traffic = Traffic(operation="Query", pattern="orders_of", requests=slow + usual, slow=slow, **more)
    return latencies(traffic, [0.012] * usual + [0.34] * slow)


def test_four_percent_are_told_with_quantiles_and_figures() -> None:
    (found,) = told("slow-requests", observed(queries(scanned=5_000), Traffic(operation="PutItem", requests=1_000)))
    assert (found.severity, found.category) == ("warning", "performance")
    assert (
        found.message == "4.2% of orders_of() took longer than 100 ms: half of all took 12 ms, and 1% more than 340 ms."
    )
    assert found.details == (
        "42 of 1,000 requests were slow. They looked at 5 items on average, and 0 times another attempt was made."
    )
    assert found.code == "db = table.open(..., cache=ReadCache())"
    assert found.impact == pytest.approx(0.021)
    assert found.evidence["p99_ms"] == pytest.approx(340, rel=0.01)


def test_further_attempts_point_to_throttling_and_many_items_to_pages() -> None:
    (tried,) = told("slow-requests", observed(queries(retries=10)))
    assert "look for throttling" in tried.action
    (wide,) = told("slow-requests", observed(queries(scanned=100_000)))
    assert wide.code == "db.run(pattern, ...).page(50)"


def test_the_threshold_is_the_one_that_was_set() -> None:
    (found,) = told("slow-requests", observed(queries(), thresholds=Thresholds(slow_ms=250)))
    assert "took longer than 250 ms" in found.message


@pytest.mark.parametrize(
    "traffic",
    [
        queries(slow=9, usual=0),
        queries(slow=9, usual=891),
        queries(slow=10, usual=991),
        queries(slow=0),
        Traffic(operation="Query"),
    ],
    ids=["few", "few of many", "less than one percent", "none", "nothing"],
)
def test_now_and_then_is_no_reason(traffic: Traffic) -> None:
    assert told("slow-requests", observed(traffic)) == []
