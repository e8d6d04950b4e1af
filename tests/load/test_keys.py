"""Keys by rank: shares as Zipf's law has them, the hottest as it was said, and the same ones for the same seed."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.load.keys import Zipf, exponent_for, hottest_share, ranks

DRAWS = 20_000


@pytest.mark.parametrize("exponent", [0.0, 0.5, 0.99, 1.0, 1.5, 3.0])
@pytest.mark.parametrize("count", [2, 7, 300])
def test_ranks_come_as_often_as_the_law_says(count: int, exponent: float) -> None:
    sampler, chance = Zipf(count, exponent), random.Random(7)
    seen = Counter(sampler.draw(chance) for _ in range(DRAWS))
    weights = [1 / rank**exponent for rank in range(1, count + 1)]
    for rank in range(min(count, 5)):
        expected = DRAWS * weights[rank] / sum(weights)
        assert abs(seen[rank] - expected) < 5 * expected**0.5 + 1
    assert set(seen) <= set(range(count))


@given(st.integers(1, 10**7), st.floats(0, 4), st.integers(0, 2**32))
def test_a_rank_is_one_of_them_however_many_there_are(count: int, exponent: float, seed: int) -> None:
    chance = random.Random(seed)
    assert all(0 <= Zipf(count, exponent).draw(chance) < count for _ in range(20))


@given(st.integers(2, 10**6), st.floats(0, 1))
def test_the_hottest_has_the_share_that_was_said(count: int, hottest: float) -> None:
    share = hottest_share(count, exponent_for(count, hottest))
    assert share == pytest.approx(max(hottest, 1 / count), rel=1e-3, abs=1e-5)


def test_a_share_above_that_of_the_steepest_curve_is_nearly_met() -> None:
    assert hottest_share(4, exponent_for(4, 1.0)) > 0.999


def test_the_same_seed_draws_the_same_keys() -> None:
    first, second, other = (
        [ranks(1000, 0.99).draw(chance) for _ in range(50)]
        for chance in (random.Random(1), random.Random(1), random.Random(2))
    )
    assert first == second != other


def test_what_was_said_of_the_hottest_goes_before_the_exponent() -> None:
    chance = random.Random(3)
    drawn = [ranks(50, 0.0, 0.4).draw(chance) for _ in range(5000)]
    assert drawn.count(0) / 5000 == pytest.approx(0.4, abs=0.03)
