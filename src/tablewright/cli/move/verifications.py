"""What verifications tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablewright.evolve.moving.verifying import Verification


def show_verification(found: Verification, *, as_json: bool) -> None:
    """Counts, checksums and differences."""
    if not as_json:
        print(found.text())
        return
    from tablewright.cli.move.opening import print_json

    print_json(verification_json(found))


def verification_json(found: Verification) -> dict[str, Any]:
    """The same for programs."""
    from msgspec import to_builtins

    from tablewright.cli.move.opening import counts_json

    return {
        "well": found.well,
        "entities": {name: to_builtins(tally) | {"equal": tally.equal} for name, tally in found.entities.items()},
        "differences": counts_json(found.differences),
        "unfit": counts_json(found.unfit),
        "unmapped": counts_json(found.unmapped),
        "others": found.others,
        "writing": found.writing,
    }
