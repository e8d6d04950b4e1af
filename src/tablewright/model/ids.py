"""Generated ids whose text order is the order of creation: ULID and UUIDv7, for `default_factory`."""

from __future__ import annotations

import secrets
import threading
import time
import uuid

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_lock = threading.Lock()
_last_ulid = (0, 0)  # milliseconds, random part: within one millisecond the random part counts up


def ulid() -> str:
    """A new ULID: 26 characters, sortable by time, strictly increasing within this process."""
    global _last_ulid  # noqa: PLW0603 - the sequence is one per process by definition
    with _lock:
        now = time.time_ns() // 1_000_000
        last_ms, last_random = _last_ulid
        if now > last_ms:
            moment, random = now, secrets.randbits(79)  # the top bit stays free, so that counting up cannot overflow
        else:
            moment, random = last_ms, last_random + 1
        _last_ulid = (moment, random)
    return _base32(moment << 80 | random)


def uuid7() -> uuid.UUID:
    """A new UUID version 7: 48 bits of milliseconds, then random bits."""
    moment = time.time_ns() // 1_000_000
    bits = (moment & (1 << 48) - 1) << 80 | 0x7 << 76 | secrets.randbits(12) << 64 | 0b10 << 62 | secrets.randbits(62)
    return uuid.UUID(int=bits)


def _base32(number: int) -> str:
    letters = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        letters.append(_CROCKFORD[digit])
    return "".join(reversed(letters))
