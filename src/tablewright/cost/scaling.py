"""Provisioned capacity that follows a load, minute by minute, as DynamoDB's auto scaling does: late, and seldom downwards.

Capacity rises when two minutes in a row used more of it than was meant, and falls when fifteen minutes used much less; either
takes some minutes to come. Decreases are few: four at the beginning of a day, one more for each hour of it, and never more
than four in hand. What a minute leaves unused can be used within the next five.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from msgspec import Struct

from tablewright.cost.estimating import UTILISATION, enough
from tablewright.errors import ArgumentError
from tablewright.model.deployment import Provisioned

DAY = 24 * 60
_RISES_AFTER, _FALLS_AFTER = 2, 15
_BELOW = 0.2
"""How far below the target what is used must be, so that capacity falls."""
_IN_HAND = 4
_BURST = 300
"""Seconds of capacity that was not used and still can be."""


class Limits(Struct, frozen=True):
    """Between which bounds capacity follows the load; no greatest one stands for as much as is wanted."""

    least: int = 1
    most: int | None = None

    def __post_init__(self) -> None:
        if self.least < 1 or (self.most is not None and self.most < self.least):
            raise ArgumentError("Capacity has at least one unit, and its most is not less than its least.")

    def within(self, units: int) -> int:
        """So many units, or as near as the bounds allow."""
        return max(self.least, units if self.most is None else min(units, self.most))


class Policy(Struct, frozen=True):
    """How capacity follows the load."""

    reads: Limits = Limits()
    writes: Limits = Limits()
    target: float = UTILISATION
    """The share of the capacity that is to be in use."""
    lag: int = 2
    """Minutes from when it is noticed until the new capacity is there."""

    def __post_init__(self) -> None:
        if not 0.2 <= self.target <= 0.9:
            raise ArgumentError("The target of scaling is a share from 0.2 to 0.9.", hint="0.7 is what AWS suggests.")
        if self.lag < 0:
            raise ArgumentError("The lag of scaling is a number of minutes from 0 on.")


def deployed_policy(billing: Provisioned) -> Policy:
    """How what is provisioned follows the load: between its least and its most, or not at all where it has no most."""
    return Policy(
        Limits(billing.read, billing.max_read or billing.read),
        Limits(billing.write, billing.max_write or billing.write),
        billing.target / 100,
    )


class Followed(Struct, frozen=True):
    """Reads or writes of one place under a policy."""

    capacity: tuple[int, ...]
    """What was ready in each minute."""
    refused: tuple[float, ...]
    """Units that were refused in each minute."""

    @property
    def average(self) -> float:
        """What is paid for."""
        return sum(self.capacity) / len(self.capacity)


class Scaled(Struct, frozen=True):
    """Reads and writes of one place under a policy."""

    reads: Followed
    writes: Followed
    decreases: int
    delayed: int
    """Minutes in which capacity was meant to fall, and none of the decreases of the day was left."""

    @property
    def throttled(self) -> int:
        """Minutes in which some of the load was refused."""
        return sum(1 for both in zip(self.reads.refused, self.writes.refused, strict=True) if any(both))


def follow(reads: Sequence[float], writes: Sequence[float], policy: Policy) -> Scaled:
    """What capacity does under a load, given as units a second in each minute; it begins as it should be for the first, at
    the beginning of a day."""
    if not reads or len(reads) != len(writes):
        raise ArgumentError("A load has some minutes, and as many for reads as for writes.")
    sides = (_Side(reads, policy.reads, policy), _Side(writes, policy.writes, policy))
    allowed, decreases, delayed = _IN_HAND, 0, 0
    for minute in range(len(reads)):
        if minute % DAY == 0:
            allowed = _IN_HAND
        elif minute % 60 == 0:
            allowed = min(_IN_HAND, allowed + 1)
        falling = [side.step(minute) for side in sides]
        if any(falling):
            # One request lowers reads and writes together.
            if allowed:
                allowed, decreases = allowed - 1, decreases + 1
                for side, falls in zip(sides, falling, strict=True):
                    side.lower(minute, falls)
            else:
                delayed += 1
    return Scaled(sides[0].followed(), sides[1].followed(), decreases, delayed)


class _Side:
    """Reads or writes, as they go from minute to minute."""

    def __init__(self, load: Sequence[float], limits: Limits, policy: Policy) -> None:
        self._load, self._limits, self._policy = load, limits, policy
        self._ready = limits.within(enough(load[0], policy.target))
        self._coming: tuple[int, int] | None = None
        self._seen: deque[float] = deque(maxlen=_FALLS_AFTER)
        self._spare = 0.0
        self._capacity: list[int] = []
        self._refused: list[float] = []

    def step(self, minute: int) -> int:
        """Lives through a minute; how far capacity wants to fall after it, 0 for not at all."""
        if self._coming is not None and self._coming[0] <= minute:
            self._ready, self._coming = self._coming[1], None
        load, ready, target = self._load[minute], self._ready, self._policy.target
        self._capacity.append(ready)
        used = min(load, ready + self._spare / 60)
        self._spare = min(self._spare + (ready - used) * 60, ready * _BURST)
        self._refused.append((load - used) * 60 if load - used > 1e-9 else 0.0)
        self._seen.append(used)
        if self._coming is not None:
            return 0
        last = list(self._seen)
        if len(last) >= _RISES_AFTER and min(last[-_RISES_AFTER:]) > ready * target:
            # What was refused was not consumed, so that a steep rise is followed in several steps.
            wanted = self._limits.within(enough(max(last[-_RISES_AFTER:]), target))
            if wanted > ready:
                self._coming = (minute + 1 + self._policy.lag, wanted)
        elif len(last) == _FALLS_AFTER and max(last) < ready * (target - _BELOW):
            wanted = self._limits.within(enough(max(last), target))
            return wanted if wanted < ready else 0
        return 0

    def lower(self, minute: int, wanted: int) -> None:
        """Lets the capacity fall, now that it may."""
        if wanted:
            self._coming = (minute + 1 + self._policy.lag, wanted)

    def followed(self) -> Followed:
        return Followed(tuple(self._capacity), tuple(self._refused))
