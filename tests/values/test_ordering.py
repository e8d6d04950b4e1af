"""Key bytes sort as DynamoDB sorts keys."""

from base64 import b64encode
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import FieldTypeError
from tablewright.values import format_number, key_bytes_length, sort_bytes


def build(negative: bool, digits: int, magnitude: int) -> Decimal:
    # From its parts: arithmetic would round to the digits of Python's context, up to beyond the range.
    text = str(digits)
    return Decimal((negative, tuple(map(int, text)), magnitude - len(text) + 1))


NUMBERS = st.builds(
    build, st.booleans(), st.integers(1, 10**38 - 1) | st.integers(1, 200), st.integers(-130, 125) | st.integers(-2, 3)
) | st.integers(-12, 12).map(Decimal)


@given(st.lists(NUMBERS, min_size=2))
def test_numbers_sort_by_value(numbers: list[Decimal]) -> None:
    by_bytes = sorted(numbers, key=lambda number: sort_bytes({"N": format_number(number)}))
    assert by_bytes == sorted(numbers)


@given(NUMBERS, NUMBERS)
def test_equal_bytes_mean_equal_numbers(one: Decimal, other: Decimal) -> None:
    same = sort_bytes({"N": format_number(one)}) == sort_bytes({"N": format_number(other)})
    assert same == (one == other)
    assert sort_bytes({"N": str(one)}) == sort_bytes({"N": format_number(one)})


def test_a_number_of_all_digits_stays_in_range() -> None:
    largest = build(False, 99_999_999_999_999_999_999_999_999_995_000_000_000, 125)
    assert sort_bytes({"N": format_number(largest)}) > sort_bytes({"N": "1e125"})


def test_numbers_at_the_edges_sort() -> None:
    in_order = ["-9e125", "-1e125", "-10", "-9.9", "-1", "-1e-129", "-1e-130"]
    in_order += ["0", "1e-130", "1.1e-130", "1e-129", "1", "1.0000001", "9.9", "10", "1e125", "9" * 38 + "e88"]
    encoded = [sort_bytes({"N": text}) for text in in_order]
    assert encoded == sorted(encoded)
    assert len(set(encoded)) == len(encoded)


@given(st.lists(st.text(), min_size=2))
def test_strings_sort_by_their_bytes(texts: list[str]) -> None:
    assert sorted(texts, key=lambda text: sort_bytes({"S": text})) == sorted(texts, key=str.encode)


@given(st.lists(st.binary(), min_size=2))
def test_binaries_sort_raw(raws: list[bytes]) -> None:
    assert sorted(raws, key=lambda raw: sort_bytes({"B": b64encode(raw).decode()})) == sorted(raws)


def test_key_lengths_are_counted_as_the_service_does() -> None:
    assert key_bytes_length({"S": "é"}) == 2
    assert key_bytes_length({"B": "YWI="}) == 2
    assert key_bytes_length({"N": "123"}) == 3


@pytest.mark.parametrize("value", [{"BOOL": True}, {"L": []}, {}])
def test_only_strings_numbers_and_binaries_can_be_keys(value: dict[str, object]) -> None:
    for function in (sort_bytes, key_bytes_length):
        with pytest.raises(FieldTypeError, match="string, a number or a binary"):
            function(value)
