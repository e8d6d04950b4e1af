"""`delete`, and `check`: a condition on an item that a transaction only looks at."""

from __future__ import annotations

from dataclasses import dataclass

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write, all_of, unchanged
from tablewright.errors import TablewrightError
from tablewright.values.types import Item


@dataclass(slots=True, eq=False)
class Delete(Write):
    """Deletes an item and gives its unique values up. An item that is gone already is no error, unless a condition of
    the caller's own is on it."""

    @property
    def needs_current(self) -> bool:
        """Unique values must be known, to be given up."""
        return bool(self.plan.uniques)

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One delete, and one for each unique value."""
        plan = self.plan
        guard, moves = [], []
        if plan.uniques and current is not None:
            before = plan.values_in(current, plan.unique_fields)
            moves = markers.moves(plan, plan.markers(before), {}, self.key)
            guard = [self.exists(), *unchanged(plan, plan.unique_fields - plan.key_fields, current)]
        elif plan.uniques:
            guard = [self.absent()]
        return [Action("Delete", self.key, condition=all_of(self.own_conditions(*guard))), *moves]

    def blame(self, action: Action, old: Item | None) -> TablewrightError | None:
        """An item that vanished meanwhile can be planned again: then there is nothing left to do."""
        if action.marker is None and old is None and self.condition is None and not isinstance(self.expected, int):
            return None
        return Write.blame(self, action, old)


@dataclass(slots=True, eq=False)
class Check(Write):
    """A condition that must hold for the whole transaction."""

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One condition check."""
        return [Action("ConditionCheck", self.key, condition=all_of(self.own_conditions(self.exists())))]
