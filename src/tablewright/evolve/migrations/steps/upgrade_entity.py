"""Items of older schema versions, brought to the one that the model writes."""

from __future__ import annotations

from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.steps.split_item import SplitItem
from tablewright.evolve.migrations.works.versions import Lower, Raise, Readable


class UpgradeEntity(Step, frozen=True):
    """Writes the items of an entity again that have an older schema version, when the migration is retired.

    `UpgradeEntity("Order", was=1)`. Code of the new model reads older items as current ones; code of the old model refuses
    newer ones, so that none are made before it is gone. `was` is the version that the old model has: a rollback writes items of
    newer ones as that again, by the model's downcasts. Without it, a rollback leaves items at the version that they have.
    """

    entity: str
    was: int | None = None

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Writes nothing; what cannot be upgraded later is told now."""
        return (Readable(ground.entity(self.entity), ground.table, self._split(ground)),)

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Upgrades them."""
        return (Raise(ground.entity(self.entity), ground.table),)

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Brings them back to the version that the old model has."""
        plan = ground.entity(self.entity)
        if self.was is None or plan.versions is None:
            return ()
        return (Lower(plan, ground.table, self.was, self._split(ground)),)

    def _split(self, ground: Ground) -> tuple[str, ...]:
        """What parts are made of that other steps put beside its items."""
        steps = (*(ground.steps or ()), *ground.later)
        splits = [step for step in steps if isinstance(step, SplitItem) and step.entity == self.entity]
        return tuple(name for step in splits for name in step.removes)
