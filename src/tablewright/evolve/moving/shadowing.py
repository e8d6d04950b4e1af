"""Shadow reads: both sides are asked, and what differs, fails or takes longer is counted, without values."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from tablewright.client.writes.action import same_key
from tablewright.evolve.moving.sides import Side
from tablewright.model.entity import Entity
from tablewright.table import Table
from tablewright.wording import counted


def differences(table: Table, legacy: Sequence[Entity], new: Sequence[Entity], *, ordered: bool) -> list[str]:
    """In which ways two answers differ: "missing", "extra", "field NAME", "order"; empty where they do not."""
    sides: list[dict[bytes, dict[str, Any]]] = []
    for answer in (legacy, new):
        side: dict[bytes, dict[str, Any]] = {}
        for entity in answer:
            plan = table.plan.of(type(entity))
            values = {n: vars(entity).get(n) for n in plan.fields}
            side[plan.name.encode() + same_key(plan.key(values))] = values
        sides.append(side)
    old, now = sides
    found = ["missing"] * bool(old.keys() - now.keys()) + ["extra"] * bool(now.keys() - old.keys())
    fields = {n for k in old.keys() & now.keys() for n, value in old[k].items() if now[k][n] != value}
    found += [f"field {name}" for name in sorted(fields)]
    if not found and ordered and list(old) != list(now):
        found.append("order")
    return found


class SideReport(Struct, frozen=True):
    """How one side answered."""

    reads: int
    errors: int
    seconds: float
    """In all."""
    slow: float
    """95 of 100 reads took at most about so many seconds."""

    @property
    def error_rate(self) -> float:
        """The share of reads that failed."""
        return self.errors / self.reads if self.reads else 0.0


class ShadowReport(Struct, frozen=True):
    """What shadow reads found."""

    compared: int
    """Reads that both sides answered."""
    differed: int
    """Those whose answers differed."""
    differences: Mapping[tuple[str, str], int]
    """How often each read differed in each way."""
    legacy: SideReport
    new: SideReport

    def text(self) -> str:
        """In words."""
        lines = [f"{counted(self.compared, 'read')} compared, {self.differed} differed."]
        lines += [
            f"  {read}: {kind}, {counted(count, 'time')}" for (read, kind), count in sorted(self.differences.items())
        ]
        for name, side in (("legacy", self.legacy), ("new", self.new)):
            mean = side.seconds / side.reads * 1000 if side.reads else 0.0
            lines.append(
                f"{name}: {counted(side.reads, 'read')}, {side.errors} failed ({side.error_rate:.2%}), "
                f"{mean:.2f} ms on average, 95 of 100 within {side.slow * 1000:.2f} ms"
            )
        return "\n".join(lines)


class _SideCounts:
    """Bounded: durations are counted by powers of two."""

    def __init__(self) -> None:
        self.reads = self.errors = 0
        self.seconds = 0.0
        self.buckets: Counter[int] = Counter()

    def report(self) -> SideReport:
        wanted, seen, slow = 0.95 * self.buckets.total(), 0, 0.0
        for bucket in sorted(self.buckets):
            seen += self.buckets[bucket]
            slow = 2**bucket / 1_000_000
            if seen >= wanted:
                break
        return SideReport(self.reads, self.errors, self.seconds, slow)


class Shadow:
    """What one session counted. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sides: dict[Side, _SideCounts] = {"legacy": _SideCounts(), "new": _SideCounts()}
        self._compared = self._differed = 0
        self._kinds: Counter[tuple[str, str]] = Counter()
        self._untold = [0, 0]

    def answered(self, side: Side, seconds: float, *, failed: bool) -> None:
        """One side answered, or failed to."""
        with self._lock:
            counts = self._sides[side]
            counts.reads += 1
            counts.errors += failed
            counts.seconds += seconds
            counts.buckets[int(seconds * 1_000_000).bit_length()] += 1
            if failed and side == "new":
                self._untold[1] += 1

    def compared(self, read: str, kinds: Sequence[str]) -> None:
        """Two answers were compared."""
        with self._lock:
            self._compared += 1
            self._differed += bool(kinds)
            self._untold[0] += 1
            self._untold[1] += bool(kinds)
            for kind in kinds:
                self._kinds[read, kind] += 1

    def untold(self) -> tuple[int, int]:
        """What the ledger does not know yet: compared reads, and those that differed or failed. It is told once."""
        with self._lock:
            told, self._untold = (self._untold[0], self._untold[1]), [0, 0]
            return told

    def forget_untold(self) -> None:
        """What was compared belongs to a phase that is over."""
        with self._lock:
            self._untold = [0, 0]

    def untell(self, counts: tuple[int, int]) -> None:
        """Telling failed."""
        with self._lock:
            self._untold = [a + b for a, b in zip(self._untold, counts, strict=True)]

    def report(self) -> ShadowReport:
        """All that was counted."""
        with self._lock:
            sides = self._sides
            return ShadowReport(
                self._compared, self._differed, dict(self._kinds), sides["legacy"].report(), sides["new"].report()
            )
