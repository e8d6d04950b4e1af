"""The checksum that is kept beside every stored item."""

from __future__ import annotations

from zlib import crc32

from tablewright.engine.keys import Key


def seal(key: Key, body: bytes) -> int:
    """The checksum of an item; it covers the key, so an item cannot pass for another's."""
    return crc32(body, crc32(key[1], crc32(key[0])))
