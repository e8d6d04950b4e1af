"""Over how many partitions a busy key is spread, and whether that helps; by the shares and limits that lint goes by."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import cast

from msgspec import Struct

from tablewright.cost.reads import from_each
from tablewright.lint.design import Compiled
from tablewright.lint.findings import Finding, at_least
from tablewright.lint.heat import BUSY_END, WIDE
from tablewright.lint.registry import selected
from tablewright.lint.rules.partitions.tw303_ascending_sort_key import AscendingSortKey
from tablewright.lint.rules.partitions.tw305_wide_fan_out import WideFanOut
from tablewright.lint.running import lint
from tablewright.model.table import TableModel
from tablewright.synth.facts import EntityFacts
from tablewright.values.sizes import PARTITION_READS, PARTITION_WRITES, read_units, write_units

COMFORT = 0.7
"""The share of what a partition bears that is given to it where it is spread: rates grow, and shards stay."""


class Reading(Struct, frozen=True):
    """One variant of a pattern, as far as it was said how often it runs."""

    pattern: str
    rate: float
    results: int
    size: int
    held: int | None
    """How many items it could want at most; None where nobody said it."""
    filtered: bool
    strong: bool

    def units(self, shards: int) -> float:
        """Read units a second that it takes from each partition where there are so many shards. Which of them holds the
        first items shows only when each has given as many as are wanted, so that shards make it no cooler unless they
        hold less than that."""
        count = self.results
        if shards > 1:
            there = None if self.held is None else math.ceil(self.held / shards)
            count = from_each(self.results, there, filtered=self.filtered)
        return self.rate * read_units(count * self.size, self.strong)


class Sharing(Struct, frozen=True):
    """One entity in partitions that several may share: what chooses them, and what comes there."""

    facts: EntityFacts
    partition: frozenset[str]
    first: str | None
    """The field that its items are sorted by first."""
    moves: bool
    """Whether a write can move its key there, which is a delete and an insert."""
    readings: tuple[Reading, ...] = ()

    @property
    def writes(self) -> float:
        """Write units a second of the busiest partition, where every write moves the key that can move."""
        units = (self.facts.expected.writes or 0.0) * write_units(self.facts.size)
        return units * self.facts.share(self.partition) * (2 if self.moves else 1)

    def reads(self, shards: int) -> float:
        """Read units a second of the busiest partition, where there are so many shards."""
        return taken(self.readings, shards) * self.facts.share(self.partition)


def taken(readings: Iterable[Reading], shards: int = 1) -> float:
    """Read units a second of all these: of each pattern the variant that takes most, since a call is one of them."""
    most: dict[str, float] = {}
    for one in readings:
        most[one.pattern] = max(most.get(one.pattern, 0.0), one.units(shards))
    return sum(most.values())


def spread_over(sharing: Sequence[Sharing], *, for_reads: bool = True) -> int:
    """Over how many partitions the busiest one must be spread, by what was said of those who share it; 1 where it bears
    everything, and also where shards would not help, as with most reads."""
    shards = _for_writes(sum(one.writes for one in sharing), any(one.first in one.facts.ascending for one in sharing))

    def reads(count: int) -> float:
        return sum(one.reads(count) for one in sharing)

    if not for_reads or reads(shards) <= PARTITION_READS:
        return shards
    cooler = (n for n in range(shards + 1, WIDE + 1) if reads(n) <= PARTITION_READS * COMFORT)
    return next(cooler, shards)


class Spread(Struct, frozen=True):
    """A proposed key whose partitions are spread over shards."""

    key: str
    """The entity and where the key is, as lint names them."""
    shards: int
    reads: frozenset[str]
    """The patterns that go by it, as lint names them."""

    def concerns(self, finding: Finding) -> bool:
        """Whether a finding asks for more shards there, or for fewer."""
        if finding.code == AscendingSortKey.code:
            return finding.message.startswith(f"{self.key} ")
        return finding.code == WideFanOut.code and finding.subject in self.reads


def still_hot(model: TableModel, spread: Iterable[Spread]) -> list[str]:
    """What lint finds of heat in a proposed model, and nobody waived: what shards do not help, or nobody said enough of. Where
    the shards were chosen here, neither more nor fewer are advised."""
    found = at_least(lint(cast("Compiled", model), rules=selected(only=("TW3",))), "warning")
    told = []
    for one in spread:
        about = [finding for finding in found if one.concerns(finding)]
        if about:
            found = [finding for finding in found if finding not in about]
            messages = " ".join(finding.message for finding in about)
            codes = ", ".join(dict.fromkeys(finding.code for finding in about))
            told.append(
                f"{messages} {one.key} has {one.shards} shards: fewer would not bear its traffic, and more would make every read "
                f"of it wider. One more field with many values that its reads know would spread it better. ({codes})"
            )
    return told + [f"{one.message} {one.hint} ({one.code})" for one in found]


def _for_writes(units: float, at_the_end: bool) -> int:
    """A partition that is written at its end only cannot be split by DynamoDB, so that it is given less."""
    if units <= PARTITION_WRITES:
        return 1
    comfortable = math.ceil(units / (PARTITION_WRITES * COMFORT))
    if not at_the_end:
        return comfortable
    return max(comfortable, min(math.floor(units / BUSY_END) + 1, WIDE))
