"""Conditions on plain Python values: deciding whether an item belongs into a sparse index, and what that implies."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, get_origin

from tablewright.compiler.fields import FieldPlan
from tablewright.errors import ModelError, ValidationError
from tablewright.model.annotations import members, plain, without_none
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
from tablewright.model.entity import did_you_mean

Predicate = Callable[[Mapping[str, Any]], bool]
_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ORDERED = (str, int, float, Decimal, bytes, datetime, date)


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
            try:
                return _check_test(entity, condition, fields)
            except ValidationError as error:
                raise ModelError(f"{entity}: a sparse condition: {error.message}", hint=error.hint) from None
    raise ModelError(f"{entity}: this kind of condition cannot make an index sparse.")


def _check_test(entity: str, test: Test, fields: Mapping[str, FieldPlan]) -> Condition:
    if len(test.path) != 1:
        raise ModelError(f"{entity}: a sparse condition looks into {test.field!r}.", hint="Use a field of its own.")
    plan = fields.get(test.field)
    if plan is None:
        raise ModelError(
            f"{entity}: a sparse condition names field {test.field!r}, which {entity} does not have."
            + did_you_mean(test.field, fields)
        )

    def value(given: Any, *, ordered: bool = False) -> Any:
        if given is None or (ordered and not _kinds(plan) & set(_ORDERED)):
            raise ModelError(
                f"{entity}: a sparse condition compares {test.field!r} with "
                + ("None." if given is None else "<, <=, > or >=, but it has no order."),
                hint="Use exists() or missing()." if given is None else "Use == or is_in().",
            )
        accepted = plan.accept(given)
        if not plan.absent(accepted):
            plan.encode(accepted)  # a naive datetime, say, could not be compared with a stored one
        return accepted

    match test:
        case Compare(owner, path, op, given):
            return Compare(owner, path, op, value(given, ordered=op not in ("=", "<>")))
        case IsIn(owner, path, values):
            return IsIn(owner, path, tuple(value(v) for v in values))
        case Between(owner, path, low, high):
            return Between(owner, path, value(low, ordered=True), value(high, ordered=True))
        case StartsWith(owner, path, prefix) if str in _kinds(plan):
            return StartsWith(owner, path, plan.prefix(prefix))
        case Contains() if _kinds(plan) & {str, list, tuple, set, frozenset}:
            return test
        case Exists() | Missing():
            return test
    raise ModelError(f"{entity}: this kind of condition on {test.field!r} cannot make an index sparse.")


def _kinds(plan: FieldPlan) -> set[Any]:
    return {get_origin(m) or m for m in members(plain(without_none(plan.annotation)))}


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
