"""Quantiles within a known error: a DDSketch, whose buckets grow by a constant factor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil, exp, log

from msgspec import Struct, field

ACCURACY = 0.01
"""How far a quantile may be from the true one, as a share of it."""
_GAMMA = (1 + ACCURACY) / (1 - ACCURACY)
_SCALE = 1 / log(_GAMMA)
_LEAST = 1e-9
"""What is smaller counts as this."""


class Quantiles(Struct):
    """Numbers above zero, of which quantiles are known to one percent, whatever their distribution.

    Each bucket holds what lies between two powers of a base, so that numbers from 1e-9 to 1e9 take at most 2,100 buckets.
    """

    buckets: dict[int, int] = field(default_factory=dict)
    count: int = 0
    total: float = 0.0
    least: float = float("inf")
    most: float = 0.0

    def add(self, values: Iterable[float]) -> None:
        """Counts numbers."""
        values = list(values)
        if not values:
            return
        buckets = self.buckets
        for bucket, times in Counter([ceil(log(v) * _SCALE) if v > _LEAST else _FIRST for v in values]).items():
            buckets[bucket] = buckets.get(bucket, 0) + times
        self.count += len(values)
        self.total += sum(values)
        self.least = min(self.least, *values)
        self.most = max(self.most, *values)

    def merge(self, other: Quantiles) -> None:
        """Takes over what another has counted."""
        for bucket, times in other.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + times
        self.count += other.count
        self.total += other.total
        self.least = min(self.least, other.least)
        self.most = max(self.most, other.most)

    @property
    def mean(self) -> float:
        """The average, exact; 0 of nothing."""
        return self.total / self.count if self.count else 0.0

    def quantile(self, share: float) -> float:
        """The number below which this share of all lies: 0.5 for the median. 0 of nothing."""
        if not self.count:
            return 0.0
        rank, below = share * (self.count - 1), 0
        for bucket in sorted(self.buckets):
            below += self.buckets[bucket]
            if below > rank:
                middle = 2 * exp(bucket / _SCALE) / (_GAMMA + 1)
                return min(max(middle, self.least), self.most)
        return self.most


_FIRST = ceil(log(_LEAST) * _SCALE)
