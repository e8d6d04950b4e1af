"""What DynamoDB counts: bytes of values and items, and the capacity units they cost. Reads wire values only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablewright.values.numbers import is_canonical, take_apart
from tablewright.values.types import AttributeValue

MAX_ITEM_SIZE = 409_600
LARGE_ITEM = 100 * 1024
"""From this size on an item costs a hundred write units and more, which is hardly ever what was meant."""
MAX_PARTITION_KEY = 2048
MAX_SORT_KEY = 1024
READ_UNIT = 4096
WRITE_UNIT = 1024
PARTITION_READS = 3000
"""Read units that one partition bears in a second."""
PARTITION_WRITES = 1000
"""Write units that one partition bears in a second."""

DOCUMENT_OVERHEAD = 3
"""Bytes of a list or a map besides its members."""
ELEMENT_OVERHEAD = 1
"""Bytes of each member of a list or a map besides itself."""
_MAX_NUMBER_SIZE = 21
_SAFE_DIGITS = 38


def number_size(text: str) -> int:
    """Bytes of a number: one, plus one per pair of digits counted outwards from the point, plus one if negative.

    DynamoDB stores base-100 digits aligned at the decimal point, without leading or trailing zero pairs: 2100 takes
    one pair, 21000 two, 1.5 two, 0.015 two. No number takes more than 21 bytes.
    """
    if text.isdecimal() and text[0] != "0":
        length = len(text)
        return 1 + (length + 1) // 2 - (length - len(text.rstrip("0"))) // 2
    negative, digits, point = take_apart(text)
    if not digits:
        return 1
    first = (point + 1) // 2
    last = (point - len(digits)) // 2
    return min(_MAX_NUMBER_SIZE, 1 + first - last + negative)


def canonical_size(text: str) -> int:
    """As number_size where the text is canonical and short enough to break no limit, and 0 where it has to be looked at."""
    if text.isdigit():
        if text[0] != "0" != text[-1] and len(text) <= _SAFE_DIGITS and text.isascii():
            return 1 + (len(text) + 1) // 2
    else:
        whole, _, fraction = text.partition(".")
        if (
            whole.isdigit()
            and fraction.isdigit()
            and fraction[-1] != "0"
            and len(text) <= _SAFE_DIGITS
            and text.isascii()
        ):
            if whole[0] != "0":
                return 1 + (len(whole) + 1) // 2 + (len(fraction) + 1) // 2
            if whole == "0" and fraction[0] != "0":
                return 1 + (len(fraction) + 1) // 2
    return number_size(text) if is_canonical(text) else 0


def binary_size(text: str) -> int:
    """Raw bytes behind base64 text."""
    return len(text) // 4 * 3 - text.count("=", -2)


def text_size(text: str) -> int:
    """Bytes of a string in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def attribute_size(av: AttributeValue) -> int:
    """Bytes of one value by DynamoDB's rules, without its name."""
    for tag, value in av.items():
        return _SIZES[tag](value)
    return 0


def item_size(item: Mapping[str, AttributeValue]) -> int:
    """Bytes of an item by DynamoDB's rules: names and values."""
    total = 0
    for name, av in item.items():
        total += len(name) if name.isascii() else text_size(name)
        for tag, value in av.items():
            # Strings are most of every item.
            if tag == "S" and value.isascii():
                total += len(value)
            else:
                total += _SIZES[tag](value)
    return total


def _list_size(elements: Sequence[AttributeValue]) -> int:
    total = DOCUMENT_OVERHEAD + ELEMENT_OVERHEAD * len(elements)
    for element in elements:
        for tag, value in element.items():
            total += _SIZES[tag](value)
    return total


def _map_size(members: Mapping[str, AttributeValue]) -> int:
    return DOCUMENT_OVERHEAD + ELEMENT_OVERHEAD * len(members) + item_size(members)


def _one_byte(_: bool) -> int:
    return 1


_SIZES: Mapping[str, Callable[[Any], int]] = {
    "S": text_size,
    "N": number_size,
    "B": binary_size,
    "BOOL": _one_byte,
    "NULL": _one_byte,
    "L": _list_size,
    "M": _map_size,
    "SS": lambda members: sum(map(text_size, members)),
    "NS": lambda members: sum(map(number_size, members)),
    "BS": lambda members: sum(map(binary_size, members)),
}


def read_units(size: int, consistent: bool = False, transactional: bool = False) -> float:
    """Read capacity units for `size` bytes: one per 4 KB, half of it when eventually consistent, double in a
    transaction. Reading nothing still costs the smallest read."""
    blocks = max(1, -(-size // READ_UNIT))
    if transactional:
        return blocks * 2.0
    return float(blocks) if consistent else blocks / 2


def write_units(size: int, transactional: bool = False) -> float:
    """Write capacity units for `size` bytes: one per KB, at least one, double in a transaction."""
    blocks = max(1, -(-size // WRITE_UNIT))
    return blocks * 2.0 if transactional else float(blocks)
