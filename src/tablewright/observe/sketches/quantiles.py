"""Quantiles within a known error: a DDSketch, whose buckets grow by a constant factor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import ceil, exp, floor, isfinite, isnan, log
from typing import Annotated

from msgspec import Meta, Struct, field

ACCURACY = 0.01
"""How far a quantile may be from the true one, as a share of it."""
SMALLEST, LARGEST = 1e-9, 1e9
"""Between these the accuracy holds. What is smaller is told as something between zero and the smallest."""
_GAMMA = (1 + ACCURACY) / (1 - ACCURACY)
_SCALE = 1 / log(_GAMMA)
_Bucket = Annotated[int, Meta(ge=ceil(log(SMALLEST) * _SCALE), le=ceil(log(LARGEST) * _SCALE))]


class Quantiles(Struct):
    """Numbers from zero on, of which quantiles are known to one percent, whatever their distribution.

    Each bucket holds what lies between two powers of a base, so that numbers from 1e-9 to 1e9 take 2,074 buckets, and
    there are no others. Merging is as if all had been counted at once.
    """

    buckets: dict[_Bucket, int] = field(default_factory=dict)
    count: int = 0
    total: float = 0.0
    least: float = 0.0
    """The smallest of all, exactly; 0 of nothing."""
    most: float = 0.0
    """The largest of all, exactly; 0 of nothing."""

    def add(self, values: Iterable[float]) -> None:
        """Counts numbers. What is below zero counts as zero, what is above 1e9 as that; what is no number is left out."""
        values = list(values)
        if not values:
            return
        total, least, most = sum(values), min(values), max(values)
        if not (isfinite(total) and least >= 0 and most <= LARGEST):
            self.add([min(max(0.0, value), LARGEST) for value in values if not isnan(value)])
            return
        buckets, scale = self.buckets, _SCALE
        known = values if least >= SMALLEST else [max(value, SMALLEST) for value in values]
        for bucket, times in Counter([ceil(power * scale) for power in map(log, known)]).items():
            buckets[bucket] = buckets.get(bucket, 0) + times
        self._widen(least, most)
        self.count += len(values)
        self.total += total

    def merge(self, other: Quantiles) -> None:
        """Takes over what another has counted."""
        if not other.count:
            return
        for bucket, times in other.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + times
        self._widen(other.least, other.most)
        self.count += other.count
        self.total += other.total

    @property
    def mean(self) -> float:
        """The average, exact; 0 of nothing."""
        return self.total / self.count if self.count else 0.0

    def at_most(self, value: float) -> int:
        """How many numbers are this one or smaller. Those up to two percent below it may be missing."""
        last = floor(log(max(value, SMALLEST)) * _SCALE)
        return self.count if value >= self.most else sum(times for at, times in self.buckets.items() if at <= last)

    def quantile(self, share: float) -> float:
        """The number up to which this share of all lies: 0.5 for the median. 0 of nothing.

        It is within one percent of the number in place floor(share * (count - 1)), when all are sorted and counted from 0.
        """
        if not self.count:
            return 0.0
        rank, below = share * (self.count - 1), 0
        for bucket in sorted(self.buckets):
            below += self.buckets[bucket]
            if below > rank:
                middle = 2 * exp(bucket / _SCALE) / (_GAMMA + 1)
                return min(max(middle, self.least), self.most)
        return self.most

    def _widen(self, least: float, most: float) -> None:
        self.least = min(self.least, least) if self.count else least
        self.most = max(self.most, most)
