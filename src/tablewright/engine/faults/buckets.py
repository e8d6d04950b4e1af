"""Token buckets on the engine's clock: what throughput is left in a place, and what is taken from it."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Hashable
from dataclasses import dataclass

Place = tuple[Hashable, ...]
"""What has a bucket: table number, index name or None, partition where it matters, and whether it is for writes."""

# So many are remembered; a test may meet any number of partitions.
_MOST = 65_536


@dataclass(slots=True)
class _Bucket:
    level: float
    moment: float
    rate: float

    def refill(self, now: float, rate: float, most: float) -> float:
        self.level = min(most, self.level + max(0.0, now - self.moment) * rate)
        self.moment = now
        self.rate = rate
        return self.level


class Buckets:
    """A bucket by its place. One starts with the units of a second, and holds those of `seconds`."""

    __slots__ = ("_buckets", "_lock", "_seconds")

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._buckets: dict[Place, _Bucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def level(self, place: Place, rate: float, now: float) -> float:
        """What is left, below zero where more was taken."""
        with self._lock:
            bucket = self._buckets.get(place)
            return rate if bucket is None else bucket.refill(now, rate, rate * self._seconds)

    def take(self, place: Place, rate: float, units: float, now: float) -> None:
        """Take units, whether they are there or not."""
        with self._lock:
            bucket = self._buckets.get(place)
            if bucket is None:
                if len(self._buckets) >= _MOST:
                    self._forget_fullest(now)
                bucket = self._buckets[place] = _Bucket(rate, now, rate)
            bucket.refill(now, rate, rate * self._seconds)
            bucket.level -= units

    def _forget_fullest(self, now: float) -> None:
        """Keep the half that was drawn on most: of the others a new bucket differs least."""

        def fullness(entry: tuple[Place, _Bucket]) -> float:
            bucket = entry[1]
            return bucket.refill(now, bucket.rate, bucket.rate * self._seconds) / bucket.rate

        self._buckets = dict(heapq.nsmallest(_MOST // 2, self._buckets.items(), key=fullness))
