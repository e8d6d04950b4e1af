"""One item that becomes many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.works.gathering import GatherParts, kinds_named
from tablewright.evolve.migrations.works.parting import Aim
from tablewright.evolve.migrations.works.splitting import SplitUp
from tablewright.evolve.migrations.works.straying import KeptParts, StrayParts


class SplitItem(Step, frozen=True):
    """Puts the parts of each item of an entity beside it, by a function of the file; what they were made of is removed from it
    when the migration is retired.

    `SplitItem("Survey", by=sections_of, removes=("content",))`. `by` takes the stored item as a dict, and returns the parts as
    pairs of an entity's name and its fields, the same ones each time. Parts are put only where nothing lies yet, all of them in
    one transaction, so that an item may have 99. An item that code of the old model has changed since is split anew. `back`, if
    there is one, takes the stored item and its parts as such pairs, and returns the attributes that a rollback sets where code
    of the new model has written the item or parts of it. `parts` are the entities whose items are parts, and nothing else: a rollback
    takes those in that code of the new model has made. Where they are not said, it leaves such items, and tells them.
    """

    lasting: ClassVar[bool] = True
    pairs: ClassVar[bool] = True

    entity: str
    by: Callable[[dict[str, Any]], Any]
    removes: tuple[str, ...] = ()
    back: Callable[[dict[str, Any], list[tuple[str, dict[str, Any]]]], Any] | None = None
    parts: tuple[str, ...] | None = None

    @property
    def takes(self) -> tuple[str, ...]:
        """What the parts are made of."""
        return self.removes

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Puts the parts, anew where their items have changed, and takes those away whose items are gone. What a rollback could not
        find later is refused now."""
        self.undo(ground)
        return self._works(ground, "follow")

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Removes what they were made of, and the marks; what has no parts yet, or has changed, is split first."""
        return self._works(ground, "finish")

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Takes the parts away, those too that code of the new model has made; what it wrote goes back by a function."""
        shared = self._shared(ground, "undo")
        kinds = tuple(map(ground.entity, self._kinds(ground)))
        found, told = (GatherParts(*shared, kinds, self.by.__name__, tells) for tells in (False, True))
        return (
            *([found] if self.parts else []),
            SplitUp(*shared, self.by, self.back),
            *([told] if kinds else []),
            StrayParts(*shared),
        )

    def _kinds(self, ground: Ground) -> tuple[str, ...]:
        """What may be parts; where it is not said, what `by` names, whose items are told and left."""
        return kinds_named(self.by, ground.entities) if self.parts is None else self.parts

    def _works(self, ground: Ground, aim: Aim) -> tuple[Part, ...]:
        shared = self._shared(ground, aim)
        # Items first: one that was deleted and written anew takes over what it finds of its parts.
        works = SplitUp(*shared, self.by, self.back), StrayParts(*shared)
        return (KeptParts(*shared), *works) if aim == "finish" and self.removes else works

    def _shared(
        self, ground: Ground, aim: Aim
    ) -> tuple[EntityPlan, str, dict[str, EntityPlan], frozenset[str], tuple[str, ...], Aim]:
        plan = ground.entity(self.entity)
        return plan, ground.table, ground.entities, ground.index_attributes, self.removes, aim
