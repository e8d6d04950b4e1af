"""The heaviest keys, against weights that were added up exactly."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Sequence
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.observe.sketches.heavy import Heavy, Weight

# Halves add up exactly, as read units of DynamoDB do, so that bounds can be compared without a tolerance.
WEIGHTS = (1.0, 1.0, 1.0, 0.5, 0.0, 2.0, 9.5, 60.0)


def in_batches(drawn: bytes, size: int) -> list[dict[str, float]]:
    """A batch for each stretch of so many bytes; each byte is one of 32 keys and one of eight weights."""
    return [
        {f"key {byte >> 3}": WEIGHTS[byte & 7] for byte in drawn[at : at + size]} for at in range(0, len(drawn), size)
    ]


batches = st.builds(in_batches, st.binary(max_size=150), st.integers(1, 32))
capacities = st.integers(1, 8)


def counted(given: Sequence[dict[str, float]], capacity: int) -> Heavy:
    found = Heavy(capacity)
    for batch in given:
        found.add_all(batch)
    return found


def exact(*given: Sequence[dict[str, float]]) -> Counter[str]:
    found: Counter[str] = Counter()
    for part in given:
        for batch in part:
            found.update(batch)  # type: ignore[arg-type]
    return found


def check_promises(found: Heavy, true: Counter[str]) -> None:
    total = sum(true.values())
    assert found.total == total
    assert len(found.counts) <= 2 * found.capacity
    # Stronger than promised, and what the promise follows from: more than `capacity` keys lost that much each time.
    assert found.lost * (found.capacity + 1) <= total - sum(found.counts.values())
    for key in {*true, *found.counts, "never seen"}:
        [weight] = found.of([key])
        assert weight.count - weight.error <= true[key] <= weight.count
        assert weight.error <= total / found.capacity
        assert (total and abs(weight.share - true[key] / total) <= 0.5 / found.capacity) or weight.share == 0
    missed = set(true) - set(found.counts)
    assert all(true[key] <= total / found.capacity for key in missed)


@given(batches, capacities)
def test_no_weight_is_off_by_more_than_promised(given: list[dict[str, float]], capacity: int) -> None:
    check_promises(counted(given, capacity), exact(given))


@given(batches, batches, batches, capacities, capacities)
def test_what_is_promised_stays_true_of_merged_ones(
    first: list[dict[str, float]], second: list[dict[str, float]], third: list[dict[str, float]], some: int, other: int
) -> None:
    whole, part = counted(first, some), counted(second, other)
    before = copy.deepcopy(part)
    whole.merge(part)
    assert part == before
    check_promises(whole, exact(first, second))

    for batch in third:
        whole.add_all(batch)
    check_promises(whole, exact(first, second, third))
    assert part == before


@given(batches, capacities)
def test_merged_with_itself_everything_is_there_twice(given: list[dict[str, float]], capacity: int) -> None:
    whole = counted(given, capacity)
    whole.merge(whole)
    check_promises(whole, exact(given, given))


@given(batches, batches, capacities)
def test_of_two_either_may_be_merged_into_the_other(
    first: list[dict[str, float]], second: list[dict[str, float]], capacity: int
) -> None:
    there, back = counted(first, capacity), counted(second, capacity)
    there.merge(counted(second, capacity))
    back.merge(counted(first, capacity))

    assert there == back
    assert there.top(100) == back.top(100)


@given(batches, capacities, st.randoms(use_true_random=False))
def test_one_by_one_the_promises_are_the_same(given: list[dict[str, float]], capacity: int, random: Random) -> None:
    singles = [pair for batch in given for pair in batch.items()]
    random.shuffle(singles)
    found = Heavy(capacity)
    for key, weight in singles:
        found.add(key, weight)

    check_promises(found, exact(given))


@given(batches, capacities)
def test_it_is_saved_and_loaded(given: list[dict[str, float]], capacity: int) -> None:
    found = counted(given, capacity)

    assert msgspec.json.decode(msgspec.json.encode(found), type=Heavy) == found


def test_the_heaviest_come_first_and_equals_by_their_names() -> None:
    found = Heavy()
    found.add_all({"d": 1, "b": 2, "c": 2, "a": 1, "e": 4})

    assert [weight.key for weight in found.top()] == ["e", "b", "c", "a", "d"]
    assert found.top(1) == [Weight("e", 4.0, 0.0, 0.4)]


def test_when_all_have_the_same_all_go_and_the_next_heavy_one_is_still_seen() -> None:
    found = Heavy(4)
    found.add_all({f"key {n}": 1.0 for n in range(9)})
    assert (found.counts, found.lost, found.total) == ({}, 1.0, 9.0)

    found.add("heavy", 3.0)
    assert found.top() == [Weight("heavy", 4.0, 1.0, 3.5 / 12)]


def test_one_hot_key_is_told_among_a_hundred_thousand_others() -> None:
    found, random = Heavy(), Random(4)
    for batch in range(200):
        weights = Counter({"hot": 25})
        weights.update(f"key {batch} {random.randrange(10_000)}" for _ in range(475))
        found.add_all(weights)

    [first] = found.top(1)
    assert first.key == "hot"
    assert first.count - first.error <= 5_000 <= first.count
    assert first.share == pytest.approx(0.05, abs=1 / 512)


def test_nothing_has_no_heaviest() -> None:
    assert Heavy().top() == []
    assert Heavy().of(["a"]) == [Weight("a", 0.0, 0.0, 0.0)]


def test_a_capacity_of_none_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"capacity": 0}', type=Heavy)
