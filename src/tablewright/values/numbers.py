"""DynamoDB's numbers: 38 significant digits, exact, as canonical text. This room never rounds and never uses float."""

from __future__ import annotations

import re
from decimal import (
    Clamped,
    Context,
    Decimal,
    DivisionByZero,
    FloatOperation,
    Inexact,
    InvalidOperation,
    Overflow,
    Subnormal,
    Underflow,
)
from typing import TypeAlias

from tablewright.errors import NumberError

MAX_DIGITS = 38
MAX_MAGNITUDE = 125
"""Exponent of the leading digit of the largest number, 9.99…E+125."""
MIN_MAGNITUDE = -130
"""Exponent of the leading digit of the smallest positive number, 1E-130."""

NUMBER_CONTEXT = Context(
    prec=MAX_DIGITS,
    Emin=MIN_MAGNITUDE,
    Emax=MAX_MAGNITUDE,
    traps=[Inexact, Overflow, Underflow, Subnormal, InvalidOperation, DivisionByZero, FloatOperation],
)
"""Arithmetic in this context either gives a number that DynamoDB can hold, or raises."""

# Wide enough that a sum of any two storable numbers is exact; the result is checked afterwards.
_EXACT = Context(prec=MAX_MAGNITUDE - MIN_MAGNITUDE + 2 * MAX_DIGITS, traps=[Inexact, InvalidOperation, Clamped])

_TOO_MANY_DIGITS = "Attempting to store more than 38 significant digits in a Number"
_OVERFLOW = "Number overflow. Attempting to store a number with magnitude larger than supported range"
_UNDERFLOW = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
_NOT_A_NUMBER = "The parameter cannot be converted to a numeric value"
_INT = 2**31

# Texts that are canonical as they stand and too short to break a limit: nearly all that a table ever sees.
is_canonical = re.compile(r"-?[1-9][0-9]{0,37}|0|-?(?:0|[1-9][0-9]{0,18})\.[0-9]{0,18}[1-9]").fullmatch
_has_zeros = re.compile(r"-?(?:0|[1-9][0-9]{0,18})\.(?:0|[0-9]{0,17}0)").fullmatch
# Possessive, so that a long text that is no number costs no more than a long one that is.
_split = re.compile(r"([+-]?)(?:(\d++)(?:\.(\d*+))?|\.(\d++))(?:[eE]([+-]?\d++))?").fullmatch


class MagnitudeError(NumberError):
    """A number too large or too small; `older` tells it in the words of the service's older checks.

    Those read a number as Java does, with a 32-bit exponent and a magnitude that wraps around in 32 bits.
    """

    def __init__(self, message: str, older: str) -> None:
        super().__init__(message, constraint="magnitude")
        self.older = older


Digits: TypeAlias = tuple[bool, str, int]
"""A number taken apart: negative or not, its digits d₁d₂d₃… without a zero at either end (empty for zero), and the
position of the point, so that the value is ± 0.d₁d₂d₃… × 10^point."""


def take_apart(text: str) -> Digits:
    """Split number text into sign, digits and position of the point, refusing what DynamoDB refuses."""
    if is_canonical(text):
        negative = text[0] == "-"
        whole, _, fraction = (text[1:] if negative else text).partition(".")
        if not fraction:
            digits = whole.rstrip("0")
            return negative, digits, len(whole) if digits else 0
        if whole == "0":
            digits = fraction.lstrip("0")
            return negative, digits, len(digits) - len(fraction)
        return negative, whole + fraction, len(whole)
    return _take_apart_any(text)


def _take_apart_any(text: str) -> Digits:
    found = _split(text)
    if found is None:
        raise NumberError(f"{_NOT_A_NUMBER}: {text}" if text else _NOT_A_NUMBER, constraint="number")
    sign, whole, fraction, bare_fraction, exponent_text = found.groups()
    if whole is None:
        whole, fraction = "", bare_fraction
    fraction = fraction or ""
    # The service reads an exponent as a 64-bit integer before it looks at the range.
    exponent = 0
    if exponent_text:
        too_long = len(exponent_text.lstrip("+-0")) > 19
        if too_long or not -(2**63) <= (exponent := int(exponent_text)) < 2**63:
            raise NumberError(f"{_NOT_A_NUMBER}: {text}", constraint="number")
    digits = (whole + fraction).lstrip("0")
    if not digits.isascii():
        digits = "".join(str(int(d)) for d in digits).lstrip("0")
    if not digits:
        # Zero is range-checked by the exponent it is written with.
        _check_magnitude(exponent - len(fraction), text, exponent, len(fraction))
        return False, "", 0
    point = len(digits) - len(fraction) + exponent
    _check_magnitude(point - 1, text, exponent, len(fraction))
    digits = digits.rstrip("0")
    if len(digits) > MAX_DIGITS:
        raise NumberError(_TOO_MANY_DIGITS, constraint="38 digits")
    return sign == "-", digits, point


def _check_magnitude(magnitude: int, text: str, exponent: int, scale: int) -> None:
    if MIN_MAGNITUDE <= magnitude <= MAX_MAGNITUDE:
        return
    newer = _OVERFLOW if magnitude > 0 else _UNDERFLOW
    older = newer
    if not -_INT < exponent < _INT or scale - exponent >= _INT:
        older = f"{_NOT_A_NUMBER}: {text}"
    elif magnitude + 1 >= _INT:
        older = _UNDERFLOW
    raise MagnitudeError(newer, older)


def canonical_number(text: str) -> str:
    """The text that DynamoDB would return for this number text, or the text itself when it is that already.

    Raises NumberError with DynamoDB's message.
    """
    if is_canonical(text):
        return text
    negative, digits, point = _take_apart_any(text)
    if not digits:
        return "0"
    sign = "-" if negative else ""
    if point <= 0:
        canonical = f"{sign}0.{'0' * -point}{digits}"
    elif point >= len(digits):
        canonical = f"{sign}{digits}{'0' * (point - len(digits))}"
    else:
        canonical = f"{sign}{digits[:point]}.{digits[point:]}"
    return text if text == canonical else canonical


def parse_number(text: str) -> Decimal:
    """The exact value of number text; raises NumberError with DynamoDB's message."""
    return Decimal(canonical_number(text))


def format_number(value: int | Decimal) -> str:
    """The canonical wire text of an exact Python number; raises NumberError for what DynamoDB cannot hold."""
    if value.__class__ is int:
        # Longer than any storable number, and past the interpreter's own limit on printing.
        if -(10**MAX_DIGITS) < value < 10**MAX_DIGITS:
            return str(value)
        if not -(10 ** (MAX_MAGNITUDE + 1)) < value < 10 ** (MAX_MAGNITUDE + 1):
            raise NumberError(_OVERFLOW, constraint="magnitude")
        return canonical_number(str(value))
    if isinstance(value, bool):
        raise NumberError("A bool is not a number.", constraint="number", hint="Store it as BOOL, or pass int(value).")
    if isinstance(value, int):
        return format_number(int(value))
    if not isinstance(value, Decimal):
        raise NumberError(
            f"A {type(value).__name__} is not an exact number.",
            constraint="number",
            hint="Use int or Decimal; Decimal(str(x)) turns a float into the decimal that it prints as.",
        )
    if not value.is_finite():
        raise NumberError("NaN and Infinity cannot be stored as numbers.", constraint="finite", hint="Store None.")
    if not value:
        return "0"
    text = str(value)
    if _has_zeros(text):  # such as 12.50, which money often is
        return text.rstrip("0").rstrip(".")
    return canonical_number(text)


def add_numbers(left: str, right: str) -> str:
    """The exact sum of two number texts as canonical text; raises NumberError when DynamoDB could not hold it."""
    return format_number(_EXACT.add(parse_number(left), parse_number(right)))


def subtract_numbers(left: str, right: str) -> str:
    """The exact difference of two number texts as canonical text; raises NumberError as add_numbers does."""
    return format_number(_EXACT.subtract(parse_number(left), parse_number(right)))
