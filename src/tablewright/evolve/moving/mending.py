"""Mending: what a verification finds is written anew or removed, and what is still not well is told."""

from __future__ import annotations

from collections.abc import Callable

from tablewright.evolve.moving.bad_rows import BadRow, Tell
from tablewright.evolve.moving.deriving import key_text
from tablewright.evolve.moving.settling import Repaired
from tablewright.evolve.moving.verifying import Verification


class Mended(Repaired, frozen=True, kw_only=True):
    """What was put right, and how both sides are now."""

    found: Verification
    """Of after it: what no writing puts right is there still, such as items that cannot be moved, or without a parent."""

    @property
    def well(self) -> bool:
        """Whether nothing is left."""
        return not self.failed and self.found.well

    @property
    def exit_code(self) -> int:
        """0 when nothing is left."""
        return 0 if self.well else 1


def mend(
    verify: Callable[[bool, Tell | None], Verification], repair: Callable[[Tell | None], Repaired], bad_row: Tell | None
) -> Mended:
    """Verifies, repairs, and verifies again where something was not well. `verify` takes whether it notes what differs.
    `bad_row` gets each item that is left once."""
    told: set[tuple[str, str]] = set()

    def left(row: BadRow) -> None:
        told.add((row.table, key_text(row.key)))
        if bad_row is not None:
            bad_row(row)

    def found(row: BadRow) -> None:
        if bad_row is not None and (row.table, key_text(row.key)) not in told:
            bad_row(row)

    before = verify(True, None)
    done = repair(left)
    after = before if before.well else verify(False, found)
    return Mended(done.settled, done.failed, found=after)
