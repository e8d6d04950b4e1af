"""Python values become wire values and come back."""

from collections import OrderedDict
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import EmptySetError, FieldTypeError, NumberError
from tablewright.values import (
    check_value,
    dumps,
    from_wire,
    from_wire_item,
    loads,
    read_number,
    to_wire,
    to_wire_item,
)

NUMBERS = st.integers(-(10**37), 10**37) | st.decimals(
    allow_nan=False, allow_infinity=False, min_value=Decimal(-(10**20)), max_value=Decimal(10**20), places=6
)
SCALARS = st.text() | st.booleans() | st.none() | st.binary() | NUMBERS
SETS = st.sets(st.text(), min_size=1) | st.sets(NUMBERS, min_size=1) | st.sets(st.binary(), min_size=1)
VALUES = st.recursive(
    SCALARS | SETS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(min_size=1), inner, max_size=4),
    max_leaves=12,
)


class Colour(Enum):
    RED = "red"


class Size(IntEnum):
    BIG = 3


class Kind(StrEnum):
    A = "a"


@given(VALUES)
def test_values_come_back_equal_through_wire_and_json(value: Any) -> None:
    av = to_wire(value)
    assert check_value(av) is av
    assert from_wire(av) == value
    assert loads(dumps(av)) == av


@given(st.dictionaries(st.text(min_size=1), VALUES, max_size=5))
def test_items_come_back_equal(item: dict[str, Any]) -> None:
    assert from_wire_item(to_wire_item(item)) == item


@pytest.mark.parametrize(
    ("value", "av"),
    [
        ("a", {"S": "a"}),
        (5, {"N": "5"}),
        (Decimal("1.50"), {"N": "1.5"}),
        (b"ab", {"B": "YWI="}),
        (bytearray(b"ab"), {"B": "YWI="}),
        (True, {"BOOL": True}),
        (None, {"NULL": True}),
        ((1, "a"), {"L": [{"N": "1"}, {"S": "a"}]}),
        (OrderedDict(a=[]), {"M": {"a": {"L": []}}}),
        ({"b", "a"}, {"SS": ["a", "b"]}),
        (frozenset({10, 9, Decimal("-1.5")}), {"NS": ["-1.5", "9", "10"]}),
        ({b"b", b"a"}, {"BS": ["YQ==", "Yg=="]}),
        (Colour.RED, {"S": "red"}),
        (Size.BIG, {"N": "3"}),
        (Kind.A, {"S": "a"}),
        ({"a": {"b": {}}.keys()}, {"M": {"a": {"SS": ["b"]}}}),
    ],
    # Sets print in another order in each worker.
    ids=lambda value: repr(sorted(value)) if isinstance(value, set | frozenset) else repr(value),
)
def test_each_type_has_its_tag(value: Any, av: dict[str, Any]) -> None:
    assert to_wire(value) == av


def test_subclasses_are_written_as_their_plain_values() -> None:
    class Name(str):
        def __str__(self) -> str:
            return "something else"

    class Whole(int):
        def __str__(self) -> str:
            return "something else"

    assert to_wire(Name("a")) == {"S": "a"}
    assert to_wire({Name("a")}) == {"SS": ["a"]}
    assert to_wire(Whole(5)) == {"N": "5"}


def test_numbers_read_as_int_when_their_text_is_integral() -> None:
    assert [type(read_number(text)) for text in ("5", "-5", "1.5", "0")] == [int, int, Decimal, int]
    assert from_wire({"NS": ["1", "1.5"]}) == {1, Decimal("1.5")}
    assert type(from_wire({"N": "1" + "0" * 125})) is int


def test_floats_are_refused_unless_asked_for() -> None:
    for value in (1.5, {1.5}, [1.5]):
        with pytest.raises(NumberError, match=r"not an exact number\. Write Decimal\(str\(value\)\)"):
            to_wire(value)
    assert to_wire(0.1, allow_float=True) == {"N": "0.1"}
    assert to_wire({0.1, 2}, allow_float=True) == {"NS": ["0.1", "2"]}
    assert to_wire(1e-7, allow_float=True) == {"N": "0.0000001"}
    for value in (float("nan"), float("inf"), 1e300):
        with pytest.raises(NumberError):
            to_wire(value, allow_float=True)


def test_what_has_no_wire_form_is_refused() -> None:
    with pytest.raises(EmptySetError):
        to_wire(set())
    with pytest.raises(FieldTypeError, match="only strings, only numbers or only bytes"):
        to_wire({"a", 1})
    with pytest.raises(FieldTypeError, match="only strings, only numbers or only bytes"):
        to_wire({True})
    with pytest.raises(FieldTypeError, match="object has no DynamoDB form"):
        to_wire(object())
    with pytest.raises(FieldTypeError, match="lone surrogate"):
        to_wire("a\ud800")
    with pytest.raises(FieldTypeError, match="names must be strings"):
        to_wire({1: "a"})
    with pytest.raises(FieldTypeError, match="Empty attribute name"):
        to_wire({"": "a"})


def test_depth_is_limited_and_cycles_end() -> None:
    value: list[Any] = []
    for _ in range(30):
        value = [value]
    assert from_wire(to_wire(value)) == value
    with pytest.raises(FieldTypeError, match="Nesting Levels"):
        to_wire([value])
    value = []
    value.append({"again": value})
    with pytest.raises(FieldTypeError, match="Nesting Levels"):
        to_wire(value)


def test_errors_in_an_item_name_the_attribute_and_hide_the_value() -> None:
    with pytest.raises(NumberError) as caught:
        to_wire_item({"ok": 1, "price": [{"deep": 12.75}]})
    assert caught.value.field == "price"
    assert "12.75" not in str(caught.value)


def test_json_that_cannot_be_read_or_written_is_refused() -> None:
    for data in (b"{", b"\xff", b'{"a": "\xff"}', b'"\\ud800"'):
        with pytest.raises(FieldTypeError):
            loads(data)
    with pytest.raises(FieldTypeError, match="lone surrogate"):
        dumps({"S": "\ud800"})


def test_an_empty_value_cannot_be_read() -> None:
    with pytest.raises(FieldTypeError, match="empty"):
        from_wire({})
