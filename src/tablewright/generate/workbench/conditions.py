"""Conditions of sparse indexes as lines of a description: `status == "open" and not exists(paid_at)`, written and read."""

from __future__ import annotations

import ast
from decimal import Decimal
from enum import Enum
from typing import Any

from tablewright.generate.documents.wording import condition as in_words
from tablewright.generate.model_code import quoted
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
)
from tablewright.model.keys import attr_is

_OPERATORS = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_READ: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_FUNCTIONS = {"exists": 0, "missing": 0, "starts_with": 1, "contains": 1, "between": 2}
"""Tests that are called by name, and how many values they take beside the field."""


class _UnknownError(Exception):
    """Something that is not written, or not read."""


def condition_text(condition: Condition) -> str:
    """The condition in a form that is read again, or else in words."""
    try:
        return _text(condition)
    except _UnknownError:
        return in_words(condition)


def condition_source(text: str) -> str | None:
    """The Python of a condition in a description; None for anything else, whoever wrote it."""
    try:
        return _source(ast.parse(text, mode="eval").body)
    except (_UnknownError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _text(condition: Condition) -> str:
    match condition:
        case AllOf(parts):
            return " and ".join(_inner(part) for part in parts)
        case AnyOf(parts):
            return " or ".join(_inner(part) for part in parts)
        case Negated(inner):
            return f"not ({_text(inner)})"
        case Compare(_, path, op, value):
            return f"{_name(path)} {_OPERATORS[op]} {_value(value)}"
        case IsIn(_, path, values) if isinstance(values, list | tuple):
            return f"{_name(path)} in [{', '.join(map(_value, values))}]"
        case Exists(_, path):
            return f"exists({_name(path)})"
        case Missing(_, path):
            return f"missing({_name(path)})"
        case StartsWith(_, path, prefix):
            return f"starts_with({_name(path)}, {_value(prefix)})"
        case Contains(_, path, member):
            return f"contains({_name(path)}, {_value(member)})"
        case Between(_, path, low, high):
            return f"between({_name(path)}, {_value(low)}, {_value(high)})"
        case _:
            raise _UnknownError


def _inner(condition: Condition) -> str:
    return f"({_text(condition)})" if isinstance(condition, AllOf | AnyOf) else _text(condition)


def _name(path: tuple[str | int, ...]) -> str:
    if len(path) != 1:
        raise _UnknownError
    return str(path[0])


def _value(value: Any) -> str:
    if isinstance(value, Enum):
        return _value(value.value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Decimal):
        return f'Decimal("{value}")'
    if isinstance(value, bool | int):
        return repr(value)
    raise _UnknownError


def _source(node: ast.expr) -> str:
    match node:
        case ast.BoolOp(op, parts):
            return f"{'all_of' if isinstance(op, ast.And) else 'any_of'}({', '.join(map(_source, parts))})"
        case ast.UnaryOp(ast.Not(), inner):
            return f"negate({_source(inner)})"
        case ast.Compare(field, [ast.In()], [ast.List(values)]):
            return f"is_in({_field(field)}, [{', '.join(map(_constant, values))}])"
        case ast.Compare(ast.Name(name), [ast.Eq()], [ast.Constant(bool() as value)]):
            return attr_is(name, value, repr(value))
        case ast.Compare(field, [op], [value]) if type(op) in _READ:
            return f"{_field(field)} {_READ[type(op)]} {_constant(value)}"
        case ast.Call(ast.Name(name), [field, *values], []) if _FUNCTIONS.get(name) == len(values):
            return f"{name}({', '.join([_field(field), *map(_constant, values)])})"
        case _:
            raise _UnknownError


def _field(node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        raise _UnknownError
    return f"attr({quoted(node.id)})"


def _constant(node: ast.expr) -> str:
    match node:
        case ast.Constant(value) if isinstance(value, str | bool) or type(value) is int:
            return quoted(value) if isinstance(value, str) else repr(value)
        case ast.UnaryOp(ast.USub(), ast.Constant(value)) if type(value) is int:
            return f"-{value}"
        case ast.Call(ast.Name("Decimal"), [ast.Constant(value)], []) if isinstance(value, str):
            return f"Decimal({quoted(value)})"
        case _:
            raise _UnknownError
