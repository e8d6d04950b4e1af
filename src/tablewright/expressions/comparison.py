"""How DynamoDB compares stored values: by type first, numbers by value, sets without order, documents in depth."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Hashable
from decimal import Decimal
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any

from tablewright.errors import NumberError
from tablewright.values.numbers import canonical_number, is_canonical
from tablewright.values.types import AttributeValue

ORDERS: dict[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}

# A filter meets the same operands at every item.
number = lru_cache(maxsize=4096)(Decimal)


def binary(text: str) -> bytes:
    """The bytes of a B value."""
    return b64decode(text)


def equal(left: AttributeValue, right: AttributeValue) -> bool:
    """Whether two values are the same to DynamoDB; values of different types never are."""
    if left == right:
        return True
    for tag, a in left.items():
        if tag not in right:
            return False
        b = right[tag]
        if tag == "N":
            return not (is_canonical(a) and is_canonical(b)) and number(a) == number(b)
        if tag == "B":
            return binary(a) == binary(b)
        if tag == "L":
            return len(a) == len(b) and all(map(equal, a, b))
        if tag == "M":
            return a.keys() == b.keys() and all(equal(value, b[name]) for name, value in a.items())
        if tag in ("SS", "NS", "BS"):
            return form(left) == form(right)
    return False


def form(value: AttributeValue) -> Hashable:
    """What two values have in common exactly when they are equal; for one that is compared with many."""
    for tag, content in value.items():
        if tag == "S":
            return f"S{content}"
        if tag == "N":
            return _number_form(content)
        if tag == "B":
            return tag, binary(content)
        if tag == "L":
            return tag, tuple(map(form, content))
        if tag == "M":
            return tag, frozenset([(name, form(inner)) for name, inner in content.items()])
        if tag == "SS":
            return tag, frozenset(content)
        if tag == "NS":
            return tag, frozenset(map(_number_form, content))
        if tag == "BS":
            return tag, frozenset(map(binary, content))
        return tag, content
    return None


def _number_form(text: str) -> Hashable:
    if is_canonical(text):
        return "N" + text
    try:
        return "N" + canonical_number(text)
    except NumberError:
        # No table holds such a number, but a condition may be tried on any item.
        return Decimal(text)


def orderable(value: AttributeValue) -> tuple[str, Any]:
    """The type of a value and what is compared for its order; no type for what has none.

    Python orders str by code point, which is the order of the UTF-8 bytes that DynamoDB compares.
    """
    for tag, content in value.items():
        if tag == "N":
            return tag, number(content)
        if tag == "S":
            return tag, content
        if tag == "B":
            return tag, binary(content)
    return "", None


def ordered(left: AttributeValue, right: AttributeValue, op: str) -> bool:
    """left op right for <, <=, > and >=; false where the types differ or have no order."""
    for tag, a in left.items():
        if tag not in right:
            return False
        b = right[tag]
        if tag == "N":
            return ORDERS[op](number(a), number(b))
        if tag == "S":
            return ORDERS[op](a, b)
        if tag == "B":
            return ORDERS[op](binary(a), binary(b))
    return False


def contains(container: AttributeValue, member: AttributeValue) -> bool:
    """contains(): a part of a string or binary, or an element of a set or list."""
    for tag, value in container.items():
        if tag == "L":
            return member in value or ("S" not in member and any(equal(element, member) for element in value))
        if tag in ("S", "SS"):
            return "S" in member and member["S"] in value
        if tag == "NS":
            return "N" in member and (member["N"] in value or _number_form(member["N"]) in map(_number_form, value))
        if tag == "B":
            return "B" in member and binary(member["B"]) in binary(value)
        if tag == "BS":
            return "B" in member and (member["B"] in value or binary(member["B"]) in map(binary, value))
    return False


def elements(container: AttributeValue) -> frozenset[Hashable] | None:
    """The forms of all that a list or set contains; None for what contains its parts otherwise."""
    for tag, value in container.items():
        if tag == "L":
            return frozenset(map(form, value))
        if tag == "SS":
            return frozenset(["S" + text for text in value])
        if tag == "NS":
            return frozenset(map(_number_form, value))
        if tag == "BS":
            return frozenset([("B", binary(text)) for text in value])
    return None


def begins_with(value: AttributeValue, prefix: AttributeValue) -> bool:
    """begins_with(): for strings and binaries."""
    if "S" in value:
        return "S" in prefix and value["S"].startswith(prefix["S"])
    if "B" in value:
        return "B" in prefix and binary(value["B"]).startswith(binary(prefix["B"]))
    return False


def size(value: AttributeValue) -> int | None:
    """size(): UTF-16 units of a string, bytes of a binary, elements of the rest; numbers and flags have none."""
    for tag, content in value.items():
        if tag == "S":
            return len(content) if content.isascii() else len(content.encode("utf-16-le", "surrogatepass")) // 2
        if tag == "B":
            return len(binary(content))
        if tag in ("N", "BOOL", "NULL"):
            return None
        return len(content)
    return None
