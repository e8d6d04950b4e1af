"""Advice is right where the truth is known: a few of the runs that the bench judges rules by, with the seeds for tuning."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.advice import SEEDS, Score, digests, judged
from bench.advice_situations import SITUATIONS, of_seed
from tablewright.observe.advising import all_rules

FIRST = SEEDS["tuning"]
RULES = sorted(SITUATIONS)


def test_every_rule_is_judged_by_ill_and_well_situations() -> None:
    assert set(SITUATIONS) == set(all_rules())
    for situations in SITUATIONS.values():
        assert {one.ill for one in situations} == {True, False}


def test_runs_for_judging_are_no_runs_for_tuning() -> None:
    assert abs(SEEDS["tuning"] - SEEDS["held-out"]) > 100_000


def test_ill_and_well_situations_take_turns_until_each_had_its_turn() -> None:
    for rule, situations in SITUATIONS.items():
        drawn = [of_seed(rule, FIRST + n) for n in range(20)]
        assert [one.ill for one in drawn] == [True, False] * 10
        assert {one.name for one in drawn} == {one.name for one in situations}


def test_a_seed_tells_the_same_again() -> None:
    situation = of_seed("missed-batch", FIRST)
    assert situation.said(FIRST) == situation.said(FIRST)


def test_what_was_judged_has_a_name() -> None:
    assert digests() == digests()
    assert len(set(digests())) == 2


def test_figures_of_a_rule() -> None:
    score = Score(found=19, missed=1, silent=18, false=2)
    assert (score.recall, round(score.precision, 3)) == (0.95, 0.905)
    assert not score.good
    assert Score(found=20, silent=20).good
    assert not Score(found=20, silent=20, elsewhere_runs=10, elsewhere=Counter({"short rows": 1})).good


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_speaks_up_where_it_should_and_only_there(rule: str) -> None:
    for seed in (FIRST, FIRST + 1):
        situation = of_seed(rule, seed)
        said = situation.said(seed)
        assert (rule in said) == situation.ill, (situation.name, seed)
        assert said <= {rule} | situation.beside, (situation.name, seed)


@pytest.mark.full
@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_right_often_enough(rule: str) -> None:
    score = judged([rule], 40, FIRST + 1_000)[rule]
    assert score.good, score.wrong
