"""The examples under load: their own rates, their own expectations."""

from importlib import import_module

import pytest

from tablewright import Table
from tablewright.load.report import Limits
from tablewright.load.running import LoadSettings, run_load

EXAMPLES = ["blog", "kefir", "orders", "saas", "shop", "social", "surveyor"]


def model(name: str) -> Table:
    module = import_module(f"examples.{name}.model")
    (table,) = {one for one in vars(module).values() if isinstance(one, Table)}
    return table


def test_trees_ids_with_patterns_and_kinds_that_belong_to_each_other_are_driven() -> None:
    report = run_load(model("surveyor"), "memory:", LoadSettings(seconds=4, items=12, simulated=True))
    assert report.problems == ()
    assert report.requests > 100
    assert not [note for note in report.notes if note.startswith("Left out:")]


@pytest.mark.full
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_bears_the_load_that_it_expects(name: str) -> None:
    report = run_load(model(name), "memory:", LoadSettings(seconds=30, requests=20_000, items=100, limits=Limits()))
    assert report.problems == ()


@pytest.mark.full
def test_the_shop_answers_99_of_100_of_100_requests_a_second_in_50_ms() -> None:
    """At its peak it has 10,000 users, a million products and 100 requests a second. Here are 1,000 items of each kind:
    a tenth of the users, a thousandth of the products; keys are drawn as if all of them were there."""
    shop = model("shop")
    whole = sum(e.rate or 0 for e in shop.expectations.patterns.values())
    whole += sum(e.writes or 0 for e in shop.expectations.entities.values())
    report = run_load(shop, "memory:", LoadSettings(seconds=20, items=1_000, scale=100 / whole))
    assert report.wanted_rate == pytest.approx(100)
    assert report.rate == pytest.approx(100, rel=0.1)
    assert report.errors == report.throttled == report.unsent == 0
    assert report.p99_ms < 50


@pytest.mark.full
def test_a_thousand_requests_a_second_for_a_minute_take_less_than_a_minute() -> None:
    shop = model("shop")
    report = run_load(shop, "memory:", LoadSettings(seconds=60, items=300, scale=1000 / 560, limits=Limits()))
    assert report.seconds == pytest.approx(60, abs=1)
    assert report.requests == pytest.approx(60_000, rel=0.05)
    assert report.well, report.problems
