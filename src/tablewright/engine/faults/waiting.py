"""Waiting on purpose: for as long as a fault says, or until haste; and for those who can wait without a thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Delay:
    """How long somebody has to wait who wanted to do it by itself."""

    __slots__ = ("seconds",)

    def __init__(self) -> None:
        self.seconds = 0.0


class Patience(threading.local):
    """Shared by the faults of an engine. Haste is the same for all threads, a delay is each thread's own."""

    _delay: Delay | None = None

    def __init__(self, haste: threading.Event) -> None:
        self._haste = haste

    def wait(self, seconds: float) -> None:
        """Wait, or have it done by who asked for that."""
        if self._delay is None:
            self._haste.wait(seconds)
        elif not self._haste.is_set():
            self._delay.seconds += seconds

    @contextmanager
    def deferring(self) -> Iterator[Delay]:
        """Meanwhile nothing in this thread waits; what it would have waited for is added up."""
        self._delay = Delay()
        try:
            yield self._delay
        finally:
            self._delay = None

    @contextmanager
    def in_haste(self) -> Iterator[None]:
        """Meanwhile nobody waits, and who does goes on at once."""
        self._haste.set()
        try:
            yield
        finally:
            self._haste.clear()
