"""Keys as bytes that sort by themselves: how key attributes become columns of storage."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from zlib import crc32

from msgspec import Struct

from tablewright.values import number_sort_bytes

Key = tuple[bytes, bytes]
"""An encoded primary key: partition and sort; the second is empty in a table without a sort key."""

_PREFIX_BYTES = 2
_SEGMENT_SPACE = 1 << (8 * _PREFIX_BYTES)


_ENCODERS: Mapping[str, Callable[[str], bytes]] = {"S": str.encode, "N": number_sort_bytes, "B": b64decode}


class KeyAttribute(Struct, frozen=True):
    """One attribute of a key, with the only type it may have there."""

    name: str
    type: str
    encode: Callable[[str], bytes]


def key_attribute(name: str, tag: str) -> KeyAttribute:
    """A key attribute of type S, N or B."""
    return KeyAttribute(name, tag, _ENCODERS[tag])


def spread(body: bytes) -> bytes:
    """A partition key with two bytes of hash before it.

    Partitions are only ever looked up whole, so their order is free: hashed, a scan has no key order to rely on, as
    on the service, and a parallel scan's segment is one range.
    """
    return (crc32(body) >> 16).to_bytes(_PREFIX_BYTES, "big") + body


def join(parts: list[bytes]) -> bytes:
    """Several partition attributes as one: different lists never give the same bytes."""
    if len(parts) == 1:
        return parts[0]
    # 00 becomes 00 FF inside a part, and 00 01 ends it.
    return b"".join(part.replace(b"\x00", b"\x00\xff") + b"\x00\x01" for part in parts)


def segment_bounds(segment: int, total: int) -> tuple[bytes | None, bytes | None]:
    """The partitions of one scan segment: from the first value (included) up to the second (excluded)."""
    low = -(-segment * _SEGMENT_SPACE // total)
    high = -(-(segment + 1) * _SEGMENT_SPACE // total)
    if low >= _SEGMENT_SPACE:  # more segments than there are values: this one is empty
        return b"", b""
    return (
        low.to_bytes(_PREFIX_BYTES, "big") if segment else None,
        high.to_bytes(_PREFIX_BYTES, "big") if high < _SEGMENT_SPACE else None,
    )
