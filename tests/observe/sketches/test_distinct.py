"""How many different keys there were, told for many kinds of keys, from none to a hundred thousand."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from math import sqrt
from random import Random
from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.observe.sketches.distinct import Distinct

ERROR = 1.04 / sqrt(8192)
"""The error in the mean square that a HyperLogLog of so many registers has."""

FAMILIES: dict[str, Callable[[int, int], str]] = {
    "sequence": lambda run, n: f"CUSTOMER#{run * 1_000_000 + n:09d}",
    "number": lambda run, n: str(run * 1_000_000 + n),
    "uuid": lambda run, n: str(UUID(bytes=sha256(f"{run} {n}".encode()).digest()[:16])),
    "email": lambda run, n: f"user{n}@mail{run}.example.com",
    "tenant": lambda run, n: f"TENANT#{n % 50}#ORDER#{run}-{n // 50:06d}",
}

texts = st.lists(st.text(st.characters(), max_size=8), max_size=60)


def counted(keys: list[str]) -> Distinct:
    found = Distinct()
    found.add(keys)
    return found


def errors(family: str, number: int, runs: int) -> list[float]:
    key = FAMILIES[family]
    return [counted([key(run, n) for n in range(number)]).estimate / number - 1 for run in range(runs)]


def root_mean_square(of: list[float]) -> float:
    return sqrt(sum(e * e for e in of) / len(of))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("number", "runs"), [(200, 40), (12_000, 6)])
def test_the_estimate_is_near_for_every_kind_of_key(family: str, number: int, runs: int) -> None:
    found = errors(family, number, runs)

    # Four standard errors, of the mean and of a single one.
    assert abs(sum(found) / runs) < 4 * ERROR / sqrt(runs)
    assert max(map(abs, found)) < 4 * ERROR


@pytest.mark.full
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("number", "runs"), [(3_000, 60), (20_000, 30), (45_000, 20), (1_000_000, 3)])
def test_the_estimate_is_unbiased_over_its_whole_range(family: str, number: int, runs: int) -> None:
    found = errors(family, number, runs)

    assert abs(sum(found) / runs) < 4 * ERROR / sqrt(runs)
    assert root_mean_square(found) < ERROR * (1 + 4 / sqrt(2 * runs))


def test_of_nothing_there_is_nothing() -> None:
    assert Distinct().estimate == 0


@pytest.mark.parametrize("number", [1, 2, 3, 5, 10])
def test_few_keys_are_counted_exactly(number: int) -> None:
    assert counted([f"USER#{n}" for n in range(number)]).estimate == number


def test_more_keys_than_there_can_be_are_still_a_number() -> None:
    assert Distinct(bytearray([52] * 8192)).estimate > 10**18
    assert Distinct(bytearray([52] * 8191 + [0])).estimate > 10**6


@given(texts, texts)
def test_merging_is_as_if_all_had_been_counted_at_once(some: list[str], others: list[str]) -> None:
    together, there, back = counted(some + others), counted(some), counted(others)
    before = bytes(back.registers)
    there.merge(back)

    assert there == together
    assert bytes(back.registers) == before
    assert there.registers is not back.registers


@given(texts, st.randoms(use_true_random=False))
def test_neither_order_nor_batches_nor_repetition_matter(keys: list[str], random: Random) -> None:
    shuffled = keys * 2
    random.shuffle(shuffled)
    one_by_one = Distinct()
    for key in shuffled:
        one_by_one.add([key])

    assert one_by_one == counted(keys)


@given(texts)
def test_it_is_saved_and_loaded(keys: list[str]) -> None:
    found = counted(keys)

    assert msgspec.json.decode(msgspec.json.encode(found), type=Distinct) == found


@pytest.mark.parametrize("registers", [b"", bytes(4096), bytes(8193), bytes([53] * 8192)], ids=len)
def test_registers_that_are_none_are_refused(registers: bytes) -> None:
    with pytest.raises(msgspec.ValidationError, match="not the registers"):
        msgspec.json.decode(msgspec.json.encode({"registers": registers}), type=Distinct)


def test_another_process_leaves_the_same_marks() -> None:
    program = (
        "import sys; from tablewright.observe.sketches.distinct import Distinct; found = Distinct();"
        "found.add(f'USER#{n}' for n in range(500)); sys.stdout.buffer.write(found.registers)"
    )
    environment = {"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": "7"}
    other = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True).stdout

    assert other == counted([f"USER#{n}" for n in range(500)]).registers
