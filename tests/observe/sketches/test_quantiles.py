"""Quantiles, against the sorted list of all numbers."""

from __future__ import annotations

import copy
from math import floor, inf, nan
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.observe.sketches.quantiles import ACCURACY, LARGEST, SMALLEST, Quantiles

numbers = st.one_of(
    st.floats(SMALLEST, LARGEST),
    st.floats(1e-4, 10),
    st.integers(1, 10**6).map(float),
    # Where one bucket ends and the next begins.
    st.integers(-1000, 1000).map(lambda power: ((1 + ACCURACY) / (1 - ACCURACY)) ** power),
    st.sampled_from([SMALLEST, 1.0, LARGEST]),
)
shares = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0]))


def counted(values: list[float]) -> Quantiles:
    found = Quantiles()
    found.add(values)
    return found


def check(found: Quantiles, values: list[float], share: float) -> None:
    true = sorted(values)[floor(share * (len(values) - 1))]
    # One percent, and what is lost where a logarithm is rounded.
    assert found.quantile(share) == pytest.approx(true, rel=ACCURACY * (1 + 1e-9), abs=0)


def same(one: Quantiles, other: Quantiles) -> bool:
    """Equal, but for the order in which totals were added up."""
    return msgspec.structs.replace(one, total=other.total) == other and one.total == pytest.approx(other.total)


@given(st.lists(numbers, min_size=1, max_size=60), shares)
def test_every_quantile_is_within_one_percent(values: list[float], share: float) -> None:
    found = counted(values)

    check(found, values, share)
    assert (found.count, found.least, found.most) == (len(values), min(values), max(values))
    assert found.mean == pytest.approx(sum(values) / len(values))


DISTRIBUTIONS = {
    "uniform": lambda r: r.uniform(0.001, 0.1),
    "normal": lambda r: max(SMALLEST, r.gauss(0.02, 0.005)),
    "lognormal": lambda r: r.lognormvariate(-5, 2),
    "pareto": lambda r: r.paretovariate(0.5),
    "two peaks": lambda r: r.choice([0.002, 3.0]) * r.uniform(0.9, 1.1),
    "constant": lambda r: 0.007,
    "rare and slow": lambda r: 30.0 if r.random() < 0.001 else 0.004,
}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_every_quantile_of_a_long_stream_is_within_one_percent(distribution: str) -> None:
    random = Random(distribution)
    values = [min(LARGEST, DISTRIBUTIONS[distribution](random)) for _ in range(5_000)]
    found = counted(values)

    for share in (*(percent / 100 for percent in range(101)), 0.999, 0.9999):
        check(found, values, share)


@given(st.lists(numbers, max_size=40), st.lists(numbers, max_size=40))
def test_merging_is_as_if_all_had_been_counted_at_once(some: list[float], others: list[float]) -> None:
    there, back = counted(some), counted(others)
    before = copy.deepcopy(back)
    there.merge(back)

    assert same(there, counted(some + others))
    assert back == before
    there.add([1.0])
    assert back == before


@given(st.lists(numbers, max_size=40))
def test_batches_count_as_numbers_one_by_one_do(values: list[float]) -> None:
    one_by_one = Quantiles()
    for value in values:
        one_by_one.add([value])

    assert same(one_by_one, counted(values))


@given(st.lists(numbers | st.sampled_from([0.0, -1.0, 5e-324, 1e300, inf, nan]), max_size=40))
def test_it_is_saved_and_loaded_whatever_was_counted(values: list[float]) -> None:
    found = counted(values)

    assert msgspec.json.decode(msgspec.json.encode(found), type=Quantiles) == found


def test_of_nothing_all_is_zero() -> None:
    found = counted([])

    assert (found.quantile(0.5), found.mean, found.least, found.most) == (0.0, 0.0, 0.0, 0.0)
    found.merge(Quantiles())
    assert found == Quantiles()


def test_numbers_that_are_none_are_left_out_and_those_out_of_range_count_as_its_ends() -> None:
    found = counted([nan, -3.0, 2.0, inf, 1e300])

    assert (found.count, found.least, found.most, found.total) == (4, 0.0, LARGEST, 2 * LARGEST + 2)
    assert found.quantile(0) <= SMALLEST
    assert found.quantile(0.34) == pytest.approx(2.0, rel=ACCURACY)
    assert found.quantile(1) == pytest.approx(LARGEST, rel=ACCURACY)
    assert counted([nan]) == Quantiles()


def test_zeros_are_told_as_zero_or_next_to_it() -> None:
    assert counted([0.0, 0.0]).quantile(0.5) == 0.0
    assert counted([0.0, 0.0, 5.0]).quantile(0.5) <= SMALLEST


def test_there_are_never_more_than_so_many_buckets() -> None:
    found = Quantiles()
    found.add(10 ** (power / 300) for power in range(-6_000, 6_000))

    assert len(found.buckets) == 2_074
    assert found.count == 12_000


@pytest.mark.parametrize("bucket", ["-1037", "1038", "1e9"])
def test_buckets_that_are_none_are_refused(bucket: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(msgspec.json.encode({"buckets": {bucket: 1}}), type=Quantiles)
