"""Progress in words: how many, how fast, and how long it still takes."""

from __future__ import annotations

from collections.abc import Callable

from tablewright.wording import counted, quantity

_EVERY = 2.0
"""Seconds between two tellings."""


class Progress:
    """Tells of a transfer from time to time. `clock` gives seconds."""

    def __init__(self, tell: Callable[[str], object] | None, clock: Callable[[], float], what: str) -> None:
        self._tell = tell
        self._clock = clock
        self._what = what
        self._began = self._last = clock()

    def step(self, done: int, fraction: float | None) -> None:
        """So many are done, which is so much of all."""
        now = self._clock()
        if self._tell is None or now - self._last < _EVERY:
            return
        self._last = now
        took = now - self._began
        left = ""
        if fraction is not None and 0 < fraction < 1:
            left = f", {lasting(took * (1 - fraction) / fraction)} left"
        self._tell(f"{counted(done, self._what)}, {quantity(round(done / took))} a second{left}")


def lasting(seconds: float) -> str:
    """A time as people say it: 40 s, 12 min, 3 h."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else f"{round(seconds / 3600)} h"
