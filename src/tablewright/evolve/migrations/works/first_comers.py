"""What items would take that only one can have: the first to come gets it, where nothing is written yet that would say so."""

from __future__ import annotations

import hashlib
import threading

COMPARED = 250_000
"""How many are kept to be compared, some 40 MB."""


class FirstComers:
    """Who came first, for each thing that one alone can have. Threads may ask side by side."""

    def __init__(self) -> None:
        self._first: dict[bytes, bytes] = {}
        self._asking = threading.Lock()
        self.full = False
        """Whether there were more than are kept: of those nobody is refused."""

    def gets(self, what: bytes, comer: bytes) -> bool:
        """Whether the comer gets it: nobody else came before."""
        short, own = _short(what), _short(comer)
        with self._asking:
            if short not in self._first and len(self._first) >= COMPARED:
                self.full = True
                return True
            return self._first.setdefault(short, own) == own

    def has(self, what: bytes) -> bool:
        """Whether anybody came for it."""
        return _short(what) in self._first


def _short(key: bytes) -> bytes:
    return hashlib.blake2b(key, digest_size=12).digest()
