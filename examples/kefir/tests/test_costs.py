"""What a thousand users cost: an eighth of a dollar as the sum was once done, less by today's prices, more as it is charged."""

import pytest

from examples.kefir.costs import KILOBYTES, MEGABYTES, PER_USER, THEN, TODAY, USERS, charged, shown, usual_sum
from examples.kefir.model import kefir
from tablewright.cost.estimating import estimate
from tablewright.cost.prices import load_prices


def test_the_old_sum_comes_to_an_eighth_of_a_dollar() -> None:
    bill = usual_sum(load_prices(THEN))
    parts = (round(bill.storage, 2), round(bill.reads, 3), round(bill.writes, 2))
    assert parts == (0.04, 0.025, 0.06)
    assert sum(parts) == pytest.approx(0.125)
    assert bill.total == pytest.approx(0.125, abs=0.001)


def test_today_it_costs_less() -> None:
    then, today = usual_sum(load_prices(THEN)), usual_sum(load_prices(TODAY))
    assert today.storage == then.storage
    assert (today.reads, today.writes) == (then.reads / 2, then.writes / 2)
    assert today.total == pytest.approx(0.0804, abs=0.0001)


def test_what_is_charged_counts_units_and_indexes() -> None:
    then, today = charged(load_prices(THEN)), charged(load_prices(TODAY))
    assert then.total == pytest.approx(0.270, abs=0.001)
    assert today.total == pytest.approx(0.160, abs=0.001)
    assert today.writes == pytest.approx(then.writes / 2)


def test_the_model_expects_the_same_users() -> None:
    """Sizes and numbers of the sum and of the model are the same: 144 KB a user, of which 150 MB were made."""
    found = estimate(kefir)
    assert {e.name: (e.items or 0) / USERS for e in found.entities} == PER_USER
    assert {e.name: e.size / 1024 for e in found.entities} == KILOBYTES
    per_user = sum(PER_USER[name] * KILOBYTES[name] for name in PER_USER)
    assert per_user == 144
    assert per_user * USERS / 1_000 <= MEGABYTES


def test_both_are_shown_beside_each_other() -> None:
    assert shown().splitlines() == [
        "USD a month                   storage    reads   writes    total",
        "usual sum, prices of then       0.037    0.025    0.062    0.124",
        "usual sum, prices of today      0.037    0.013    0.031    0.080",
        "as charged, prices of then      0.045    0.059    0.167    0.270",
        "as charged, prices of today     0.047    0.029    0.083    0.160",
    ]
