"""Conditions on plain Python values: deciding whether an item belongs into a sparse index, and what that implies."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from tablewright.compiler.fields import FieldPlan
from tablewright.errors import ModelError
from tablewright.model.conditions import (
    AllOf,
    AnyOf,
    Between,
    Compare,
    Condition,
    Contains,
    Exists,
    IsIn,
    Missing,
    Negated,
    StartsWith,
    Test,
)

Predicate = Callable[[Mapping[str, Any]], bool]
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def check_predicate(entity: str, condition: Condition, fields: Mapping[str, FieldPlan]) -> Condition:
    """The condition with its constants validated; refuses what cannot be decided from the entity's own fields."""
    match condition:
        case AllOf(parts):
            return AllOf(tuple(check_predicate(entity, c, fields) for c in parts))
        case AnyOf(parts):
            return AnyOf(tuple(check_predicate(entity, c, fields) for c in parts))
        case Negated(inner):
            return Negated(check_predicate(entity, inner, fields))
        case Test():
            if len(condition.path) != 1:
                raise ModelError(
                    f"{entity}: a sparse condition looks into {condition.field!r}.", hint="Use a field of its own."
                )
            plan = fields.get(condition.field)
            if plan is None:
                raise ModelError(
                    f"{entity}: a sparse condition names field {condition.field!r}, which {entity} does not have."
                )
            match condition:
                case Compare(owner, path, op, value):
                    return Compare(owner, path, op, plan.accept(value))
                case IsIn(owner, path, values):
                    return IsIn(owner, path, tuple(plan.accept(v) for v in values))
                case Between(owner, path, low, high):
                    return Between(owner, path, plan.accept(low), plan.accept(high))
                case Exists() | Missing() | StartsWith() | Contains():
                    return condition
    raise ModelError(f"{entity}: this kind of condition cannot make an index sparse.")


def compile_predicate(condition: Condition) -> Predicate:
    """A function from field values to whether the condition holds. A comparison with a missing value is false."""
    match condition:
        case AllOf(parts):
            tests = [compile_predicate(c) for c in parts]
            return lambda values: all(t(values) for t in tests)
        case AnyOf(parts):
            tests = [compile_predicate(c) for c in parts]
            return lambda values: any(t(values) for t in tests)
        case Negated(inner):
            test = compile_predicate(inner)
            return lambda values: not test(values)
        case Test():
            return _compile_test(condition, condition.field)
    raise ModelError("This kind of condition cannot make an index sparse.")


def _compile_test(test: Test, name: str) -> Predicate:
    match test:
        case Exists():
            return lambda values: values[name] is not None
        case Missing():
            return lambda values: values[name] is None
        case Compare(_, _, "<>", value):
            return lambda values: values[name] != value
        case Compare(_, _, op, value):
            compare = _OPERATORS[op]
            return lambda values: values[name] is not None and compare(values[name], value)
        case IsIn(_, _, chosen):
            return lambda values: values[name] in chosen
        case Between(_, _, low, high):
            return lambda values: values[name] is not None and low <= values[name] <= high
        case StartsWith(_, _, prefix):
            return lambda values: values[name] is not None and values[name].startswith(prefix)
        case Contains(_, _, member):
            return lambda values: values[name] is not None and member in values[name]
    raise ModelError("This kind of condition cannot make an index sparse.")


def implied(condition: Condition, constants: Mapping[str, Any], present: frozenset[str]) -> bool:
    """Whether items with these field values (and these fields present) always meet the condition. Doubt counts as no."""
    match condition:
        case AllOf(parts):
            return all(implied(c, constants, present) for c in parts)
        case AnyOf(parts):
            return any(implied(c, constants, present) for c in parts)
        case Exists(_, (name,)):
            return name in present or name in constants
        case Compare(_, (name,), _, _) | IsIn(_, (name,), _) | Between(_, (name,), _, _) | StartsWith(_, (name,), _):
            return name in constants and compile_predicate(condition)(constants)
    return False


def guaranteed(condition: Condition, field: str, value: Any) -> bool:
    """Whether every item that meets the condition has this value in this field."""
    match condition:
        case AllOf(parts):
            return any(guaranteed(c, field, value) for c in parts)
        case AnyOf(parts):
            return all(guaranteed(c, field, value) for c in parts)
        case Compare(_, (name,), "=", known):
            return bool(name == field and known == value)
        case IsIn(_, (name,), (known,)):
            return bool(name == field and known == value)
    return False
