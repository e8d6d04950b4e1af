"""The engine's only source of time, passed in so that tests can move it."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Anything that can tell the time as seconds since 1970."""

    def now(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        ...


class SystemClock:
    """The machine's own clock."""

    __slots__ = ()

    def now(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return time.time()


class OffsetClock:
    """The machine's clock, moved by as much as somebody asked: for servers of test suites."""

    __slots__ = ("_offset",)

    def __init__(self) -> None:
        self._offset = 0.0

    def now(self) -> float:
        """Seconds since 1970-01-01 UTC."""
        return time.time() + self._offset

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self._offset += seconds

    def restore(self) -> None:
        """Show the machine's time again."""
        self._offset = 0.0
