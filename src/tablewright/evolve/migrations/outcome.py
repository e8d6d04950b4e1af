"""What came of a part of a step: counted, without any value."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.evolve.jobs.counting import Report


class Outcome(Struct, frozen=True):
    """How many items were looked at, written and left."""

    looked: int = 0
    written: int = 0
    """In a dry run: those that would be."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Items that should be otherwise and were left, by the reason."""
    units: float = 0.0
    """Write units that it took; in a dry run those that it would take, estimated from the items."""
    read_units: float = 0.0
    provisional: bool = False
    """Whether a dry run counted it as the table is now, and what would be done before may change that."""
    moves: bool = False
    """Whether a dry run counted items that get other keys: what lies there already shows when they are written."""
    compared: bool = True
    """Whether all of these keys were held against each other."""

    @property
    def left(self) -> int:
        """What a dry run found that is not as it should be."""
        return self.written + sum(self.skipped.values())


class Told(Struct, frozen=True):
    """What came of one part of a step."""

    migration: str
    step: str
    part: str
    outcome: Outcome
    also: str = ""
    """What it does in the same writes, which its name does not say."""

    def and_then(self, later: Told) -> Told:
        """What came of it, and of the same once more: what was left, as it was in the end."""
        one, other = self.outcome, later.outcome
        both = replace(
            other,
            looked=one.looked + other.looked,
            written=one.written + other.written,
            units=one.units + other.units,
            read_units=one.read_units + other.read_units,
        )
        return replace(self, outcome=both)


def outcome_of(report: Report) -> Outcome:
    """What came of a part that ran as a job."""
    counts, spent = report.counts, report.spent
    units = spent.write_units if report.estimate is None else report.estimate.write_units
    return Outcome(counts.looked, counts.written, dict(counts.skipped), units, spent.read_units)
