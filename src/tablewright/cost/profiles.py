"""How busy a table is over the day: a curve of shares of its peak."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from tablewright.cost.scaling import DAY
from tablewright.errors import ArgumentError

_HINT = (
    "Give shares of the peak, at equal times of the day: 0.1,0.1,0.3,1,0.8,0.4. A file may hold them, one in a line."
)


class Profile(Struct, frozen=True):
    """The load of each minute of a day as a share of the peak."""

    minutes: tuple[float, ...]
    most: float = 1.0
    """The greatest number that was given; all were divided by it."""

    @property
    def average(self) -> float:
        """How busy it is on average."""
        return sum(self.minutes) / len(self.minutes)

    def load(self, peak: float) -> list[float]:
        """Units a second in each minute, of so many at the peak."""
        return [peak * share for share in self.minutes]


def day_profile(shares: Sequence[float]) -> Profile:
    """A day by its shares at equal distances from midnight on: 24 are the hours. Between them it rises and falls evenly, and
    after the last it goes to the first again. The greatest share is the peak."""
    if not 1 <= len(shares) <= DAY or not all(math.isfinite(s) and s >= 0 for s in shares) or not max(shares):
        raise ArgumentError("A profile of a day is made of numbers from 0 on, and not of zeros alone.", hint=_HINT)
    most, step = max(shares), DAY / len(shares)
    minutes = []
    for minute in range(DAY):
        at = int(minute / step)
        this, following = shares[at], shares[(at + 1) % len(shares)]
        minutes.append((this + (following - this) * (minute / step - at)) / most)
    return Profile(tuple(minutes), most)


def read_profile(given: str) -> Profile:
    """The profile of a text with commas, or of a file."""
    text, path = given, Path(given)
    if "," not in given:
        if not path.is_file():
            raise ArgumentError(f"There is no file of a profile {path}.", hint=_HINT)
        text = path.read_text("utf-8")
    try:
        shares = [float(share) for share in text.replace(",", " ").split()]
    except ValueError:
        raise ArgumentError(
            f"{path if path.is_file() else 'The profile'} holds more than numbers.", hint=_HINT
        ) from None
    return day_profile(shares)
