"""One attribute that becomes several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tablewright.evolve.migrations.ground import Ground, refuse_encrypted
from tablewright.evolve.migrations.step import Part, Step, Winner
from tablewright.evolve.migrations.steps.rename_attribute import overwriting
from tablewright.evolve.migrations.works.recasting import Recast


class SplitAttribute(Step, frozen=True):
    """Makes several attributes of one, by a function of the file; the one is removed when the migration is retired.

    `SplitAttribute("Person", "name", into=("first", "last"), by=split_name, back=join_name)`. `by` takes the value, and
    returns one for each attribute, None for one that is left out; `back` takes these, and returns the value.
    """

    positional: ClassVar[int] = 2

    entity: str
    attribute: str
    into: tuple[str, ...]
    by: Callable[..., Any]
    back: Callable[..., Any]
    wins: Winner | None = None

    @property
    def takes(self) -> tuple[str, ...]:
        """The one."""
        return (self.attribute,)

    @property
    def makes(self) -> tuple[str, ...]:
        """The several."""
        return self.into

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Makes them."""
        plan = ground.entity(self.entity)
        refuse_encrypted(plan, (self.attribute, *self.into))
        return (
            Recast(
                plan, ground.table, (self.attribute,), self.into, self.by, overwriting(self.wins), reverse=self.back
            ),
        )

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Removes the one, with what it held last."""
        plan = ground.entity(self.entity)
        refuse_encrypted(plan, (self.attribute, *self.into))
        return (
            Recast(plan, ground.table, (self.attribute,), self.into, self.by, overwriting(self.wins), removes=True),
        )

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Puts it together again, and removes them."""
        plan, back = ground.entity(self.entity), overwriting(self.wins)
        refuse_encrypted(plan, (self.attribute, *self.into))
        overwrites = None if back is None else not back
        return (
            Recast(
                plan,
                ground.table,
                self.into,
                (self.attribute,),
                self.back,
                overwrites,
                removes=True,
                back=True,
                reverse=self.by,
            ),
        )
