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
