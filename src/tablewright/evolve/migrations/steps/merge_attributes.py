"""Several attributes that become one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tablewright.evolve.migrations.ground import Ground, refuse_encrypted
from tablewright.evolve.migrations.step import Part, Step, Winner
from tablewright.evolve.migrations.steps.rename_attribute import overwriting
from tablewright.evolve.migrations.works.recasting import Recast


class MergeAttributes(Step, frozen=True):
    """Makes one attribute of several, by a function of the file; the several are removed when the migration is retired.

    `MergeAttributes("Person", ("first", "last"), into="name", by=join_name, back=split_name)`. `by` takes a value for each
    attribute, None for one that is not there, and returns the one; `back` takes that, and returns a value for each.
    """

    positional: ClassVar[int] = 2

    entity: str
    attributes: tuple[str, ...]
    into: str
    by: Callable[..., Any]
    back: Callable[..., Any]
    wins: Winner | None = None

    @property
    def takes(self) -> tuple[str, ...]:
        """The several."""
        return self.attributes

    @property
    def makes(self) -> tuple[str, ...]:
        """The one."""
        return (self.into,)

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Makes it."""
        plan = ground.entity(self.entity)
        refuse_encrypted(plan, (*self.attributes, self.into))
        return (
            Recast(
                plan, ground.table, self.attributes, (self.into,), self.by, overwriting(self.wins), reverse=self.back
            ),
        )

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Removes the several, with what they held last."""
        plan = ground.entity(self.entity)
        refuse_encrypted(plan, (*self.attributes, self.into))
        return (
            Recast(plan, ground.table, self.attributes, (self.into,), self.by, overwriting(self.wins), removes=True),
        )

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Takes it apart again, and removes it."""
        plan, back = ground.entity(self.entity), overwriting(self.wins)
        refuse_encrypted(plan, (*self.attributes, self.into))
        overwrites = None if back is None else not back
        return (
            Recast(
                plan,
                ground.table,
                (self.into,),
                self.attributes,
                self.back,
                overwrites,
                removes=True,
                back=True,
                reverse=self.by,
            ),
        )
