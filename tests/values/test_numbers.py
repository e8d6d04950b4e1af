"""DynamoDB's numbers: exact, canonical, refused in the service's own words."""

from decimal import Decimal, Inexact, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.errors import NumberError
from tablewright.values import (
    NUMBER_CONTEXT,
    add_numbers,
    canonical_number,
    format_number,
    parse_number,
    subtract_numbers,
)

TOO_MANY = "Attempting to store more than 38 significant digits in a Number"
OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
NOT_NUMERIC = "The parameter cannot be converted to a numeric value"


def storable_decimals() -> st.SearchStrategy[Decimal]:
    def build(negative: bool, digits: str, magnitude: int) -> Decimal:
        sign = "-" if negative else ""
        return Decimal(f"{sign}{digits[0]}.{digits[1:]}E{magnitude}")

    digits = st.text("0123456789", min_size=1, max_size=38).map(lambda text: text.lstrip("0") or "1")
    return st.builds(build, st.booleans(), digits, st.integers(-130, 125))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("0.000", "0"),
        ("0e125", "0"),
        ("5", "5"),
        ("+5", "5"),
        ("00042", "42"),
        ("0042.1200", "42.12"),
        (".5", "0.5"),
        ("5.", "5"),
        ("-.5", "-0.5"),
        ("1E5", "100000"),
        ("1e+5", "100000"),
        ("1.5e-3", "0.0015"),
        ("12.5e1", "125"),
        ("1e000000000000000000000000000005", "100000"),
        ("1" * 38 + "0", "1" * 38 + "0"),
        ("1" * 38 + ".0", "1" * 38),
        ("1E125", "1" + "0" * 125),
        ("1E-130", "0." + "0" * 129 + "1"),
        ("9" * 38 + "E88", "9" * 38 + "0" * 88),
        ("３", "3"),
        ("12" * 19 + "E-100", "0." + "0" * 62 + "12" * 19),
    ],
)
def test_texts_become_what_the_service_returns(text: str, canonical: str) -> None:
    assert canonical_number(text) == canonical
    assert canonical_number(canonical) == canonical
    assert parse_number(text) == Decimal(canonical)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NOT_NUMERIC),
        ("abc", f"{NOT_NUMERIC}: abc"),
        (" 1", f"{NOT_NUMERIC}:  1"),
        ("1 ", f"{NOT_NUMERIC}: 1 "),
        ("1\n", f"{NOT_NUMERIC}: 1\n"),
        ("1_000", f"{NOT_NUMERIC}: 1_000"),
        ("1.2.3", f"{NOT_NUMERIC}: 1.2.3"),
        ("0x10", f"{NOT_NUMERIC}: 0x10"),
        ("1e", f"{NOT_NUMERIC}: 1e"),
        ("--1", f"{NOT_NUMERIC}: --1"),
        (".", f"{NOT_NUMERIC}: ."),
        ("²", f"{NOT_NUMERIC}: ²"),
        ("NaN", f"{NOT_NUMERIC}: NaN"),
        ("Infinity", f"{NOT_NUMERIC}: Infinity"),
        ("1e9223372036854775808", f"{NOT_NUMERIC}: 1e9223372036854775808"),
        ("1e" + "9" * 5000, f"{NOT_NUMERIC}: 1e{'9' * 5000}"),
        ("1e126", OVERFLOW),
        ("-1e126", OVERFLOW),
        ("1e99999999999", OVERFLOW),
        ("1e9223372036854775807", OVERFLOW),
        ("0e126", OVERFLOW),
        ("1e-131", UNDERFLOW),
        ("9.9e-131", UNDERFLOW),
        ("1e-99999999999", UNDERFLOW),
        ("0e-131", UNDERFLOW),
        ("1" * 39, TOO_MANY),
        ("0." + "1" * 39, TOO_MANY),
        ("-1.23456789012345678901234567890123456789", TOO_MANY),
    ],
)
def test_texts_are_refused_in_the_services_words(text: str, message: str) -> None:
    for function in (canonical_number, parse_number):
        with pytest.raises(NumberError) as caught:
            function(text)
        assert caught.value.message == message


@given(storable_decimals())
def test_decimals_come_back_exactly_and_have_one_text(value: Decimal) -> None:
    text = format_number(value)
    assert parse_number(text) == value
    assert canonical_number(text) == text
    assert canonical_number(str(value)) == text
    assert canonical_number(f"{value:e}") == text
    assert "E" not in text.upper()
    assert format_number(parse_number(text)) == text


@given(st.integers(-(10**38) + 1, 10**38 - 1))
def test_integers_come_back_as_their_own_text(value: int) -> None:
    assert format_number(value) == str(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (10**126, OVERFLOW),
        pytest.param(-(10**5000), OVERFLOW, id="beyond printing"),
        (int("1" * 39), TOO_MANY),
        (Decimal("1E126"), OVERFLOW),
        (Decimal("1E-131"), UNDERFLOW),
        (Decimal("1." + "1" * 38), TOO_MANY),
        (Decimal("NaN"), "NaN and Infinity cannot be stored as numbers."),
        (Decimal("sNaN"), "NaN and Infinity cannot be stored as numbers."),
        (Decimal("-Infinity"), "NaN and Infinity cannot be stored as numbers."),
        (True, "A bool is not a number."),
        (1.5, "A float is not an exact number."),
        ("1", "A str is not an exact number."),
    ],
)
def test_python_numbers_that_cannot_be_held_are_refused(value: int | Decimal, message: str) -> None:
    with pytest.raises(NumberError) as caught:
        format_number(value)
    assert caught.value.message == message


def test_zero_has_one_text_whatever_its_exponent() -> None:
    assert {format_number(Decimal(text)) for text in ("0", "-0", "0E+500", "0E-500", "0.00")} == {"0"}


def test_numbers_between_38_digits_and_the_largest_are_held() -> None:
    assert format_number(10**125) == "1" + "0" * 125


@given(storable_decimals(), storable_decimals())
def test_sums_are_exact_or_refused(left: Decimal, right: Decimal) -> None:
    with localcontext() as context:
        context.prec = 400
        total, difference = (left + right).normalize(), (left - right).normalize()
    for function, expected in ((add_numbers, total), (subtract_numbers, difference)):
        digits = len(expected.as_tuple().digits)
        try:
            result = function(format_number(left), format_number(right))
        except NumberError:
            assert digits > 38 or not -130 <= expected.adjusted() <= 125
        else:
            assert Decimal(result) == expected
            assert canonical_number(result) == result


def test_sums_refuse_what_would_be_rounded() -> None:
    with pytest.raises(NumberError, match="38 significant digits"):
        add_numbers("1e37", "0.1")
    with pytest.raises(NumberError, match="overflow"):
        add_numbers("9e125", "9e125")
    with pytest.raises(NumberError, match="underflow"):
        subtract_numbers("1.5e-130", "1e-130")
    assert subtract_numbers("1.2345e-130", "1.2345e-130") == "0"
    assert add_numbers("9" * 38, "1") == "1" + "0" * 38


def test_arithmetic_in_the_context_never_rounds() -> None:
    with pytest.raises(Inexact):
        NUMBER_CONTEXT.divide(Decimal(1), Decimal(3))
    assert NUMBER_CONTEXT.add(Decimal("1E-130"), Decimal("1E-130")) == Decimal("2E-130")


@pytest.mark.parametrize(
    "text", ["1" * 300_000 + "x", "1." + "1" * 300_000 + "x", "." + "1" * 300_000 + "e", "1e" + "1" * 300_000]
)
def test_a_long_text_that_is_no_number_is_refused_at_once(text: str) -> None:
    with pytest.raises(NumberError):
        parse_number(text)
