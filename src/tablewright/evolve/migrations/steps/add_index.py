"""A new index, made before anything is written into it."""

from __future__ import annotations

from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.indexes import DropOne, IndexForm, MakeOne
from tablewright.evolve.migrations.step import Part, Step


class AddIndex(Step, frozen=True):
    """Makes an index. One is made at a time, and nothing goes on before it is active.

    `AddIndex("GSI2", pk=("GSI2PK (S)",), sk=("GSI2SK (S)",))`
    """

    index: str
    pk: tuple[str, ...]
    sk: tuple[str, ...] = ()
    projection: str = "ALL"

    @property
    def form(self) -> IndexForm:
        """The index."""
        return IndexForm(self.index, self.pk, self.sk, self.projection)

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Makes it."""
        return (MakeOne(ground.table, self.form),)

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Drops it."""
        return (DropOne(ground.table, self.index),)
