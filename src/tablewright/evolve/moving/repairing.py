"""A repair at a pace: what notes say is still to be written, no faster than is allowed, with word on how far it is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from tablewright.client.calls import WRITES, Pause
from tablewright.client.drive import SyncDriver
from tablewright.errors import ArgumentError
from tablewright.evolve.jobs.pacing import Pace
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.bad_rows import Tell
from tablewright.evolve.moving.settling import Repaired, settle_note
from tablewright.evolve.moving.sides import At, Place, Side, Walk, carry_out


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
) -> Repaired:
    """Settles all that is pending, one note after the other. `bad_row` gets what is left."""
    if max_write_units is not None and not (math.isfinite(max_write_units) and max_write_units > 0):
        raise ArgumentError("max_write_units= is a number above 0.", field="max_write_units", constraint="above 0")
    way = ways["new"]
    pace = Pace("write units", max_write_units, way.policy, timer)
    settled, reasons, start = 0, Counter[str](), None
    while True:
        notes, start = _drive(ledger.pending_notes(place, start), ways, pace)
        for note in notes:
            reason = _drive(settle_note(place, note), ways, pace)
            if reason is None:
                settled += 1
            else:
                reasons[reason] += 1
                if bad_row is not None:
                    bad_row(ledger.row_of(place, note, reason))
            if progress is not None:
                progress(Repairing(settled, reasons.total(), pace.units))
        if start is None:
            return Repaired(settled, dict(reasons))


def _drive(walk: Walk[Any], ways: dict[Side, SyncDriver], pace: Pace) -> Any:
    return carry_out(walk, lambda step: _send(step, ways[step.side], pace))


def _send(step: At, way: SyncDriver, pace: Pace) -> dict[str, Any]:
    if isinstance(step.call, Pause) or step.call.operation not in WRITES:
        return way.run(step.steps())
    while seconds := pace.wait():
        way.sleep(seconds)
    sent = pace.send()
    with way.measure() as meter:
        try:
            return way.run(step.steps())
        finally:
            pace.answered(sent, meter.capacity.write)
