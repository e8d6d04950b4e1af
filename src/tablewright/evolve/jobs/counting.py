"""What a job has done: counts of items, units, and the report that is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct, field

from tablewright.evolve.jobs.estimating import Estimate
from tablewright.wording import counted, quantity

OVERTAKEN = "overtaken by others again and again"
OTHER_REASONS = "other reasons"
OTHER_REMARKS = "other remarks"
_MOST_REASONS = 100
"""Reasons that are kept apart: a checkpoint holds them all, and an item has its limit."""


class Counts(Struct, frozen=True):
    """Items by what became of them."""

    looked: int = 0
    """Looked at."""
    written: int = 0
    """Written for; in a dry run, those that would be."""
    gone: int = 0
    """Deleted by others between reading and writing."""
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Left as they are, by reason."""
    remarks: Mapping[str, int] = field(default_factory=dict)
    """What the work has to say of items, whatever became of them, and of how many."""

    @property
    def left(self) -> int:
        """All that were skipped."""
        return sum(self.skipped.values())


def total(counts: Iterable[Counts]) -> Counts:
    """All together."""
    tally = Tally()
    for one in counts:
        tally.add(one)
    return tally.counts()


class Tally:
    """Counts that are still growing."""

    __slots__ = ("_remarks", "_skipped", "gone", "looked", "written")

    def __init__(self, begun: Counts | None = None) -> None:
        self.looked = self.written = self.gone = 0
        self._skipped: dict[str, int] = {}
        self._remarks: dict[str, int] = {}
        if begun is not None:
            self.add(begun)

    def skip(self, reason: str) -> None:
        """One more for this reason."""
        _add(self._skipped, reason, 1, OTHER_REASONS)

    def remark(self, text: str) -> None:
        """One more of which this is to be said."""
        _add(self._remarks, text, 1, OTHER_REMARKS)

    def add(self, other: Counts) -> None:
        """Adds others."""
        self.looked += other.looked
        self.written += other.written
        self.gone += other.gone
        for reason, number in other.skipped.items():
            _add(self._skipped, reason, number, OTHER_REASONS)
        for text, number in other.remarks.items():
            _add(self._remarks, text, number, OTHER_REMARKS)

    def counts(self) -> Counts:
        """As they are now."""
        return Counts(self.looked, self.written, self.gone, dict(self._skipped), dict(self._remarks))


def _add(to: dict[str, int], what: str, number: int, others: str) -> None:
    if what not in to and len(to) >= _MOST_REASONS:
        what = others
    to[what] = to.get(what, 0) + number


class Spent(Struct, frozen=True):
    """What a run took of the table."""

    read_units: float = 0.0
    write_units: float = 0.0
    requests: int = 0
    retries: int = 0
    """Requests that were sent again: after throttling, or without an answer."""
    overtaken: int = 0
    """Writes whose condition failed: somebody else was faster, and the item was looked at anew."""


class Progress(Struct, frozen=True):
    """How far a job is."""

    counts: Counts
    """Since the job began, runs before this one included."""
    rate: float
    """Items looked at in a second, in this run."""
    share: float | None
    """How much of the table is done, from 0 to 1: by the items that it is said to hold, or by segments."""
    seconds_left: float | None
    """What is left at this rate."""
    waits_for: str | None
    """Why it is slower than it could be; None where nothing holds it up."""
    segments_done: int
    segments: int

    def __str__(self) -> str:
        parts = [
            counted(self.counts.looked, "item"),
            f"{quantity(self.counts.written)} written",
            f"{quantity(self.counts.left)} skipped",
            f"{self.rate:,.0f}/s",
        ]
        if self.share is not None:
            parts.append(f"{self.share:.0%}")
        if self.seconds_left is not None:
            parts.append(f"{_time(self.seconds_left)} left")
        if self.waits_for is not None:
            parts.append(self.waits_for)
        return ", ".join(parts)


class Report(Struct, frozen=True):
    """What came of a run. `to_dict()` is its JSON form, `str()` is for people."""

    work: str
    table: str
    dry_run: bool
    finished: bool
    """Whether the whole table was looked at; otherwise a next run goes on where this one stopped."""
    resumed: bool
    """Whether it went on where another run had stopped."""
    counts: Counts
    """Since the job began, runs before this one included."""
    spent: Spent
    """By this run alone."""
    seconds: float
    segments: int
    estimate: Estimate | None = None
    """Of a dry run: what it would cost to write, and what is noted for later."""
    later: str | None = None
    """Who writes what was only noted, where the work does no more; then that is what `counts.written` counts."""

    @property
    def nothing_to_change(self) -> bool:
        """Whether the whole table was looked at, and nothing was to be written."""
        return self.finished and not self.counts.written

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        told: dict[str, Any] = msgspec.to_builtins(self)
        return told | {"nothing_to_change": self.nothing_to_change}

    def __str__(self) -> str:
        counts, spent = self.counts, self.spent
        words = ("to write", "written") if self.later is None else ("to note", "noted")
        written = words[0] if self.dry_run else words[1]
        state = "" if self.finished else ", stopped before the end"
        lines = [
            f"{self.work} ({self.table}{', dry run' if self.dry_run else ''}{state})",
            f"  looked at {counted(counts.looked, 'item')}, {quantity(counts.written)} {written}, {quantity(counts.left)} skipped",
            *(f"  skipped {counted(number, 'item')}: {reason}" for reason, number in sorted(counts.skipped.items())),
        ]
        lines += [f"  {counted(number, 'item')}: {text}" for text, number in sorted(counts.remarks.items())]
        if counts.gone:
            lines.append(f"  {counted(counts.gone, 'item')} deleted by others meanwhile, and left so")
        if self.later is not None and counts.written:
            lines.append(f"  nothing of it {'would be' if self.dry_run else 'is'} in its place yet: {self.later}")
        if self.nothing_to_change:
            lines.append("  nothing to change")
        retries = f", {counted(spent.retries, 'retry', 'retries')}" if spent.retries else ""
        retries += f", {counted(spent.overtaken, 'write')} overtaken and planned anew" if spent.overtaken else ""
        lines.append(
            f"  {_units(spent.read_units, 'read')}, {_units(spent.write_units, 'write')} in {_time(self.seconds)}{retries}"
        )
        if self.estimate is not None:
            lines.append(f"  {self.estimate}")
        return "\n".join(lines)


def _units(number: float, kind: str) -> str:
    return counted(round(number, 1), f"{kind} unit")


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"
