"""One item that becomes many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.works.parting import Aim
from tablewright.evolve.migrations.works.splitting import SplitUp
from tablewright.evolve.migrations.works.straying import StrayParts


class SplitItem(Step, frozen=True):
    """Puts the parts of each item of an entity beside it, by a function of the file; what they were made of is removed from it
    when the migration is retired.

    `SplitItem("Survey", by=sections_of, removes=("content",))`. `by` takes the stored item as a dict, and returns the parts as
    pairs of an entity's name and its fields, the same ones each time. Parts are put only where nothing lies yet, all of them in
    one transaction, so that an item may have 99. An item that code of the old model has changed since is split anew. `back`, if
    there is one, takes the stored item and its parts as such pairs, and returns the attributes that a rollback sets where code
    of the new model has changed or deleted parts.
    """

    lasting: ClassVar[bool] = True
    pairs: ClassVar[bool] = True

    entity: str
    by: Callable[[dict[str, Any]], Any]
    removes: tuple[str, ...] = ()
    back: Callable[[dict[str, Any], list[tuple[str, dict[str, Any]]]], Any] | None = None

    @property
    def takes(self) -> tuple[str, ...]:
        """What the parts are made of."""
        return self.removes

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Puts the parts, anew where their items have changed, and takes those away whose items are gone."""
        return self._works(ground, "follow")

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Removes what they were made of, and the marks; what has no parts yet, or has changed, is split first."""
        return self._works(ground, "finish")

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Takes the parts away, with what was written into them."""
        return self._works(ground, "undo")

    def _works(self, ground: Ground, aim: Aim) -> tuple[Part, ...]:
        plan = ground.entity(self.entity)
        shared = plan, ground.table, ground.entities, ground.index_attributes, self.removes, aim
        # Items first: one that was deleted and written anew takes over what it finds of its parts.
        return SplitUp(*shared, self.by, self.back), StrayParts(*shared)
