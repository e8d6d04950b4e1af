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
        split = tuple(
            name for step in (*self._splits(ground), *self._splits(ground, later=True)) for name in step.removes
        )
        return (Readable(ground.entity(self.entity), ground.table, split),)

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Upgrades them."""
        return (Raise(ground.entity(self.entity), ground.table),)

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Brings them back to the version that the old model has."""
        plan = ground.entity(self.entity)
        if self.was is None or plan.versions is None:
            return ()
        splits = self._splits(ground)
        split = tuple(name for step in splits for name in step.removes)
        return (Lower(plan, ground.table, self.was, split, all(step.back is not None for step in splits)),)

    def _splits(self, ground: Ground, *, later: bool = False) -> list[SplitItem]:
        """What puts parts beside its items, in this migration or in later ones."""
        steps = ground.later if later else ground.steps or ()
        return [step for step in steps if isinstance(step, SplitItem) and step.entity == self.entity]
