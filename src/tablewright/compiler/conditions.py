"""Conditions on fields become conditions on stored attributes: paths are renamed, values validated and encoded."""

from __future__ import annotations

from typing import Any, get_origin

from tablewright.compiler.fields import PathPlans
from tablewright.errors import ArgumentError, EmptySetError
from tablewright.expressions import ast
from tablewright.expressions.builder import all_of
from tablewright.model import conditions as model
from tablewright.model.annotations import members, plain, without_none
from tablewright.model.conditions import FieldPath


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


def _several(kind: type[ast.And | ast.Or], parts: tuple[model.Condition, ...], paths: PathPlans) -> ast.Condition:
    if not parts:
        raise ArgumentError("all_of() and any_of() need at least one condition.")
    terms = tuple(to_expression(p, paths) for p in parts)
    return terms[0] if len(terms) == 1 else kind(terms)


def _test(test: model.Test, paths: PathPlans) -> ast.Condition:
    stored = paths.stored(test.path)
    attribute = ast.Attribute(stored)

    def value(given: Any) -> ast.Value:
        return ast.Value(paths.encode(test.path, paths.accept(test.path, given)))

    match test:
        case model.Compare(_, _, op, given):
            if given is None:
                raise ArgumentError(
                    f"{model.path_text(test.path)} is compared with None.", hint="Use exists() or missing()."
                )
            return ast.Compare(op, attribute, value(given))
        case model.Between(_, _, low, high):
            return ast.Between(attribute, value(low), value(high))
        case model.IsIn(_, _, chosen):
            return ast.In(attribute, tuple(value(v) for v in chosen))
        case model.StartsWith(_, _, prefix):
            return ast.BeginsWith(attribute, ast.Value({"S": _text(prefix, test.path)}))
        case model.Contains(_, _, member):
            return ast.Contains(attribute, ast.Value(_member(member, test.path, paths)))
        case model.SizeIs(_, _, op, given):
            if not isinstance(given, int) or isinstance(given, bool):
                raise ArgumentError(
                    f"size({model.path_text(test.path)}) is compared with something that is no whole number."
                )
            return ast.Compare(op, ast.Size(attribute), ast.Value({"N": str(given)}))
        case model.Exists():
            return ast.AttributeExists(stored)
        case model.Missing():
            return ast.AttributeNotExists(stored)
    raise ArgumentError(f"{type(test).__name__} is not a known test.")


def _text(value: Any, path: FieldPath) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"starts_with({model.path_text(path)}, ...) takes a text.")
    return value


def _member(member: Any, path: FieldPath, paths: PathPlans) -> Any:
    kind = plain(without_none(paths.annotation(path)))
    if any(m is str for m in members(kind)):
        return {"S": _text(member, path)}
    if get_origin(kind) not in (list, tuple, set, frozenset):
        raise ArgumentError(f"contains() looks into texts, lists and sets; {model.path_text(path)} is none of these.")
    adapter, codec = paths.member(path)
    if isinstance(member, set | frozenset) and not member:
        raise EmptySetError("contains() was given an empty set.")
    return codec.encode(adapter.validate_python(member))
