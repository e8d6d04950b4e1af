"""Literals and parameters of a statement as attribute values, with the service's words for those it cannot hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablewright.engine.partiql.ast import (
    Bag,
    Boolean,
    Expression,
    Ion,
    ListOf,
    Null,
    Number,
    Parameter,
    Struct,
    Text,
)
from tablewright.engine.partiql.lexer import Position
from tablewright.engine.partiql.messages import NESTING, PARAMETERS, refuse
from tablewright.engine.partiql.naming import token_name, type_name
from tablewright.errors import NumberError
from tablewright.values import MAX_NESTING, AttributeValue, Item, MagnitudeError, canonical_number, check_value

_BAG = "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags"
_ROOT = "root"


# ------------------------------------------------------------------------------------------------------ literals


def is_constant(node: Expression) -> bool:
    """Whether an expression is a value by itself."""
    return isinstance(node, (Text, Number, Boolean, Null, Ion, ListOf, Bag, Struct, Parameter))


class Constants:
    """Makes attribute values of literals; holds the parameters of the request, which have been checked."""

    __slots__ = ("_parameters",)

    def __init__(self, parameters: Sequence[AttributeValue]) -> None:
        self._parameters = parameters

    def value(self, node: Expression) -> AttributeValue:
        """The value of a literal or parameter."""
        if isinstance(node, Parameter):
            if node.number >= len(self._parameters):
                refuse(PARAMETERS)
            return self._parameters[node.number]
        return _literal(node, _ROOT, 0)

    def item(self, node: Struct) -> Item:
        """The attributes of an INSERT; a parameter may be the value of each."""
        found: Item = {}
        for key, value in node.members:
            name = _member_name(key, found, _ROOT, key.position)
            if not name:
                refuse("Path component cannot be an empty string")
            if not is_constant(value):
                refuse(f"Unsupported data type: {token_name(value)} under key {_ROOT}", value.position)
            found[name] = self.value(value)
        return found


def _literal(node: Expression, path: str, depth: int) -> AttributeValue:
    if depth > MAX_NESTING:
        refuse(f"{NESTING} under {path}")
    match node:
        case Text(text):
            return {"S": text}
        case Number():
            return {"N": _number(node, path)}
        case Boolean(value):
            return {"BOOL": value}
        case Null():
            return {"NULL": True}
        case ListOf(items):
            return {"L": [_literal(item, f"{path}[{at}]", depth + 1) for at, item in enumerate(items)]}
        case Struct(members):
            found: Item = {}
            for key, inner in members:
                name = _member_name(key, found, path, node.position)
                found[name] = _literal(inner, f"{path}.{name}", depth + 1)
            return {"M": found}
        case Bag(items):
            return _set(items, path)
        case Ion():
            refuse(f"Ion Literals are not supported: {type_name(node)} under key {path}", node.position)
        case _:
            refuse(f"Unsupported data type: {type_name(node)} under key {path}", node.position)


def _member_name(key: Expression, found: Item, path: str, position: Position) -> str:
    if not isinstance(key, Text):
        refuse(f"Tuple keys must be of type String. Actual type: {type_name(key)} under {path}", key.position)
    if key.text in found:
        refuse(f"Duplicate keys in tuple. Key: {key.text} under {path}", position)
    return key.text


def _number(node: Number, path: str) -> str:
    if node.text.startswith("-") and "." in node.text and not node.text.strip("-0."):
        refuse(f"Negative zero decimal is not supported under key {path}", node.position)
    try:
        return canonical_number(node.text)
    except NumberError as error:
        refuse(f"{error.message} under {path}")


def _set(items: Sequence[Expression], path: str) -> AttributeValue:
    if not items:
        refuse("Empty bags are not supported")
    written = [item.text for item in items if isinstance(item, (Number, Text))]
    if all(isinstance(item, Number) for item in items):
        numbers = [_number(item, path) for item in items if isinstance(item, Number)]
        if len(set(numbers)) < len(numbers):
            refuse(
                f"One or more parameter values were invalid: Input collection [{', '.join(written)}] contains "
                f"duplicates! under {path}"
            )
        return {"NS": numbers}
    if all(isinstance(item, Text) for item in items):
        return check_value({"SS": written})
    refuse(_BAG)


# ---------------------------------------------------------------------------------------------------- parameters


def check_parameters(given: Sequence[Any] | None) -> list[AttributeValue]:
    """The parameters of a request in canonical form, refused in the order in which they stand."""
    try:
        return [check_value(value) for value in given or ()]
    except MagnitudeError as error:
        refuse(error.older)
