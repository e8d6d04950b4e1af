"""What verifications tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.evolve.moving.verifying import Verification


def show_verification(found: Verification, *, as_json: bool) -> None:
    """Counts, checksums and differences."""
    if not as_json:
        print(found.text())
        return
    from msgspec import to_builtins

    from tablewright.cli.move.opening import counts_json, print_json

    print_json(
        {
            "well": found.well,
            "entities": {name: to_builtins(tally) | {"equal": tally.equal} for name, tally in found.entities.items()},
            "differences": counts_json(found.differences),
            "unfit": counts_json(found.unfit),
            "others": found.others,
            "writing": found.writing,
        }
    )
