"""Nodes to text. Only generated placeholders are ever written: no name and no value of the caller reaches the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn, TypeAlias

from tablewright.errors import ArgumentError
from tablewright.expressions.ast import (
    AddAction,
    And,
    Arithmetic,
    Attribute,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    DeleteAction,
    IfNotExists,
    In,
    ListAppend,
    Not,
    Operand,
    Or,
    Path,
    RemoveAction,
    SetAction,
    Size,
    Update,
    UpdateValue,
    Value,
    ValueRef,
)
from tablewright.expressions.limits import MAX_IN_OPERANDS
from tablewright.values.types import AttributeValue

_COMPARATORS = frozenset({"=", "<>", "<", "<=", ">", ">="})


class PlaceholderPool:
    """The placeholders of one request, shared by all its expressions: #0, #1, … and :0, :1, …

    Equal names and equal values get one placeholder. A ValueRef gets a placeholder without a value; `parameters`
    says which, so that the text can be kept and met with new values.
    """

    __slots__ = ("_documents", "_scalars", "names", "parameters", "values")

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        """Attribute name to placeholder."""
        self.values: dict[str, AttributeValue] = {}
        """Value placeholder to wire value."""
        self.parameters: dict[str, str] = {}
        """Name of a ValueRef to placeholder."""
        self._scalars: dict[tuple[str, str], str] = {}
        self._documents: list[str] = []

    def name(self, name: str) -> str:
        """The placeholder of an attribute name."""
        found = self.names.get(name)
        if found is None:
            if not isinstance(name, str) or not name:
                raise ArgumentError(
                    "A document path needs names that are not empty.", constraint="path", operation="expression"
                )
            found = self.names[name] = f"#{len(self.names)}"
        return found

    def value(self, wire: AttributeValue) -> str:
        """The placeholder of a wire value."""
        ((tag, content),) = wire.items()
        if content.__class__ is str:
            key = (tag, content)
            found = self._scalars.get(key)
            if found is None:
                found = self._scalars[key] = self._new_value(wire)
            return found
        for known in self._documents:
            if self.values[known] == wire:
                return known
        found = self._new_value(wire)
        self._documents.append(found)
        return found

    def parameter(self, name: str) -> str:
        """The placeholder of a value that is given later."""
        found = self.parameters.get(name)
        if found is None:
            found = self.parameters[name] = f":{len(self.values) + len(self.parameters)}"
        return found

    def _new_value(self, wire: AttributeValue) -> str:
        placeholder = f":{len(self.values) + len(self.parameters)}"
        self.values[placeholder] = wire
        return placeholder


_Print: TypeAlias = Callable[[Any, PlaceholderPool], str]


def print_path(path: Path, pool: PlaceholderPool) -> str:
    """A document path."""
    if len(path) == 1:
        return pool.name(path[0])  # type: ignore[arg-type]
    if not path:
        raise ArgumentError("A document path needs a name.", constraint="path", operation="expression")
    text = pool.name(path[0])  # type: ignore[arg-type]
    for part in path[1:]:
        if isinstance(part, str):
            text += "." + pool.name(part)
        elif part.__class__ is int and part >= 0:
            text += f"[{part}]"
        else:
            raise ArgumentError(
                "A document path has names and positions from 0 on.", constraint="path", operation="expression"
            )
    return text


# ------------------------------------------------------------------------------------------------- operands


def _operand(node: Operand, pool: PlaceholderPool) -> str:
    if isinstance(node, Value):
        return pool.value(node.wire)
    if isinstance(node, Attribute):
        return print_path(node.path, pool)
    if isinstance(node, ValueRef):
        return pool.parameter(node.name)
    if isinstance(node, Size):
        return f"size({_operand(node.operand, pool)})"
    return _misplaced(node)


def _set_value(node: UpdateValue, pool: PlaceholderPool) -> str:
    if isinstance(node, Arithmetic):
        op = "+" if node.op == "+" else "-"
        return f"{_set_value(node.left, pool)} {op} {_set_value(node.right, pool)}"
    if isinstance(node, IfNotExists):
        return f"if_not_exists({print_path(node.path, pool)}, {_set_value(node.default, pool)})"
    if isinstance(node, ListAppend):
        return f"list_append({_set_value(node.first, pool)}, {_set_value(node.second, pool)})"
    return _operand(node, pool)


def _misplaced(node: object) -> NoReturn:
    raise ArgumentError(
        f"A {type(node).__name__} cannot stand here in an expression.",
        constraint="expression node",
        operation="expression",
        hint="Wrap wire values in Value and paths in Attribute.",
    )


# ------------------------------------------------------------------------------------------------ conditions


def _compare(node: Compare, pool: PlaceholderPool) -> str:
    if node.op not in _COMPARATORS:
        raise ArgumentError("There is no such comparator.", constraint="comparator", operation="expression")
    return f"{_operand(node.left, pool)} {node.op} {_operand(node.right, pool)}"


def _between(node: Between, pool: PlaceholderPool) -> str:
    return f"{_operand(node.operand, pool)} BETWEEN {_operand(node.low, pool)} AND {_operand(node.high, pool)}"


def _in(node: In, pool: PlaceholderPool) -> str:
    if not node.options:
        raise ArgumentError("IN needs at least one option.", constraint="IN", operation="expression")
    operand = _operand(node.operand, pool)
    options = [_operand(option, pool) for option in node.options]
    pieces = [
        f"{operand} IN ({', '.join(options[start : start + MAX_IN_OPERANDS])})"
        for start in range(0, len(options), MAX_IN_OPERANDS)
    ]
    # More options than one IN may have are asked for in several.
    return pieces[0] if len(pieces) == 1 else f"({' OR '.join(pieces)})"


def _exists(node: AttributeExists, pool: PlaceholderPool) -> str:
    return f"attribute_exists({print_path(node.path, pool)})"


def _not_exists(node: AttributeNotExists, pool: PlaceholderPool) -> str:
    return f"attribute_not_exists({print_path(node.path, pool)})"


def _type(node: AttributeType, pool: PlaceholderPool) -> str:
    return f"attribute_type({_operand(node.operand, pool)}, {_operand(node.type, pool)})"


def _begins_with(node: BeginsWith, pool: PlaceholderPool) -> str:
    return f"begins_with({_operand(node.operand, pool)}, {_operand(node.prefix, pool)})"


def _contains(node: Contains, pool: PlaceholderPool) -> str:
    return f"contains({_operand(node.container, pool)}, {_operand(node.member, pool)})"


def _term(node: Condition, pool: PlaceholderPool, *, or_only: bool = False) -> str:
    """A condition within another, in parentheses where it would be read otherwise."""
    while isinstance(node, (And, Or)) and len(node.terms) == 1:
        node = node.terms[0]
    text = print_condition(node, pool)
    return f"({text})" if isinstance(node, Or) or (isinstance(node, And) and not or_only) else text


def _no_terms() -> NoReturn:
    raise ArgumentError("AND and OR need at least one term.", constraint="terms", operation="expression")


def _and(node: And, pool: PlaceholderPool) -> str:
    if len(node.terms) < 2:
        return print_condition(node.terms[0], pool) if node.terms else _no_terms()
    return " AND ".join([_term(term, pool) for term in node.terms])


def _or(node: Or, pool: PlaceholderPool) -> str:
    if len(node.terms) < 2:
        return print_condition(node.terms[0], pool) if node.terms else _no_terms()
    return " OR ".join([_term(term, pool, or_only=True) for term in node.terms])


def _not(node: Not, pool: PlaceholderPool) -> str:
    return "NOT " + _term(node.term, pool)


_CONDITIONS: dict[type, _Print] = {
    Compare: _compare,
    Between: _between,
    In: _in,
    AttributeExists: _exists,
    AttributeNotExists: _not_exists,
    AttributeType: _type,
    BeginsWith: _begins_with,
    Contains: _contains,
    And: _and,
    Or: _or,
    Not: _not,
}


def print_condition(node: Condition, pool: PlaceholderPool) -> str:
    """The text of a condition, filter or key condition."""
    printer = _CONDITIONS.get(node.__class__)
    return printer(node, pool) if printer is not None else _misplaced(node)


# ---------------------------------------------------------------------------------------- updates, projections


def print_update(node: Update, pool: PlaceholderPool) -> str:
    """The text of an update: SET, REMOVE, ADD, DELETE, each with its actions in order."""
    sets: list[str] = []
    removes: list[str] = []
    adds: list[str] = []
    deletes: list[str] = []
    for action in node.actions:
        if isinstance(action, SetAction):
            sets.append(f"{print_path(action.path, pool)} = {_set_value(action.value, pool)}")
        elif isinstance(action, RemoveAction):
            removes.append(print_path(action.path, pool))
        elif isinstance(action, AddAction):
            adds.append(f"{print_path(action.path, pool)} {_operand(action.value, pool)}")
        elif isinstance(action, DeleteAction):
            deletes.append(f"{print_path(action.path, pool)} {_operand(action.value, pool)}")
        else:
            _misplaced(action)
    sections: list[str] = []
    if sets:
        sections.append("SET " + ", ".join(sets))
    if removes:
        sections.append("REMOVE " + ", ".join(removes))
    if adds:
        sections.append("ADD " + ", ".join(adds))
    if deletes:
        sections.append("DELETE " + ", ".join(deletes))
    if not sections:
        raise ArgumentError("An update needs at least one action.", constraint="actions", operation="expression")
    return " ".join(sections)


def print_projection(paths: Iterable[Path], pool: PlaceholderPool) -> str:
    """The text of a projection."""
    text = ", ".join(print_path(path, pool) for path in paths)
    if not text:
        raise ArgumentError("A projection needs at least one path.", constraint="paths", operation="expression")
    return text
