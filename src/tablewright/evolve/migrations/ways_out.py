"""What somebody can do about items that are left, where the reason alone does not say it."""

from __future__ import annotations

from tablewright.evolve.migrations.outcome import Told
from tablewright.evolve.migrations.works.claiming import UNIQUE
from tablewright.evolve.migrations.works.filling import NO_SOURCE
from tablewright.evolve.migrations.works.guarding import READ
from tablewright.evolve.migrations.works.moving import TAKEN
from tablewright.evolve.migrations.works.pairing import BOTH
from tablewright.evolve.migrations.works.versions import DROPS
from tablewright.evolve.upgrading import HELD

_WINS = 'Write wins="old" or wins="new" into {step}: it says whose value counts, the old model\'s or the new one\'s.'


def way_out(told: Told, reason: str) -> str | None:
    """How items that a part has left for this reason are settled; None where the reason says it, or nobody knows."""
    wins = _WINS.format(step=told.step)
    if reason.endswith("are both there and do not agree"):
        return f"{wins} Or remove one of the two from each of these items."
    if reason == BOTH:
        return f"{wins} Or delete one of the two items."
    if reason == TAKEN:
        return (
            "Delete the item that lies there or the one that is left, or change what the key of one of them is made of."
        )
    if reason == NO_SOURCE:
        return (
            f"Give these items what it was made of; or write when= into {told.step}, a function that says which items were in the "
            "index: the others get no old key."
        )
    if not told.step:  # what no step has done
        return "Write what is missing into the migration, or give these items by hand what the model reads; then run it again."
    if reason == HELD or reason.endswith(UNIQUE):
        return "Give one of the two items another value."
    if reason == DROPS:
        return "Let it keep these attributes: `retire` removes them, when the parts are there."
    if reason == READ:
        return "Read these items with upgrade_on_read=True, which makes current ones of them, and repeat the command."
    return None
