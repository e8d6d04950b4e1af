"""The keys that occur most often: a Space-Saving summary that lets the small ones go in bulk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import nlargest

from msgspec import Struct, field

CAPACITY = 256


class Weight(Struct, frozen=True):
    """A key and how much of all it has."""

    key: str
    count: float
    """At most so much; the true weight is at most `error` below."""
    error: float
    share: float
    """Of the weight of all keys, going by the middle of what is possible."""


class Heavy(Struct):
    """Weights of keys, of which the heaviest are known however many there are.

    At most twice `capacity` keys are held. When there are more, what the key in the middle has is taken from all, and those
    that are left with nothing go. So what is held for a key is too little by at most `lost`, and `lost` is at most the weight
    of all divided by `capacity`: whoever has more than that share is never missed.
    """

    capacity: int = CAPACITY
    counts: dict[str, float] = field(default_factory=dict)
    lost: float = 0.0
    total: float = 0.0

    def add(self, key: str, weight: float = 1.0) -> None:
        """Counts a key."""
        self.counts[key] = self.counts.get(key, 0.0) + weight
        self.total += weight
        if len(self.counts) > 2 * self.capacity:
            self._let_go()

    def add_all(self, weights: Mapping[str, float]) -> None:
        """Counts many keys."""
        counts = self.counts
        for key, weight in weights.items():
            counts[key] = counts.get(key, 0.0) + weight
        self.total += sum(weights.values())
        if len(counts) > 2 * self.capacity:
            self._let_go()

    def merge(self, other: Heavy) -> None:
        """Takes over what another has counted."""
        self.lost += other.lost
        self.total += other.total - sum(other.counts.values())
        self.add_all(other.counts)

    def top(self, number: int = 10) -> list[Weight]:
        """The heaviest keys, the heaviest first."""
        return [self._weight(key) for key in nlargest(number, self.counts, key=lambda k: (self.counts[k], k))]

    def of(self, keys: Iterable[str]) -> list[Weight]:
        """These keys."""
        return [self._weight(key) for key in keys]

    def _weight(self, key: str) -> Weight:
        least = self.counts.get(key, 0.0)
        share = min(1.0, (least + self.lost / 2) / self.total) if self.total else 0.0
        return Weight(key, least + self.lost, self.lost, share)

    def _let_go(self) -> None:
        middle = nlargest(self.capacity + 1, self.counts.values())[-1]
        self.counts = {key: count - middle for key, count in self.counts.items() if count > middle}
        self.lost += middle
