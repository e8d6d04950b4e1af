"""From an index whose keys are several fields in one text to an index that has each in an attribute of its own."""

from __future__ import annotations

from typing import ClassVar

from tablewright.errors import ArgumentError
from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.steps.add_index import AddIndex
from tablewright.evolve.migrations.steps.drop_index import DropIndex
from tablewright.evolve.migrations.steps.fill_keys import FillKeys
from tablewright.evolve.migrations.steps.remove_keys import RemoveKeys
from tablewright.wording import counted


class ToMultiAttributeKeys(Step, frozen=True):
    """Makes the new index and fills it; the migration that is retired drops the old index and its attributes. Code of the old
    model keeps the old index right, and what it writes comes into the new one with the next run; code of the new model keeps the
    new one alone. Whoever still reads the old one then needs a model between the two that has both.

    `ToMultiAttributeKeys(("Order",), AddIndex("ByStatus", ...), instead_of=DropIndex("GSI2", ...), was=(("...", "..."),))`,
    where `was` has, for each entity, the templates that it had on the old index.
    """

    positional: ClassVar[int] = 2

    entities: tuple[str, ...]
    index: AddIndex
    instead_of: DropIndex
    was: tuple[tuple[str, ...], ...]

    def fills(self, entity: str) -> tuple[str, ...]:
        """The new index, of its entities."""
        return (self.index.index,) if entity in self.entities else ()

    def __post_init__(self) -> None:
        Step.__post_init__(self)
        if len(self.was) != len(self.entities):
            raise ArgumentError(
                f"was of ToMultiAttributeKeys has the templates of {counted(len(self.was), 'entity', 'entities')}, and it is about "
                f"{len(self.entities)}.",
                hint="Write a tuple of templates for each entity, in their order.",
            )

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Makes it, then fills it."""
        return tuple(part for step in self._steps() for part in step.run(ground))

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Fills the new one again, drops the old one, then removes its keys."""
        return tuple(part for step in self._steps() for part in step.retire(ground))

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Gives items their old keys again, makes the old index, and removes the new one with its keys."""
        return tuple(part for step in reversed(self._steps()) for part in step.undo(ground))

    def _steps(self) -> list[Step]:
        old = self.instead_of
        pairs = zip(self.entities, self.was, strict=True)
        return [
            self.index,
            *(FillKeys(name, self.index.index) for name in self.entities),
            old,
            *(RemoveKeys(name, old.pk, old.sk, was) for name, was in pairs),
        ]
