"""Shard iterators: opaque to their holder, checked when they come back, good for a quarter of an hour."""

from __future__ import annotations

import binascii
import struct
from base64 import b64decode, b64encode
from hashlib import blake2b
from typing import NamedTuple

from tablewright.errors import RequestRefused

ITERATOR_SECONDS = 15 * 60.0

_BODY = struct.Struct(">qqqqd")
_SEAL_BYTES = 8


class ShardIterator(NamedTuple):
    """A place in a shard: behind a record of the log, whose table and stream the first numbers name."""

    number: int
    ordinal: int
    shard: int
    after: int
    issued: float


def write_iterator(arn: str, iterator: ShardIterator) -> str:
    """The iterator as readers get it."""
    body = _BODY.pack(*iterator)
    return f"{arn}|1|{b64encode(_seal(arn, body) + body).decode()}"


def read_iterator(text: str, now: float) -> tuple[str, ShardIterator]:
    """The ARN and the place of an iterator that was given out not too long ago."""
    arn, _, rest = text.partition("|")
    version, _, packed = rest.partition("|")
    try:
        raw = b64decode(packed, validate=True)
    except (binascii.Error, ValueError):
        raw = b""
    seal, body = raw[:_SEAL_BYTES], raw[_SEAL_BYTES:]
    if version != "1" or len(body) != _BODY.size or _seal(arn, body) != seal:
        raise RequestRefused("Invalid ShardIterator")
    iterator = ShardIterator._make(_BODY.unpack(body))
    if now - iterator.issued > ITERATOR_SECONDS:
        raise RequestRefused(
            "The shard iterator has expired and can no longer be used to retrieve stream records.",
            wire_name="ExpiredIteratorException",
            hint="Get a new one with GetShardIterator; an iterator is good for fifteen minutes.",
        )
    return arn, iterator


def _seal(arn: str, body: bytes) -> bytes:
    # Against mistakes, not against attackers: whoever may read a stream may have any iterator of it.
    return blake2b(arn.encode() + body, digest_size=_SEAL_BYTES, person=b"iterator").digest()
