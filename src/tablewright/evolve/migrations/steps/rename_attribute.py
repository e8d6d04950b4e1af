"""An attribute under another name."""

from __future__ import annotations

from typing import ClassVar

from tablewright.evolve.migrations.ground import Ground, refuse_encrypted
from tablewright.evolve.migrations.step import Part, Step, Winner
from tablewright.evolve.migrations.works.recasting import Recast


def overwriting(winner: Winner | None) -> bool | None:
    """Whether the old form overwrites the new one."""
    return None if winner is None else winner == "old"


class RenameAttribute(Step, frozen=True):
    """Copies an attribute to its new name; the old one is removed when the migration is retired.

    `RenameAttribute("Order", "state", to="status")`. What code of either model writes meanwhile is taken over, and index keys
    and markers of unique values with it. Where both have changed one item, it is skipped and told: `wins="new"` or `wins="old"`
    decides. `field` is the name in code that the old model had for it, which rules about unique values are called by; without
    it, a field that is stored under its own name now was so before, and any other has kept its name.
    """

    positional: ClassVar[int] = 2

    entity: str
    attribute: str
    to: str
    wins: Winner | None = None
    field: str | None = None

    def field_before(self, name: str) -> str:
        """What the old model called a field that the new one stores there."""
        return self.field or (self.attribute if name == self.to else name)

    @property
    def takes(self) -> tuple[str, ...]:
        """The old name."""
        return (self.attribute,)

    @property
    def makes(self) -> tuple[str, ...]:
        """The new one."""
        return (self.to,)

    def run(self, ground: Ground) -> tuple[Part, ...]:
        """Copies it."""
        plan = ground.entity(self.entity)
        refuse_encrypted(plan, (self.attribute, self.to))
        return (Recast(plan, ground.table, (self.attribute,), (self.to,), None, overwriting(self.wins)),)

    def retire(self, ground: Ground) -> tuple[Part, ...]:
        """Removes the old one, with what it held last."""
        plan = ground.entity(self.entity)
        refuse_encrypted(plan, (self.attribute, self.to))
        return (Recast(plan, ground.table, (self.attribute,), (self.to,), None, overwriting(self.wins), removes=True),)

    def undo(self, ground: Ground) -> tuple[Part, ...]:
        """Brings the old one back, and removes the new one."""
        plan, back = ground.entity(self.entity), overwriting(self.wins)
        refuse_encrypted(plan, (self.attribute, self.to))
        overwrites = None if back is None else not back
        return (Recast(plan, ground.table, (self.to,), (self.attribute,), None, overwrites, removes=True, back=True),)
