"""What a change does to an entity's index keys, known before any item is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from pydantic import BaseModel

from tablewright.compiler.conditions import check_condition
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.sealing import refuse_looking_inside
from tablewright.errors import ChangeError, ImmutableFieldError, TablewrightError
from tablewright.model.annotations import members
from tablewright.model.change import Action, Append, Assign, Change, Discard, Include, Remove
from tablewright.model.conditions import FieldPath, path_text
from tablewright.model.symbols import Symbol, has_symbols


class ChangeSummary(Struct, frozen=True):
    """Which fields a change writes, and which indexes move with them."""

    fields: frozenset[str]
    indexes: tuple[str, ...]


def refuse_key_changes(plan: EntityPlan, actions: Iterable[Action]) -> None:
    """The primary key of an item cannot change, and what is sealed changes only as a whole."""
    for action in actions:
        root, first = plan.paths.root(action.path), action.path[0]
        if root.sealing is not None and (len(action.path) > 1 or not isinstance(action, Assign | Remove)):
            refuse_looking_inside(plan.name, path_text(action.path), root.sealing)
        if first in plan.key_fields:
            raise ImmutableFieldError(
                f"{plan.name}.{path_text(action.path)} is part of the primary key and cannot be changed.",
                field=path_text(action.path),
                hint="Delete the item and create another one, in one transaction.",
            )


def refuse_frozen_changes(plan: EntityPlan, actions: Iterable[Action]) -> None:
    """What is declared frozen is written with the item as a whole, and not changed in it."""
    for action in actions:
        plan.paths.root(action.path)  # refuses what is no field
        if plan.entity.model_config.get("frozen") or _frozen(plan, action.path):
            raise ImmutableFieldError(
                f"{plan.name}.{path_text(action.path)} is frozen and cannot be changed.",
                field=path_text(action.path),
                hint="Nothing was sent; put() stores another entity in its place.",
            )


def _frozen(plan: EntityPlan, path: FieldPath) -> bool:
    """Whether a field that a path leads through is declared with Field(frozen=True)."""
    for depth, step in enumerate(path):
        for model in members(plan.paths.annotation(path[:depth])) if depth else (plan.entity,):
            info = model.__pydantic_fields__.get(str(step)) if _is_model(model) else None
            if info is not None and info.frozen:
                return True
    return False


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def summarise(change: Change[Any, ...], plan: EntityPlan) -> ChangeSummary:
    """Checks every variant of a change and sums it up."""
    fields: set[str] = set()
    for variant in change.variants.values():
        try:
            refuse_key_changes(plan, variant.actions)
            refuse_frozen_changes(plan, variant.actions)
            for action in variant.actions:
                fields.add(str(action.path[0]))
                _check_action(plan, action)
            for condition in variant.conditions:
                check_condition(condition, plan)
        except TablewrightError as error:
            raise ChangeError(f"The change {change.name}(): {error.message}", hint=error.hint) from error
    indexes = tuple(b.index.name for b in plan.bindings if b.sources & fields)
    return ChangeSummary(frozenset(fields), indexes)


def _check_action(plan: EntityPlan, action: Action) -> None:
    """Constants must fit now, and keys of maps; parameters are checked when they are given."""
    plan.paths.stored(action.path)
    match action:
        case Assign((name,), _) if plan.fields[str(name)].looks_around:
            pass  # judged with the item
        case Assign(path, value) if not has_symbols(value):
            accepted = plan.paths.accept(path, value)
            if not (len(path) == 1 and plan.paths.root(path).absent(accepted)):
                plan.paths.encode(path, accepted)  # a datetime without a zone is valid, but cannot be stored
        case Append(path, added) | Include(path, added) | Discard(path, added) if type(added) is not Symbol:
            for member in added:
                if not has_symbols(member):
                    plan.paths.encode_member(path, member)
