"""An index that nothing reads any more."""

from __future__ import annotations

from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.indexes import DropOne, IndexForm, MakeOne
from tablewright.evolve.migrations.step import Part, Step


class DropIndex(Step, frozen=True):
    """Drops an index when the migration is retired. What it was stands here too, so that it can be made again.

    `DropIndex("GSI1", pk=("GSI1PK (S)",), sk=("GSI1SK (S)",))`
    """

    index: str
    pk: tuple[str, ...]
    sk: tuple[str, ...] = ()
    projection: str = "ALL"

    @property
    def form(self) -> IndexForm:
        """The index."""
        return IndexForm(self.index, self.pk, self.sk, self.projection)

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Drops it."""
        return (DropOne(ground.table, self.index),)

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Makes it again, where it was dropped."""
        return (MakeOne(ground.table, self.form),)
