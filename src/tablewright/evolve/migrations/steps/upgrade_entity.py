"""Items of older schema versions, brought to the one that the model writes."""

from __future__ import annotations

from importlib import import_module

from tablewright.evolve.jobs.work import Work
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Step


class UpgradeEntity(Step, frozen=True):
    """Writes the items of an entity again that have an older schema version.

    `UpgradeEntity("Order")`. Readers of the model upgrade what they read anyway; this leaves nothing for them to do.
    Code of the old model reads the new version as far as the model says how it is brought down.
    """

    entity: str

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Upgrades them."""
        work: Work = import_module("tablewright.evolve.upgrading").upgrade_work(
            ground.entity(self.entity), ground.table
        )
        return (work,)

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Brings them down to the version before, where the model says how."""
        work: Work = import_module("tablewright.evolve.upgrading").downgrade_work(
            ground.entity(self.entity), ground.table
        )
        return (work,)
