"""How DynamoDB compares stored values: by type first, numbers by value, sets without order, documents in depth."""

from __future__ import annotations

from base64 import b64decode
from decimal import Decimal
from typing import Any

from tablewright.values.types import AttributeValue


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
            return Decimal(a) == Decimal(b)
        if tag == "B":
            return binary(a) == binary(b)
        if tag == "L":
            return len(a) == len(b) and all(map(equal, a, b))
        if tag == "M":
            return a.keys() == b.keys() and all(equal(value, b[name]) for name, value in a.items())
        if tag == "SS":
            return set(a) == set(b)
        if tag == "NS":
            return set(map(Decimal, a)) == set(map(Decimal, b))
        if tag == "BS":
            return set(map(binary, a)) == set(map(binary, b))
    return False


def ordered(left: AttributeValue, right: AttributeValue, op: str) -> bool:
    """left op right for <, <=, > and >=; false where the types differ or have no order.

    Python orders str by code point, which is the order of the UTF-8 bytes that DynamoDB compares.
    """
    for tag, value in left.items():
        if tag not in right:
            return False
        a: Any
        b: Any
        if tag == "S":
            a, b = value, right["S"]
        elif tag == "N":
            a, b = Decimal(value), Decimal(right["N"])
        elif tag == "B":
            a, b = binary(value), binary(right["B"])
        else:
            return False
        if op == "<":
            return bool(a < b)
        if op == "<=":
            return bool(a <= b)
        if op == ">":
            return bool(a > b)
        return bool(a >= b)
    return False


def contains(container: AttributeValue, member: AttributeValue) -> bool:
    """contains(): a part of a string or binary, or an element of a set or list."""
    for tag, value in container.items():
        if tag == "L":
            return any(equal(element, member) for element in value)
        if tag in ("S", "SS"):
            return "S" in member and member["S"] in value
        if tag == "NS":
            return "N" in member and Decimal(member["N"]) in map(Decimal, value)
        if tag == "B":
            return "B" in member and binary(member["B"]) in binary(value)
        if tag == "BS":
            return "B" in member and binary(member["B"]) in map(binary, value)
    return False


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
