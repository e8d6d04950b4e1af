"""What repairs tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tablewright.cli.move.verifications import verification_json
from tablewright.wording import counted

if TYPE_CHECKING:
    from tablewright.evolve.moving.verifying import Verification


def show_repair(
    settled: int, left: Mapping[str, int], *, write: bool, as_json: bool, found: Verification | None = None
) -> None:
    """How many items are right now, and why others are not; and what was `found` after it."""
    if as_json:
        from tablewright.cli.move.opening import print_json

        told: dict[str, Any] = {"settled": settled, "left": dict(left), "written": write}
        print_json(told if found is None else told | {"found": verification_json(found)})
        return
    if settled:
        print(f"{counted(settled, 'item')} {'written' if found is None else 'put right'}.")
    for reason, count in sorted(left.items()):
        print(f"  left, {counted(count, 'item')}: {reason}")
    if found is not None and not found.well:
        print(found.text())
    elif not settled and not left:
        print("Nothing to do.")
