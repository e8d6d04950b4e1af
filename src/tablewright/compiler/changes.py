"""What a change does to an entity's index keys, known before any item is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tablewright.compiler.conditions import to_expression
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ChangeError, ImmutableFieldError, TablewrightError
from tablewright.model.change import Action, Assign, Change
from tablewright.model.conditions import path_text
from tablewright.model.symbols import Symbol


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """Which fields a change writes, and which indexes move with them."""

    fields: frozenset[str]
    indexes: tuple[str, ...]


def refuse_key_changes(plan: EntityPlan, actions: Iterable[Action]) -> None:
    """The primary key of an item cannot change."""
    for action in actions:
        plan.paths.root(action.path)
        if action.path[0] in plan.key_fields:
            raise ImmutableFieldError(
                f"{plan.name}.{path_text(action.path)} is part of the primary key and cannot be changed.",
                field=path_text(action.path),
                hint="Delete the item and create another one, in one transaction.",
            )


def summarise(change: Change[Any, ...], plan: EntityPlan) -> ChangeSummary:
    """Checks every variant of a change and sums it up."""
    fields: set[str] = set()
    for variant in change.variants.values():
        try:
            refuse_key_changes(plan, variant.actions)
            for action in variant.actions:
                fields.add(str(action.path[0]))
                if isinstance(action, Assign) and type(action.value) is not Symbol:
                    plan.paths.accept(action.path, action.value)
            for condition in variant.conditions:
                if not any(type(v) is Symbol for leaf in condition.leaves() for v in _values(leaf)):
                    to_expression(condition, plan.paths)
        except TablewrightError as error:
            raise ChangeError(f"The change {change.name}(): {error.message}", hint=error.hint) from error
    indexes = tuple(b.index.name for b in plan.bindings if b.sources & fields)
    return ChangeSummary(frozenset(fields), indexes)


def _values(leaf: Any) -> Iterable[Any]:
    for name in ("value", "low", "high", "prefix", "member"):
        if hasattr(leaf, name):
            yield getattr(leaf, name)
    yield from getattr(leaf, "values", ())
