"""A repair at a pace: what notes say is still to be written, no faster than is allowed, with word on how far it is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from threading import Lock
from typing import Any, Final, TypeVar

from msgspec import Struct

from tablewright.client.calls import Pause
from tablewright.client.drive import SyncDriver
from tablewright.errors import ArgumentError, TransactionCanceled
from tablewright.evolve.jobs.pacing import Pace
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.bad_rows import Tell
from tablewright.evolve.moving.late import Late
from tablewright.evolve.moving.settling import Repaired, settle_note
from tablewright.evolve.moving.sides import At, Place, Side, Walk, carry_out
from tablewright.values.operations import WRITES

T = TypeVar("T")
MOST_IN_FLIGHT: Final = 64


class Repairing(Struct, frozen=True):
    """How far a repair is."""

    settled: int
    failed: int
    write_units: float
    """What it consumed so far."""

    def __str__(self) -> str:
        return f"{self.settled:,} settled, {self.failed:,} failed, {self.write_units:,.0f} write units"


def repair_paced(
    place: Place,
    ways: dict[Side, SyncDriver],
    max_write_units: float | None,
    progress: Callable[[Repairing], object] | None,
    timer: Callable[[], float],
    bad_row: Tell | None = None,
    in_flight: int = 1,
    late: Late | None = None,
) -> Repaired:
    """Settles all that is pending, `in_flight` notes side by side. `bad_row` gets what is left. All of it may be `late`."""
    if max_write_units is not None and not (math.isfinite(max_write_units) and max_write_units > 0):
        raise ArgumentError("max_write_units= is a number above 0.", field="max_write_units", constraint="above 0")
    if isinstance(in_flight, bool) or not isinstance(in_flight, int) or not 1 <= in_flight <= MOST_IN_FLIGHT:
        limits = f"1 to {MOST_IN_FLIGHT}"
        raise ArgumentError(f"in_flight= is a number from {limits}.", field="in_flight", constraint=limits)
    paced = _Paced(ways, Pace("write units", max_write_units, ways["new"].policy, timer))
    settled, reasons, start = 0, Counter[str](), None
    while True:
        notes, start = paced.drive(ledger.pending_notes(place, start))
        for note, reason in paced.settle(place, notes, in_flight, late):
            if reason is None:
                settled += 1
            else:
                reasons[reason] += 1
                if bad_row is not None:
                    bad_row(ledger.row_of(place, note, reason))
            if progress is not None:
                progress(Repairing(settled, reasons.total(), paced.units))
        if start is None:
            return Repaired(settled, dict(reasons))


class _Paced:
    """The way to both sides at one pace, however many threads are on it."""

    def __init__(self, ways: dict[Side, SyncDriver], pace: Pace) -> None:
        self._ways = ways
        self._pace = pace
        self._lock = Lock()
        self._stuck: set[tuple[str, str]] = set()

    @property
    def units(self) -> float:
        """What was consumed so far."""
        return self._pace.units

    def drive(self, walk: Walk[T]) -> T:
        """Carries out steps."""
        return carry_out(walk, lambda step: self._send(step, self._ways[step.side]))

    def settle(
        self, place: Place, notes: list[ledger.Note], in_flight: int, late: Late | None
    ) -> Iterator[tuple[ledger.Note, str | None]]:
        """What became of each note of a page, in their order; of those that were in each other's way, at the end."""
        if in_flight == 1:
            yield from ((note, self.drive(settle_note(place, note, late, self._stuck))) for note in notes)
            return
        later: list[ledger.Note] = []
        with ThreadPoolExecutor(in_flight, thread_name_prefix="tablewright-repair") as threads:
            contexts = [copy_context() for _ in notes]
            tries = threads.map(lambda note, context: context.run(self._try, place, note, late), notes, contexts)
            for note, (done, reason) in zip(notes, tries, strict=True):
                if done:
                    yield note, reason
                else:
                    later.append(note)
        yield from self.settle(place, later, 1, late)

    def _try(self, place: Place, note: ledger.Note, late: Late | None) -> tuple[bool, str | None]:
        """Whether a note was seen to, and what became of it; items that are merged into many stand in the way of each other."""
        try:
            return True, self.drive(settle_note(place, note, late, self._stuck))
        except TransactionCanceled as canceled:
            if not canceled.transient:
                raise
            return False, None

    def _send(self, step: At, way: SyncDriver) -> dict[str, Any]:
        if isinstance(step.call, Pause) or step.call.operation not in WRITES:
            return way.run(step.steps())
        while True:
            with self._lock:
                seconds = self._pace.wait()
                if not seconds:
                    sent = self._pace.send()
                    break
            way.sleep(seconds)
        with way.measure() as meter:
            try:
                return way.run(step.steps())
            finally:
                with self._lock:
                    self._pace.answered(sent, meter.capacity.write)
