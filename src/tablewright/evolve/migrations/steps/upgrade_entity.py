"""Items of older schema versions, brought to the one that the model writes."""

from __future__ import annotations

from importlib import import_module

from tablewright.evolve.jobs.work import Work
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Step


class UpgradeEntity(Step, frozen=True):
    """Writes the items of an entity again that have an older schema version.

    `UpgradeEntity("Order")`. Readers of the model upgrade what they read anyway; this leaves nothing for them to do. A rollback
    leaves items at the version that they have: readers of both versions are the model's business, not the table's.
    """

    entity: str

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Upgrades them."""
        # Loaded here, so that migrations without it need nothing of it.
        upgrading = import_module("tablewright.evolve.upgrading")
        work: Work = upgrading.Upgrade(ground.entity(self.entity), ground.table)
        return (work,)
