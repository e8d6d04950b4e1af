"""Parts that are numbers: padded, fixed-point, of any size, or plain text where order does not matter.

Negative numbers carry `-` and the complement of their digits, so that the smaller one sorts first.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, TypeAlias

from tablewright.errors import KeyTemplateError, KeyValueError, NumberError
from tablewright.values.keycodec.parts.base import PartCodec, not_written_here, wrong_type
from tablewright.values.numbers import canonical_number, format_number

Number: TypeAlias = int | Decimal

_DIGITS = frozenset("0123456789")
_COMPLEMENT = str.maketrans("0123456789", "9876543210")


class _NumberPart(PartCodec):
    """The limits that a field declares, kept on both ways."""

    def __init__(self, *, whole: bool, ge: Number | None, le: Number | None) -> None:
        self.kind = "an integer" if whole else "a number"
        self.whole = whole
        self.ge = ge
        self.le = le
        self.signed = ge is None or ge < 0

    def _number(self, value: Any) -> Number:
        """The value as exactly int or Decimal within the declared limits; a bool is neither."""
        if value.__class__ is not int:
            if isinstance(value, bool) or not isinstance(value, int if self.whole else (int, Decimal)):
                raise wrong_type(self.kind, value)
            if isinstance(value, Decimal):
                if not value.is_finite():
                    raise KeyValueError("NaN and Infinity cannot stand in a key.", constraint="finite")
            else:
                value = int(value)
        self._check_limits(value)
        return value  # type: ignore[no-any-return]

    def _check_limits(self, value: Number) -> None:
        if (self.ge is not None and value < self.ge) or (self.le is not None and value > self.le):
            raise KeyValueError("is outside the range that the field declares.", constraint="range")

    def _above_floor(self, value: Number) -> bool:
        return self.ge is None or value >= self.ge


class PaddedIntPart(_NumberPart):
    """An integer padded with zeros to a declared width: 42 in six digits is `000042`, -1 is `-999998`."""

    discrete = True

    def __init__(self, width: int, *, ge: Number | None = None, le: Number | None = None) -> None:
        super().__init__(whole=True, ge=ge, le=le)
        if width < 1:
            raise KeyTemplateError("A width must be at least one digit.", hint="Write {field:06} for six digits.")
        self.width = width
        self.fixed_width = None if self.signed else width
        self.max_bytes = width + self.signed
        self.alphabet = _DIGITS | {"-"} if self.signed else _DIGITS
        self._limit = 10**width
        self._format = f"0{width}d"

    def encode(self, value: Any) -> str:
        number = self._number(value)
        if 0 <= number < self._limit:
            return format(number, self._format)
        if -self._limit < number < 0:
            return "-" + format(-number, self._format).translate(_COMPLEMENT)
        raise KeyValueError(
            f"does not fit into the declared {self.width} digits.",
            constraint="width",
            hint="Declare a larger width; keys that are stored already keep their old form until they are rewritten.",
        )

    def decode(self, text: str) -> int:
        negative = text.startswith("-")
        digits = text[1:] if negative else text
        if len(digits) != self.width or not _DIGITS.issuperset(digits):
            raise not_written_here(self.kind)
        value = -int(digits.translate(_COMPLEMENT)) if negative else int(digits)
        if negative and not value:
            raise not_written_here(self.kind)
        self._check_limits(value)
        return value

    def before(self, value: Any) -> int | None:
        smaller = int(value) - 1
        return smaller if smaller > -self._limit and self._above_floor(smaller) else None


class FixedPointPart(_NumberPart):
    """A number with declared digits before and after the point: 129.95 in 6.2 is `000129.95`. Nothing is rounded."""

    discrete = True
    required = frozenset(".")

    def __init__(self, width: int, fraction: int, *, ge: Number | None = None, le: Number | None = None) -> None:
        super().__init__(whole=False, ge=ge, le=le)
        if width < 1 or fraction < 1:
            raise KeyTemplateError(
                "A fixed-point form needs at least one digit before and one after the point.",
                hint="Write {field:8.2} for eight and two.",
            )
        self.width = width
        self.fraction = fraction
        length = width + 1 + fraction
        self.fixed_width = None if self.signed else length
        self.max_bytes = length + self.signed
        self.alphabet = _DIGITS | ({".", "-"} if self.signed else {"."})
        self._limit = 10 ** (width + fraction)
        self._format = f"0{width + fraction}d"

    def encode(self, value: Any) -> str:
        negative, digits = self._digits(value)
        if negative:
            digits = digits.translate(_COMPLEMENT)
        return f"{'-' if negative else ''}{digits[: self.width]}.{digits[self.width :]}"

    def _digits(self, value: Any) -> tuple[bool, str]:
        """Sign and all declared digits, without the point."""
        text = _storable(self._number(value))
        negative = text[0] == "-"
        whole, _, fraction = (text[1:] if negative else text).partition(".")
        if len(whole) > self.width:
            raise KeyValueError(
                f"does not fit into the declared {self.width} digits before the point.",
                constraint="width",
                hint="Declare more digits.",
            )
        if len(fraction) > self.fraction:
            raise KeyValueError(
                f"has more than the declared {self.fraction} digits after the point.",
                constraint="fraction",
                hint="Round it where you decide how, or declare more digits.",
            )
        return negative, whole.zfill(self.width) + fraction.ljust(self.fraction, "0")

    def _value(self, units: int) -> Decimal:
        return Decimal((int(units < 0), tuple(map(int, str(abs(units)))), -self.fraction))

    def decode(self, text: str) -> Decimal:
        negative = text.startswith("-")
        whole, _, fraction = (text[1:] if negative else text).partition(".")
        digits = whole + fraction
        if len(whole) != self.width or len(fraction) != self.fraction or not _DIGITS.issuperset(digits):
            raise not_written_here(self.kind)
        units = -int(digits.translate(_COMPLEMENT)) if negative else int(digits)
        value = self._value(units)
        # Refuses a negative zero, and more digits than a number can have.
        if self.encode(value) != text:
            raise not_written_here(self.kind)
        return value

    def before(self, value: Any) -> Decimal | None:
        negative, digits = self._digits(value)
        units = (-int(digits) if negative else int(digits)) - 1
        smaller = self._value(units)
        return smaller if units > -self._limit and self._above_floor(smaller) else None


_LONGEST_NUMBER = 172
_LONG_FROM = 26
_positive = re.compile(r"([a-y]|z[0-9]{3})([0-9]+(?:\.[0-9]+)?)").fullmatch
_negative = re.compile(r"-([b-z]|a[0-9]{3})([0-9]+(?:\.[0-9]+)?)~").fullmatch


class NumberPart(_NumberPart):
    """A number of any size that DynamoDB can hold, ordered: its count of integer digits as a letter, then the number.

    5 is `a5`, 42 is `b42`, 129.95 is `c129.95`, 0.05 is `a0.05`. From 26 integer digits on, `z` and three digits give
    the count. Negative numbers are `-`, the letter from the other end, complemented digits and a closing `~`: -42 is
    `-y57~`.
    """

    max_bytes = _LONGEST_NUMBER

    def __init__(self, *, whole: bool = False, ge: Number | None = None, le: Number | None = None) -> None:
        super().__init__(whole=whole, ge=ge, le=le)
        self.alphabet = _DIGITS | frozenset("abcdefghijklmnopqrstuvwxyz")
        if self.signed:
            self.alphabet |= frozenset("-~")
        if not whole:
            self.alphabet |= frozenset(".")

    def encode(self, value: Any) -> str:
        text = _storable(self._number(value))
        if text[0] != "-":
            return _letter(text) + text
        text = text[1:]
        return f"-{_letter_from_end(text)}{text.translate(_COMPLEMENT)}~"

    def decode(self, text: str) -> Number:
        found = _positive(text)
        if found is not None:
            plain = found[2]
        else:
            found = _negative(text)
            if found is None:
                raise not_written_here(self.kind)
            plain = "-" + found[2].translate(_COMPLEMENT)
        if self.whole and "." in plain:
            raise not_written_here(self.kind)
        value: Number = int(plain) if self.whole else Decimal(plain)
        # Numbers have one text each, so this refuses padded, mis-counted and overlong ones alike.
        if self.encode(value) != text:
            raise not_written_here(self.kind)
        return value


def _integer_digits(text: str) -> int:
    point = text.find(".")
    return len(text) if point < 0 else point


def _letter(text: str) -> str:
    length = _integer_digits(text)
    return chr(ord("a") - 1 + length) if length < _LONG_FROM else f"z{length:03d}"


def _letter_from_end(text: str) -> str:
    length = _integer_digits(text)
    return chr(ord("z") + 1 - length) if length < _LONG_FROM else f"a{999 - length:03d}"


class PlainNumberPart(_NumberPart):
    """A number as its plain text, for places where order does not matter: partition keys, adopted tables."""

    ordered = False
    max_bytes = _LONGEST_NUMBER

    def __init__(self, *, whole: bool = True, ge: Number | None = None, le: Number | None = None) -> None:
        super().__init__(whole=whole, ge=ge, le=le)
        self.alphabet = _DIGITS
        if self.signed:
            self.alphabet |= frozenset("-")
        if not whole:
            self.alphabet |= frozenset(".")

    def encode(self, value: Any) -> str:
        return _storable(self._number(value))

    def decode(self, text: str) -> Number:
        try:
            canonical = canonical_number(text)
        except NumberError:
            canonical = ""
        if canonical != text or not text or (self.whole and "." in text):
            raise not_written_here(self.kind)
        value: Number = int(text) if self.whole else Decimal(text)
        self._check_limits(value)
        return value


def _storable(value: Number) -> str:
    try:
        return format_number(value)
    except NumberError as error:
        raise KeyValueError(f"cannot stand in a key: {error.message}.", constraint="number") from None
