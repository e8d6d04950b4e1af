"""Checked changes: what the caller wants done to fields, validated, as update actions on the stored item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, get_origin

import pydantic

from tablewright.client.writes.paths import parse_path
from tablewright.compiler.changes import refuse_key_changes
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import refused
from tablewright.errors import ArgumentError, ConditionalCheckError, EmptySetError, FieldTypeError, TablewrightError
from tablewright.expressions import ast
from tablewright.model.annotations import plain, without_none
from tablewright.model.change import Action, Append, Assign, Discard, Include, Increment, Remove
from tablewright.model.conditions import FieldPath, path_text
from tablewright.values.numbers import format_number


@dataclass(frozen=True, slots=True)
class Limit:
    """A condition that keeps a field within what its declaration allows, and the error when it would not."""

    condition: ast.Condition
    error: Callable[[], TablewrightError]


@dataclass(frozen=True, slots=True)
class Checked:
    """Changes ready to be planned: the update actions, new values of fields that are set as a whole, and limits."""

    actions: tuple[ast.UpdateAction, ...]
    assigned: Mapping[str, Any]
    touched: frozenset[str]
    limits: tuple[Limit, ...]


def named_changes(
    *,
    set: Mapping[str, Any] | None,  # noqa: A002 - the caller's word
    add: Mapping[str, Any] | None,
    remove: Iterable[str],
    append: Mapping[str, Iterable[Any]] | None,
    include: Mapping[str, Iterable[Any]] | None,
    discard: Mapping[str, Iterable[Any]] | None,
) -> list[Action]:
    """The changes that db.update(...) names by text paths such as "address.city" or "lines[0].quantity"."""
    actions: list[Action] = [Assign(parse_path(p), v) for p, v in (set or {}).items()]
    actions += [Increment(parse_path(p), v) for p, v in (add or {}).items()]
    actions += [Remove(parse_path(p)) for p in ([remove] if isinstance(remove, str) else remove)]
    actions += [Append(parse_path(p), list(v)) for p, v in (append or {}).items()]
    actions += [Include(parse_path(p), list(v)) for p, v in (include or {}).items()]
    actions += [Discard(parse_path(p), list(v)) for p, v in (discard or {}).items()]
    return actions


def check_changes(plan: EntityPlan, changes: Iterable[Action]) -> Checked:
    """Validates changes against the entity; raises before anything is sent."""
    changes = list(changes)
    refuse_key_changes(plan, changes)
    _refuse_overlaps(plan, changes)
    actions: list[ast.UpdateAction] = []
    assigned: dict[str, Any] = {}
    limits: list[Limit] = []
    for change in changes:
        field = plan.paths.root(change.path)
        stored = plan.paths.stored(change.path)
        match change:
            case Assign(path, value):
                value = plan.paths.accept(path, value)
                if len(path) == 1:
                    assigned[field.name] = value
                    if field.absent(value):
                        actions.append(ast.RemoveAction(stored))
                        continue
                actions.append(ast.SetAction(stored, ast.Value(_encoded(plan, path, value))))
            case Remove(path):
                if len(path) == 1:
                    if field.default is None:
                        raise ArgumentError(
                            f"{plan.name}.{field.name} is required and cannot be removed.",
                            field=field.name,
                            hint="Give the field a default, or set another value.",
                        )
                    assigned[field.name] = field.default()
                actions.append(ast.RemoveAction(stored))
            case Increment(path, amount):
                actions.append(_increment(plan, path, stored, amount, limits))
            case Append(path, members):
                actions.append(_append(plan, path, stored, members, limits))
            case Include(path, members):
                actions.append(ast.AddAction(stored, ast.Value(_set(plan, path, members))))
            case Discard(path, members):
                actions.append(ast.DeleteAction(stored, ast.Value(_set(plan, path, members))))
    touched = frozenset(str(c.path[0]) for c in changes)
    return Checked(tuple(actions), assigned, touched, tuple(limits))


def _encoded(plan: EntityPlan, path: FieldPath, value: Any) -> Any:
    try:
        return plan.paths.encode(path, value)
    except EmptySetError as error:
        raise EmptySetError(
            f"{plan.name}.{path_text(path)}: {error.message}", field=path_text(path), hint=error.hint
        ) from None


def _refuse_overlaps(plan: EntityPlan, changes: list[Action]) -> None:
    for position, one in enumerate(changes):
        for other in changes[:position]:
            shorter = min(len(one.path), len(other.path))
            if one.path[:shorter] == other.path[:shorter]:
                raise ArgumentError(
                    f"{plan.name}: {path_text(other.path)} and {path_text(one.path)} are changed in one update.",
                    field=path_text(one.path),
                    hint="Make one change of them.",
                )


# ------------------------------------------------------------------------------------------------------ numbers


def _increment(
    plan: EntityPlan, path: FieldPath, stored: ast.Path, amount: Any, limits: list[Limit]
) -> ast.UpdateAction:
    kind = plain(without_none(plan.paths.annotation(path)))
    name = path_text(path)
    if kind not in (int, Decimal, float):
        raise FieldTypeError(
            f"{plan.name}.{name} is no number and cannot be added to.", field=name, constraint="number"
        )
    if (
        isinstance(amount, bool)
        or not isinstance(amount, int | Decimal | float)
        or (kind is int and not isinstance(amount, int))
    ):
        raise FieldTypeError(
            f"{plan.name}.{name} cannot be increased by {type(amount).__name__}.", field=name, constraint="number"
        )
    step = Decimal(repr(amount)) if isinstance(amount, float) else amount
    field = plan.paths.root(path)
    start: Any = field.default() if len(path) == 1 and field.default is not None and field.default() is not None else 0
    start = Decimal(repr(start)) if isinstance(start, float) else start
    if len(path) == 1:
        limits.extend(_number_limits(plan, field.name, stored, start, step))
    value = ast.Arithmetic(
        "+", ast.IfNotExists(stored, ast.Value({"N": format_number(start)})), ast.Value({"N": format_number(step)})
    )
    return ast.SetAction(stored, value)


def _number_limits(plan: EntityPlan, name: str, stored: ast.Path, start: Any, step: Any) -> list[Limit]:
    """Declared bounds of a number, as conditions on the stored one."""
    found = []
    for mark in plan.entity.model_fields[name].metadata:
        for rule, op in (("ge", ">="), ("gt", ">"), ("le", "<="), ("lt", "<")):
            bound = getattr(mark, rule, None)
            if not isinstance(bound, int | Decimal | float):
                continue
            bound = Decimal(repr(bound)) if isinstance(bound, float) else bound
            holds: ast.Condition = ast.Compare(op, ast.Attribute(stored), ast.Value({"N": format_number(bound - step)}))  # type: ignore[arg-type]
            if _holds(op, start + step, bound):
                holds = ast.Or((ast.AttributeNotExists(stored), holds))
            found.append(Limit(holds, _passes_limit(plan, name, f"{op} {bound}")))
    return found


def _holds(op: str, value: Any, bound: Any) -> bool:
    return bool({">=": value >= bound, ">": value > bound, "<=": value <= bound, "<": value < bound}[op])


def _passes_limit(plan: EntityPlan, name: str, rule: str) -> Callable[[], TablewrightError]:
    def error() -> TablewrightError:
        return ConditionalCheckError(
            f"{plan.name}.{name} must stay {rule}, and this change would pass that.",
            condition=rule,
            hint="Nothing was written.",
            context={"entity": plan.name, "field": name},
        )

    return error


# -------------------------------------------------------------------------------------------------- collections


def _append(plan: EntityPlan, path: FieldPath, stored: ast.Path, members: Any, limits: list[Limit]) -> ast.UpdateAction:
    name = path_text(path)
    if get_origin(plain(without_none(plan.paths.annotation(path)))) is not list:
        raise FieldTypeError(f"{plan.name}.{name} is no list and cannot be appended to.", field=name, constraint="list")
    encoded = _members(plan, path, members)
    most = plan.fields[str(path[0])].max_length if len(path) == 1 else None
    if most is not None:
        room = most - len(encoded)
        fits = ast.Compare("<=", ast.Size(ast.Attribute(stored)), ast.Value({"N": str(room)}))
        # Without the attribute only the new members count; a negative room fits nothing.
        condition: ast.Condition = ast.Or((ast.AttributeNotExists(stored), fits)) if room >= 0 else fits
        limits.append(Limit(condition, _passes_limit(plan, name, f"at most {most} long")))
    return ast.SetAction(
        stored, ast.ListAppend(ast.IfNotExists(stored, ast.Value({"L": []})), ast.Value({"L": encoded}))
    )


def _set(plan: EntityPlan, path: FieldPath, members: Any) -> dict[str, list[str]]:
    name = path_text(path)
    if get_origin(plain(without_none(plan.paths.annotation(path)))) not in (set, frozenset):
        raise FieldTypeError(f"{plan.name}.{name} is no set.", field=name, constraint="set")
    encoded = _members(plan, path, members)
    if not encoded:
        raise EmptySetError(f"{plan.name}.{name}: no members were given.", field=name, constraint="not empty")
    tag = next(iter(encoded[0]))
    return {tag + "S": sorted({m[tag] for m in encoded})}


def _members(plan: EntityPlan, path: FieldPath, members: Any) -> list[Any]:
    adapter, codec = plan.paths.member(path)
    try:
        return [codec.encode(adapter.validate_python(m)) for m in members]
    except pydantic.ValidationError as error:
        raise refused(plan.name, path_text(path), error) from None
