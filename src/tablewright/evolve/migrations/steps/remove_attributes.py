"""Attributes that nothing reads any more."""

from __future__ import annotations

from typing import ClassVar

from tablewright.evolve.migrations.ground import Ground
from tablewright.evolve.migrations.step import Part, Step
from tablewright.evolve.migrations.works.filling import Clear


class RemoveAttributes(Step, frozen=True):
    """Removes attributes from the items of an entity when the migration is retired. What they held is gone then, and no
    rollback brings it back.

    `RemoveAttributes("Order", ("legacy_code",))`
    """

    lasting: ClassVar[bool] = True

    positional: ClassVar[int] = 2

    entity: str
    attributes: tuple[str, ...]

    @property
    def takes(self) -> tuple[str, ...]:
        """All of them."""
        return self.attributes

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Removes them."""
        return (Clear(ground.entity(self.entity), ground.table, self.attributes, read=True),)
