"""`claim_unique`: the markers of an item that was stored before its entity had unique fields."""

from __future__ import annotations

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write, unchanged
from tablewright.compiler.conditions import conjunction
from tablewright.values.types import Item


class Claim(Write, eq=False):
    """Takes the unique values that an item holds, if no other item has them; the item itself stays as it is."""

    @property
    def called(self) -> str:
        return "claim_unique"

    @property
    def needs_current(self) -> bool:
        """The values are those that are stored."""
        return True

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """A check that the values are still the same, and an update of each marker."""
        plan = self.plan
        if current is None:
            raise self.missing()
        guard = [self.exists(), *unchanged(plan, plan.unique_fields - plan.key_fields, current)]
        held = markers.stored_markers(plan, current)
        claims = [markers.adopt(plan, u, k, self.key) for u in plan.uniques if (k := held[u.name]) is not None]
        return [Action("ConditionCheck", self.key, condition=conjunction(self.own_conditions(*guard))), *claims]
