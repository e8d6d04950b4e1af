"""The keys that occur most often: Space-Saving, in the form that counts from below and lets the small ones go in bulk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from msgspec import Meta, Struct, field

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
    """Weights of keys, of which the heaviest are known however many there are. Weights are never below zero.

    At most twice `capacity` keys are held. When there are more, what the key in the place after `capacity` has is taken from
    all, and those that are left with nothing go; of many that have as much as that one, all go. More than `capacity` keys lose
    that much each time, so all that was taken makes `lost` at most the weight of all divided by `capacity`. What is held for a
    key is its true weight less at most `lost`: whoever has more than that is never missed. Both stay true when two are merged.

    Space-Saving hands the place of its smallest key to a new one, and so counts too much where this counts too little. The
    two are one (Agarwal and others, "Mergeable summaries", 2012): what is held plus `lost` is what Space-Saving would say, with
    the same bounds. This one is merged by adding up, and takes a step for many keys at once.
    """

    capacity: Annotated[int, Meta(ge=1)] = CAPACITY
    counts: dict[str, float] = field(default_factory=dict)
    """What is held for each key: at most its true weight."""
    lost: float = 0.0
    """What may be missing from each of them, and from any key that is not held."""
    total: float = 0.0
    """The weight of all keys, exactly."""

    def add(self, key: str, weight: float = 1.0) -> None:
        """Counts a key."""
        self.add_all({key: weight})

    def add_all(self, weights: Mapping[str, float]) -> None:
        """Counts many keys."""
        self.total += sum(weights.values())
        self._take(weights)

    def merge(self, other: Heavy) -> None:
        """Takes over what another has counted. Where that one holds fewer keys, so does this one from now on."""
        self.capacity = min(self.capacity, other.capacity)
        self.total += other.total
        self.lost += other.lost
        self._take(other.counts)

    def top(self, number: int = 10) -> list[Weight]:
        """The heaviest keys, the heaviest first; by their names where they have the same weight."""
        order = sorted(self.counts, key=lambda key: (-self.counts[key], key))
        return self.of(order[:number])

    def of(self, keys: Iterable[str]) -> list[Weight]:
        """These keys."""
        return [self._weight(key) for key in keys]

    def _weight(self, key: str) -> Weight:
        least = self.counts.get(key, 0.0)
        share = min(1.0, (least + self.lost / 2) / self.total) if self.total else 0.0
        return Weight(key, least + self.lost, self.lost, share)

    def _take(self, weights: Mapping[str, float]) -> None:
        counts = self.counts
        held = counts.get
        counts |= {key: held(key, 0.0) + weight for key, weight in weights.items()}
        if len(counts) > 2 * self.capacity:
            middle = sorted(counts.values(), reverse=True)[self.capacity]
            self.counts = {key: count - middle for key, count in counts.items() if count > middle}
            self.lost += middle
