"""The order in which DynamoDB keeps keys, as bytes that sort by themselves. For key columns of storage."""

from __future__ import annotations

from base64 import b64decode

from tablewright.errors import FieldTypeError
from tablewright.values.numbers import MAX_DIGITS, MIN_MAGNITUDE, take_apart
from tablewright.values.sizes import binary_size, number_size, text_size
from tablewright.values.types import AttributeValue

_NEGATIVE, _ZERO, _POSITIVE = b"\x01", b"\x02", b"\x03"
_COMPLEMENT = bytes(0xFF - b for b in range(256))
_ZEROS = "0" * MAX_DIGITS


def sort_bytes(av: AttributeValue) -> bytes:
    """Bytes whose order is DynamoDB's order of keys of one type, equal exactly when the values are equal.

    Strings are UTF-8, binaries raw. Numbers are a class byte, an exponent byte and the digits as packed BCD padded
    to full width; for negatives the last two are complemented.
    """
    for tag, value in av.items():
        if tag == "S":
            return value.encode()  # type: ignore[no-any-return]
        if tag == "N":
            return number_sort_bytes(value)
        if tag == "B":
            return b64decode(value)
    raise FieldTypeError(
        "A key attribute must be a string, a number or a binary value.", constraint="S, N or B", operation="key"
    )


def number_sort_bytes(text: str) -> bytes:
    """The sort_bytes of one number text."""
    negative, digits, point = take_apart(text)
    if not digits:
        return _ZERO
    body = bytes((point - 1 - MIN_MAGNITUDE,)) + bytes.fromhex((digits + _ZEROS)[:MAX_DIGITS])
    return _NEGATIVE + body.translate(_COMPLEMENT) if negative else _POSITIVE + body


def key_bytes_length(av: AttributeValue) -> int:
    """Bytes of a key value as DynamoDB counts them against its 2048 and 1024 byte limits."""
    for tag, value in av.items():
        if tag == "S":
            return text_size(value)
        if tag == "N":
            return number_size(value)
        if tag == "B":
            return binary_size(value)
    raise FieldTypeError(
        "A key attribute must be a string, a number or a binary value.", constraint="S, N or B", operation="key"
    )
