"""The bench of the surveyor runs with tiny sizes, and adds up what it measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.rounds import Score
from bench.surveyor import EXPECTED, Found, Size, Use, claims, main, measure, month, tell_costs
from bench.surveyor_work import OPERATIONS, LegacySide, SingleSide
from tablewright.cost.prices import MONTH, load_prices, usual_rates
from tablewright.engine import open_engine

TINY = Size(surveys=5, shape=(2, 1, 2), rounds=1, count=1, words=3, phrases=4)


def test_it_runs_and_tells(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(TINY, local=False, others=()) == 0
    told = capsys.readouterr().out
    for operation in OPERATIONS:
        assert operation.name in told
    assert "single lost 0" in told
    assert told.count("expected -") == len(EXPECTED)
    assert main(Size(1, (1, 1, 1), 1, 1), local=False) == 1


def test_costs_of_other_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    with open_engine("memory:") as engine:
        tell_costs(replace(TINY, rounds=0), engine)
    told = capsys.readouterr().out
    assert "surveys of 8 parts" in told
    assert told.count("USD a month") == 3


def test_both_sides_do_the_same_things() -> None:
    for operation in OPERATIONS:
        assert callable(getattr(LegacySide, operation.method))
        assert callable(getattr(SingleSide, operation.method))


def test_requests_and_units_are_those_of_the_engine() -> None:
    with open_engine("memory:") as engine:
        found = measure("here", engine, replace(TINY, rounds=0))
    old, new = found.uses["load_with_library"]
    assert (old.requests, new.requests) == (5, 2)
    assert old.writes == new.writes == 0
    old, new = found.uses["edit_section"]
    assert (old.requests, new.requests) == (2, 1)
    assert old.reads > 0
    assert new.reads == 0
    rows, items, _ = found.moved
    assert items > rows > 15


def test_money_and_waiting_are_added_up_by_rates() -> None:
    uses = {o.method: (Use(1, 2.0, 0.0), Use(1, 1.0, 0.0)) for o in OPERATIONS}
    wall = {"legacy": [2.0, 4.0], "single": [1.0, 1.0]}
    scores = {f"{side} {o.method}": Score(wall[side], wall[side]) for side in wall for o in OPERATIONS}
    found = Found("nowhere", uses, scores, (0.0, 0.0), (1, 1, 1.0))
    rates = usual_rates(load_prices())
    often = sum(o.rate for o in OPERATIONS if o.kind == "read")
    assert month(found, rates, 0)[0] == pytest.approx(2.0 * rates.reads * often * MONTH / 1e6)
    told = claims(found)
    assert told["cost"] == pytest.approx(-0.5)
    assert told["query latency"] == pytest.approx((0.5 + 0.25) / 2 - 1)
