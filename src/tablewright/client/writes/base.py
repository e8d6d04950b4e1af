"""What every planned write has in common: a key, conditions of the caller's own, and an account of what failed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from tablewright.client.writes.action import Action
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import (
    ConcurrentModificationError,
    ConditionalCheckError,
    NotFoundError,
    TablewrightError,
    UniqueViolationError,
)
from tablewright.expressions import ast, evaluate
from tablewright.values.types import Item


class _Unset:
    """No expectation about the version."""


UNSET = _Unset()
Expectation = int | None | _Unset
"""A version that the item must have; None: none at all; UNSET: whatever it has."""


@dataclass(slots=True, eq=False)
class Write(ABC):
    """A write of one entity. `actions` plans it against the current item, `blame` explains a failed condition."""

    plan: EntityPlan
    key: Item
    condition: ast.Condition | None = None
    expected: Expectation = field(default=UNSET)

    @property
    def needs_current(self) -> bool:
        """Whether the stored item must be read before this can be planned."""
        return False

    @property
    def guess(self) -> Item | None:
        """What the caller's own copy says of the item; the guard finds out if it is old."""
        return None

    @abstractmethod
    def actions(self, current: Item | None, now: str) -> list[Action]:
        """The actions; the first is on the entity itself, the rest on its markers."""

    def blame(self, action: Action, old: Item | None) -> TablewrightError | None:
        """Why the condition of an action failed, given the item it met; None if only the guard did and it can be planned
        again."""
        if action.marker is not None:
            return self._marker_error(action)
        if old is None:
            return self.missing()
        if self.condition is not None and not evaluate(self.condition, old):
            return ConditionalCheckError(
                f"The condition on {self.plan.name} does not hold.",
                item=old,
                hint="Nothing was written.",
                context={"entity": self.plan.name},
            )
        return self.version_error(old)

    def missing(self) -> TablewrightError | None:
        """The error for an item that is not there."""
        return NotFoundError(
            f"There is no such {self.plan.name}.",
            hint="Nothing was written; create() makes a new one.",
            context={"entity": self.plan.name},
        )

    def version_error(self, old: Item) -> TablewrightError | None:
        """The error for an item whose version is not the expected one."""
        if isinstance(self.expected, _Unset):
            return None
        stored = old.get(self.plan.names.version, {}).get("N")
        if (int(stored) if stored is not None else None) == self.expected:
            return None
        return ConcurrentModificationError(
            f"Somebody else changed this {self.plan.name} since it was read.",
            item=old,
            hint="Nothing was written; read it again and repeat the change.",
            context={"entity": self.plan.name},
        )

    def _marker_error(self, action: Action) -> TablewrightError:
        return UniqueViolationError(
            f"{self.plan.name}: the value of {action.marker} belongs to another {self.plan.name}.",
            hint="Nothing was written; choose another value.",
            context={"entity": self.plan.name, "unique": action.marker},
        )

    # ----------------------------------------------------------------------------------------- building blocks

    def own_conditions(self, *more: ast.Condition | None) -> list[ast.Condition]:
        """The caller's condition, the expected version, and more."""
        conditions = [c for c in more if c is not None]
        if self.condition is not None:
            conditions.append(self.condition)
        if not isinstance(self.expected, _Unset):
            path = (self.plan.names.version,)
            if self.expected is None:
                conditions.append(ast.AttributeNotExists(path))
            else:
                conditions.append(ast.Compare("=", ast.Attribute(path), ast.Value({"N": str(self.expected)})))
        return conditions

    def exists(self) -> ast.Condition:
        """The item is there."""
        return ast.AttributeExists((self.plan.table.pk.name,))

    def absent(self) -> ast.Condition:
        """The item is not there."""
        return ast.AttributeNotExists((self.plan.table.pk.name,))


def all_of(conditions: list[ast.Condition]) -> ast.Condition | None:
    """One condition out of many."""
    return conjunction(conditions)


def unchanged(plan: EntityPlan, fields: frozenset[str], current: Item | None) -> list[ast.Condition]:
    """The guard: these fields are stored exactly as they were read, absence included."""
    conditions: list[ast.Condition] = []
    for name in sorted(fields):
        path = plan.sources[name].path
        value = _at(current, path)
        if value is None:
            conditions.append(ast.AttributeNotExists(path))
        else:
            conditions.append(ast.Compare("=", ast.Attribute(path), ast.Value(value)))
    return conditions


def _at(item: Item | None, path: tuple[str, ...]) -> Any:
    value: Any = {"M": item or {}}
    for step in path:
        value = value.get("M", {}).get(step) if isinstance(value, dict) else None
        if value is None:
            return None
    return value
