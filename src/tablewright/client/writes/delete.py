"""`delete`, and `check`: a condition on an item that a transaction only looks at."""

from __future__ import annotations

from typing import ClassVar

from tablewright.client.unsaid import Unset
from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write, unchanged
from tablewright.compiler.conditions import conjunction
from tablewright.errors import TablewrightError
from tablewright.expressions import ast
from tablewright.expressions.builder import any_of
from tablewright.values.types import Item


class Delete(Write, eq=False):
    """Deletes an item and gives its unique values up. An item that is gone already is no error, unless a condition of
    the caller's own is on it."""

    must_exist: ClassVar[bool] = False

    @property
    def needs_current(self) -> bool:
        """Unique values must be known, to be given up. With a mirror it is a transaction, which returns nothing."""
        return bool(self.plan.uniques) or self.plan.mirrored

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One delete, and one for each unique value."""
        plan = self.plan
        if not self.needs_current:
            # What a condition says of fields, it says of those of this version. Without one, an older item may go as it is.
            looked_at = self.in_version() if self.condition is not None else self.in_known_version()
            condition = conjunction([self.not_foreign(), *looked_at, *self.own_conditions()])
            # With a version nobody's write may be lost, so not even that of whoever made the item anew meanwhile.
            free = self.condition is None and isinstance(self.expected, Unset) and not plan.options.version
            return [Action("Delete", self.key, condition=condition, holds_after=free)]
        guard: list[ast.Condition] = [self.absent()]
        moves: list[Action] = []
        if current is not None:
            moves = markers.moves(self, markers.stored_markers(plan, current), {})
            # A transaction returns nothing, so what was read must be what is deleted.
            last_write = [n for n in (plan.names.updated, plan.names.version) if n in current]
            guard = [
                self.exists(),
                *self.in_version(),
                *unchanged(plan, plan.unique_fields - plan.key_fields, current),
                *(self.as_before(current, *last_write) if last_write else self.exactly(current)),
            ]
        return [Action("Delete", self.key, condition=conjunction(self.own_conditions(*guard))), *moves]


class Check(Write, eq=False):
    """A condition that must hold for the whole transaction."""

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One condition check."""
        return [Action("ConditionCheck", self.key, condition=self._holding())]

    def _holding(self) -> ast.Condition | None:
        looked_at = [] if self.condition is None else self.in_version()
        return conjunction(self.own_conditions(self.exists(), *looked_at))


class Standing(Check, eq=False):
    """A condition that must hold of an item as long as there is one."""

    must_exist: ClassVar[bool] = False

    @property
    def guarded(self) -> bool:
        """That there is no item any more is no failure."""
        return True

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One condition check."""
        holding = any_of(self.absent(), self._holding() or self.exists())
        return [Action("ConditionCheck", self.key, condition=holding)]

    def verdict(self, old: Item | None) -> TablewrightError | None:
        """Nothing can be wrong with what is not there."""
        return None if old is None else Check.verdict(self, old)
