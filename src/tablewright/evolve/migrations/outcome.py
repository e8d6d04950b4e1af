"""What came of a part of a step: counted, without any value."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct, field


class Outcome(Struct):
    """How many items were looked at, written and left."""

    looked: int = 0
    written: int = 0
    """In a dry run: those that would be."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Items that should be otherwise and were left, by the reason."""
    units: float = 0.0
    """Write units that it takes, estimated from the items."""
    read_units: float = 0.0
    evaluated: int = 0
    """Items that the table read for it, those that a filter dropped included."""
    consumed: float = 0.0
    """Write units that the table says it took."""

    def add(self, other: Outcome) -> None:
        """Takes over what was counted elsewhere."""
        self.looked += other.looked
        self.written += other.written
        self.skipped.update(other.skipped)
        self.units += other.units
        self.read_units += other.read_units
        self.evaluated += other.evaluated
        self.consumed += other.consumed

    @property
    def left(self) -> int:
        """What a dry run found that is not as it should be."""
        return self.written + sum(self.skipped.values())
