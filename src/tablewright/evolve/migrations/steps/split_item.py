"""One item that becomes many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.works.filling import Clear
from tablewright.evolve.migrations.works.splitting import SPLIT, SplitUp


class SplitItem(Step, frozen=True):
    """Puts the parts of each item of an entity beside it, by a function of the file; what they were made of is removed from it
    when the migration is retired.

    `SplitItem("Survey", by=sections_of, removes=("content",))`. `by` takes the stored item as a dict, and returns the parts as
    pairs of an entity's name and its fields. Parts are put only where nothing lies yet, all of them in one transaction, so
    that an item may have 99.
    """

    lasting: ClassVar[bool] = True

    entity: str
    by: Callable[[dict[str, Any]], Any]
    removes: tuple[str, ...] = ()

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Puts the parts."""
        return (self._work(ground, undo=False),)

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Removes what they were made of, and the mark."""
        return (Clear(ground.entity(self.entity), ground.table, (*self.removes, SPLIT), needs=(SPLIT,)),)

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Deletes the parts that are still as they were made."""
        return (self._work(ground, undo=True),)

    def _work(self, ground: Ground, *, undo: bool) -> SplitUp:
        return SplitUp(ground.entity(self.entity), ground.table, self.by, ground.entities, self.removes, undo)
