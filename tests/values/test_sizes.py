"""Sizes as DynamoDB counts them."""

from base64 import b64encode
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.values import attribute_size, item_size, read_units, write_units
from tablewright.values.sizes import number_size

# Measured on the service by the item that just fits into 400 KB, the rest on DynamoDB Local in the same way.
NUMBER_SIZES = [
    ("0", 1),
    ("-0", 1),
    ("1", 2),
    ("12", 2),
    ("123", 3),
    ("1234", 3),
    ("12345678901234567890123456789012345678", 20),
    ("0042", 2),
    ("100", 2),
    ("1010", 3),
    ("2100", 2),
    ("21000", 3),
    ("0.0000001", 2),
    ("1E125", 2),
    ("1E-100", 2),
    ("1.5", 3),
    ("15", 2),
    ("1.200", 3),
    ("1.234", 4),
    ("1.05", 3),
    ("1.005", 4),
    ("3.14159", 5),
    ("123456", 4),
    ("100.5", 4),
    ("0.15", 2),
    ("0.015", 3),
    ("0.0015", 2),
    ("10000.00005", 7),
    ("-4", 3),
    ("-42", 3),
    ("-1.5", 4),
    ("-" + "9" * 38, 21),
    ("1." + "2" * 37, 21),
    ("-1." + "2" * 37, 21),
]


@pytest.mark.parametrize(("text", "size"), NUMBER_SIZES)
def test_a_number_costs_a_byte_for_each_pair_of_digits(text: str, size: int) -> None:
    assert number_size(text) == size
    assert attribute_size({"N": text}) == size


def pairs_from_the_point(text: str) -> int:
    """The size by counting base-100 digits one by one."""
    _, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    positions = {(exponent + place) // 2 for place, digit in enumerate(reversed(digits)) if digit}
    if not positions:
        return 1
    return min(21, 1 + max(positions) - min(positions) + 1 + text.startswith("-"))


@given(st.text("0123456789", min_size=1, max_size=19), st.text("0123456789", max_size=19), st.booleans())
def test_number_sizes_agree_with_counting(whole: str, fraction: str, negative: bool) -> None:
    text = f"{'-' if negative else ''}{whole}.{fraction}"
    assert number_size(text) == pairs_from_the_point(text)
    if not fraction and not negative:
        assert number_size(whole) == pairs_from_the_point(whole)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "é😀"}, 6),
        ({"B": ""}, 0),
        ({"B": "YWI="}, 2),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"L": []}, 3),
        ({"M": {}}, 3),
        ({"L": [{"S": ""}]}, 4),
        ({"L": [{"S": "a"}, {"S": "b"}]}, 7),
        ({"M": {"a": {"S": "b"}}}, 6),
        ({"M": {"a": {"L": [{"BOOL": True}]}}}, 10),
        ({"SS": ["a", "bc"]}, 3),
        ({"NS": ["1", "-2"]}, 5),
        ({"BS": ["YQ==", "YWI="]}, 3),
    ],
    ids=repr,
)
def test_values_have_the_sizes_that_the_service_counts(value: dict[str, Any], size: int) -> None:
    assert attribute_size(value) == size
    assert item_size({"né": value}) == 3 + size


@given(st.binary())
def test_binary_counts_raw_bytes(raw: bytes) -> None:
    assert attribute_size({"B": b64encode(raw).decode()}) == len(raw)


@given(st.dictionaries(st.text(), st.text().map(lambda text: {"S": text})))
def test_an_item_is_the_sum_of_names_and_values(item: dict[str, Any]) -> None:
    assert item_size(item) == sum(len(name.encode()) + len(value["S"].encode()) for name, value in item.items())


def test_nothing_has_no_size() -> None:
    assert attribute_size({}) == 0
    assert item_size({}) == 0


@pytest.mark.parametrize(
    ("size", "eventual", "consistent", "transactional", "write"),
    [
        (0, 0.5, 1, 2, 1),
        (1, 0.5, 1, 2, 1),
        (1024, 0.5, 1, 2, 1),
        (1025, 0.5, 1, 2, 2),
        (4096, 0.5, 1, 2, 4),
        (4097, 1, 2, 4, 5),
        (409_600, 50, 100, 200, 400),
    ],
)
def test_capacity_units(size: int, eventual: float, consistent: float, transactional: float, write: float) -> None:
    assert read_units(size) == eventual
    assert read_units(size, consistent=True) == consistent
    assert read_units(size, transactional=True) == transactional
    assert write_units(size) == write
    assert write_units(size, transactional=True) == 2 * write
