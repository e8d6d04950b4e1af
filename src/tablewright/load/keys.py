"""Which of many keys is wanted next: ranks by Zipf's law, by an exponent or by the share that the hottest one has."""

from __future__ import annotations

import random
from functools import lru_cache
from math import exp, expm1, log, log1p

ZIPF = 0.99
"""The exponent where nothing was said: the second key is wanted half as often as the first, the tenth a tenth as often."""
_STEEPEST = 20.0
_SUMMED = 1000
_NEAR_ONE = 1e-8


class Zipf:
    """Ranks from 0 to `count` - 1, of which rank r comes with a weight of 1 / (r + 1) ** exponent.

    They are drawn by rejection from the area under a smooth curve, so that a draw takes as long among ten keys as among ten
    millions, and nothing is kept but five numbers.
    """

    __slots__ = ("_begin", "_end", "_shortcut", "count", "exponent")

    def __init__(self, count: int, exponent: float) -> None:
        self.count = max(1, count)
        self.exponent = exponent
        self._begin = self._area(1.5) - 1.0
        self._end = self._area(self.count + 0.5)
        self._shortcut = 2.0 - self._inverse(self._area(2.5) - self._height(2.0))

    def draw(self, chance: random.Random) -> int:
        """A rank; 0 is the hottest."""
        if self.count == 1:
            return 0
        if self.exponent == 0:
            return chance.randrange(self.count)
        while True:
            area = self._end + chance.random() * (self._begin - self._end)
            place = self._inverse(area)
            rank = min(max(int(place + 0.5), 1), self.count)
            if rank - place <= self._shortcut or area >= self._area(rank + 0.5) - self._height(rank):
                return rank - 1

    def _height(self, place: float) -> float:
        return exp(-self.exponent * log(place))

    def _area(self, place: float) -> float:
        """The area under the curve from 1 on."""
        flat = (1.0 - self.exponent) * log(place)
        return log(place) * (expm1(flat) / flat if abs(flat) > _NEAR_ONE else 1.0 + flat / 2)

    def _inverse(self, area: float) -> float:
        """Up to where the curve has this area."""
        flat = max(area * (1.0 - self.exponent), -1.0)
        return exp(area * (log1p(flat) / flat if abs(flat) > _NEAR_ONE else 1.0 - flat / 2))


def hottest_share(count: int, exponent: float) -> float:
    """The share that the first of so many keys has."""
    summed = min(count, _SUMMED)
    total: float = sum([rank**-exponent for rank in range(1, summed + 1)])
    if count > summed:
        # The rest is as good as the area under the curve.
        if abs(exponent - 1) < _NEAR_ONE:
            total += log((count + 0.5) / (summed + 0.5))
        else:
            total += ((count + 0.5) ** (1 - exponent) - (summed + 0.5) ** (1 - exponent)) / (1 - exponent)
    return 1 / total


@lru_cache(maxsize=1024)
def exponent_for(count: int, hottest: float) -> float:
    """The exponent with which the first of so many keys has this share; 0 where each has at least as much."""
    if count < 2 or hottest <= 1 / count:
        return 0.0
    low, high = 0.0, _STEEPEST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if hottest_share(count, middle) < hottest else (low, middle)
    return high


@lru_cache(maxsize=4096)
def ranks(count: int, exponent: float, hottest: float | None = None) -> Zipf:
    """Ranks among so many keys: as the share of the hottest one says if that is known, by the exponent if not."""
    return Zipf(count, exponent if hottest is None else exponent_for(count, hottest))
