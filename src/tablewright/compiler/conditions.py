"""Conditions on fields become conditions on stored attributes: paths are renamed, values validated and encoded."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sized
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, get_origin

from tablewright.compiler.field_paths import PathPlans
from tablewright.compiler.sealing import refuse_looking_inside
from tablewright.errors import ArgumentError
from tablewright.expressions import ast
from tablewright.expressions.ast import Comparator
from tablewright.expressions.builder import all_of
from tablewright.model import conditions as model
from tablewright.model.annotations import members, optional, plain, without_none
from tablewright.model.conditions import FieldPath, path_text
from tablewright.model.entity import with_article
from tablewright.model.symbols import has_symbols, is_symbol
from tablewright.values.ordering import sort_bytes

if TYPE_CHECKING:
    from tablewright.compiler.entity_plan import EntityPlan

_NULL = ast.Value({"S": "NULL"})
_COMPARE: Mapping[str, Callable[[int, int], bool]] = {
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def to_expression(condition: model.Condition, paths: PathPlans) -> ast.Condition:
    """The condition in terms of the item, with every value checked against its field."""
    match condition:
        case model.AllOf(parts):
            return _several(ast.And, parts, paths)
        case model.AnyOf(parts):
            return _several(ast.Or, parts, paths)
        case model.Negated(inner):
            return ast.Not(to_expression(inner, paths))
        case model.Test():
            return _test(condition, paths)
    raise ArgumentError(f"{type(condition).__name__} is not a condition on fields.")


def conjunction(conditions: list[ast.Condition]) -> ast.Condition | None:
    """All of them in one AND; None when there is none."""
    return all_of(*conditions) if conditions else None


def check_condition(condition: model.Condition, plan: EntityPlan) -> None:
    """Refuses, while a model is defined, what would fail whatever the arguments are."""
    for leaf in condition.leaves():
        if not issubclass(plan.entity, leaf.owner):
            raise ArgumentError(
                f"a condition is on {leaf.owner.__name__}.{path_text(leaf.path)}, but the item is {with_article(plan.name)}.",
                hint=f"Write {plan.name}.{leaf.field}.",
            )
        if any(has_symbols(v) for v in values_of(leaf)):
            plan.paths.annotation(leaf.path)
            _refuse_sealed(leaf, plan.paths)
        else:
            to_expression(leaf, plan.paths)


def values_of(test: model.Test) -> Iterator[Any]:
    """What a test compares its field with."""
    for name in ("value", "low", "high", "prefix", "member"):
        if hasattr(test, name):
            yield getattr(test, name)
    if isinstance(test, model.IsIn):
        yield from [test.values] if is_symbol(test.values) else test.values


def _several(kind: type[ast.And | ast.Or], parts: tuple[model.Condition, ...], paths: PathPlans) -> ast.Condition:
    if not parts:
        raise ArgumentError("all_of() and any_of() need at least one condition.")
    terms = tuple(to_expression(p, paths) for p in parts)
    return terms[0] if len(terms) == 1 else kind(terms)


def _refuse_sealed(test: model.Test, paths: PathPlans) -> None:
    if not isinstance(test, model.Exists | model.Missing):
        refuse_looking_inside(paths.entity, path_text(test.path), paths.root(test.path).sealing)


def _test(test: model.Test, paths: PathPlans) -> ast.Condition:
    stored = paths.stored(test.path)
    _refuse_sealed(test, paths)
    attribute = ast.Attribute(stored)

    def value(given: Any) -> ast.Value:
        if given is None:
            raise ArgumentError(f"{path_text(test.path)} is compared with None.", hint="Use exists() or missing().")
        accepted = paths.accept(test.path, given)
        if isinstance(accepted, AbstractSet) and not accepted:
            raise ArgumentError(
                f"{path_text(test.path)} is compared with an empty set, which is never stored.",
                hint="Use exists() or missing().",
            )
        return ast.Value(paths.encode(test.path, accepted))

    match test:
        case model.Compare(_, _, "=" | "<>" as op, AbstractSet() as given) if not given and _empty_set(
            test.path, paths
        ):
            return ast.AttributeNotExists(stored) if op == "=" else ast.AttributeExists(stored)
        case model.Compare(_, _, "=" | "<>" as op, given):
            return ast.Compare(op, attribute, value(given))
        case model.Compare(_, _, op, given):
            return ast.Compare(op, attribute, _ordered(value(given), test.path))
        case model.Between(_, _, low, high):
            return _between(attribute, _ordered(value(low), test.path), _ordered(value(high), test.path))
        case model.IsIn(_, _, chosen):
            return ast.In(attribute, tuple(value(v) for v in chosen))
        case model.StartsWith(_, _, prefix):
            return ast.BeginsWith(attribute, ast.Value({"S": _prefix(prefix, test.path, paths)}))
        case model.Contains(_, _, member):
            return ast.Contains(attribute, ast.Value(_member(member, test.path, paths)))
        case model.SizeIs(_, _, op, given):
            if not isinstance(given, int) or isinstance(given, bool):
                raise ArgumentError(f"size({path_text(test.path)}) is compared with something that is no whole number.")
            return _size(op, given, attribute, tuple(_empty(attribute, test.path, paths)))
        case model.Exists():
            there: ast.Condition = ast.AttributeExists(stored)
            return ast.And((there, ast.Not(_is_null(attribute)))) if _may_be_null(test.path, paths) else there
        case model.Missing():
            gone: ast.Condition = ast.AttributeNotExists(stored)
            return ast.Or((gone, _is_null(attribute))) if _may_be_null(test.path, paths) else gone
    raise ArgumentError(f"{type(test).__name__} is not a known test.")


def _size(op: Comparator, given: int, attribute: ast.Attribute, empty: tuple[ast.Condition, ...]) -> ast.Condition:
    """A comparison of a size, where the size of what is stored as nothing is 0."""
    if op == "<>" and empty:  # true of what has no size, too
        return ast.Not(_size("=", given, attribute, empty))
    sized = ast.Compare(op, ast.Size(attribute), ast.Value({"N": str(given)}))
    return ast.Or((*empty, sized)) if empty and _COMPARE[op](0, given) else sized


def _empty_set(path: FieldPath, paths: PathPlans) -> bool:
    """Whether an empty set is stored there by leaving it out."""
    return isinstance(paths.absence(path), AbstractSet) and not paths.absence(path)


def _empty(attribute: ast.Attribute, path: FieldPath, paths: PathPlans) -> Iterator[ast.Condition]:
    """The ways in which nothing is stored beside an empty collection or text: size() of these is no number, but 0 is meant."""
    absence = paths.absence(path)
    if absence is None or (isinstance(absence, Sized) and len(absence) == 0):
        yield ast.AttributeNotExists(attribute.path)
    if _may_be_null(path, paths):
        yield _is_null(attribute)


def _ordered(value: ast.Value, path: FieldPath) -> ast.Value:
    if not value.wire.keys() & {"S", "N", "B"}:
        raise ArgumentError(
            f"{path_text(path)} has no order.",
            hint="Compare it with == or !=; only texts, numbers, times and bytes sort.",
        )
    return value


def _between(attribute: ast.Attribute, low: ast.Value, high: ast.Value) -> ast.Condition:
    if low.wire.keys() == high.wire.keys() and sort_bytes(low.wire) > sort_bytes(high.wire):
        # Nothing lies between; DynamoDB refuses to be asked so, but takes it as two comparisons.
        return ast.And((ast.Compare(">=", attribute, low), ast.Compare("<=", attribute, high)))
    return ast.Between(attribute, low, high)


def _may_be_null(path: FieldPath, paths: PathPlans) -> bool:
    """Whether None can be stored as NULL there, rather than only by leaving the attribute out."""
    return optional(paths.annotation(path)) and not (len(path) == 1 and paths.root(path).omit_none)


def _is_null(attribute: ast.Attribute) -> ast.Condition:
    return ast.AttributeType(attribute, _NULL)


def _prefix(value: Any, path: FieldPath, paths: PathPlans) -> str:
    kind = plain(without_none(paths.annotation(path)))
    if not any(m is str for m in members(kind)):
        raise ArgumentError(f"starts_with() looks at texts; {path_text(path)} is none.")
    return paths.root(path).prefix(value) if len(path) == 1 else _text(value, path)


def _text(value: Any, path: FieldPath) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"A condition on {path_text(path)} takes a text.")
    return value


def _member(member: Any, path: FieldPath, paths: PathPlans) -> Any:
    kind = plain(without_none(paths.annotation(path)))
    if any(m is str for m in members(kind)):
        return {"S": _text(member, path)}
    if get_origin(kind) not in (list, tuple, set, frozenset):
        raise ArgumentError(f"contains() looks into texts, lists and sets; {path_text(path)} is none of these.")
    return paths.encode_member(path, member)
