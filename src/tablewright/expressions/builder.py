"""Expressions from Python: conditions and update actions stated with `Attr`, and the request members for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

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
    Comparator,
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
    UpdateAction,
    UpdateOperand,
    Value,
    ValueRef,
)
from tablewright.expressions.printer import PlaceholderPool, print_condition, print_projection, print_update
from tablewright.values.types import AttributeValue

Given: TypeAlias = "AttributeValue | Value | ValueRef | Attr"
"""What a constructor takes for a value: a wire value, a placeholder for one, or another attribute."""


def _operand(given: Given | SizeOf) -> Operand:
    if isinstance(given, dict):
        return Value(given)
    if isinstance(given, Attr):
        return Attribute(given.path)
    if isinstance(given, SizeOf):
        return given.operand
    return given


def _set_operand(given: Given) -> UpdateOperand:
    if isinstance(given, dict):
        return Value(given)
    return Attribute(given.path) if isinstance(given, Attr) else given


def _constant(given: AttributeValue | Value | ValueRef) -> Value | ValueRef:
    return Value(given) if isinstance(given, dict) else given


class _Comparable:
    """Comparisons that an attribute and its size share."""

    __slots__ = ()

    def _left(self) -> Operand:
        raise NotImplementedError

    def _compare(self, op: Comparator, value: Given | SizeOf) -> Compare:
        return Compare(op, self._left(), _operand(value))

    def eq(self, value: Given | SizeOf) -> Compare:
        """self = value"""
        return self._compare("=", value)

    def ne(self, value: Given | SizeOf) -> Compare:
        """self <> value"""
        return self._compare("<>", value)

    def lt(self, value: Given | SizeOf) -> Compare:
        """self < value"""
        return self._compare("<", value)

    def le(self, value: Given | SizeOf) -> Compare:
        """self <= value"""
        return self._compare("<=", value)

    def gt(self, value: Given | SizeOf) -> Compare:
        """self > value"""
        return self._compare(">", value)

    def ge(self, value: Given | SizeOf) -> Compare:
        """self >= value"""
        return self._compare(">=", value)

    def between(self, low: Given | SizeOf, high: Given | SizeOf) -> Between:
        """self BETWEEN low AND high, both included"""
        return Between(self._left(), _operand(low), _operand(high))

    def is_in(self, options: Iterable[Given | SizeOf]) -> In:
        """self IN (options); more than 100 are asked for in several INs"""
        return In(self._left(), tuple(map(_operand, options)))


class SizeOf(_Comparable):
    """size(path), to be compared."""

    __slots__ = ("operand",)

    def __init__(self, path: Path) -> None:
        self.operand = Size(Attribute(path))

    def _left(self) -> Operand:
        return self.operand


class Attr(_Comparable):
    """A document path: Attr("address", "lines", 0) is address.lines[0]. Values are wire values."""

    __slots__ = ("path",)

    def __init__(self, name: str, *rest: str | int) -> None:
        self.path: Path = (name, *rest)

    def _left(self) -> Operand:
        return Attribute(self.path)

    # ----------------------------------------------------------------------------------------- conditions

    def exists(self) -> AttributeExists:
        """attribute_exists(self)"""
        return AttributeExists(self.path)

    def not_exists(self) -> AttributeNotExists:
        """attribute_not_exists(self)"""
        return AttributeNotExists(self.path)

    def begins_with(self, prefix: Given) -> BeginsWith:
        """begins_with(self, prefix)"""
        return BeginsWith(Attribute(self.path), _operand(prefix))

    def contains(self, member: Given) -> Contains:
        """contains(self, member)"""
        return Contains(Attribute(self.path), _operand(member))

    def has_type(self, tag: str) -> AttributeType:
        """attribute_type(self, tag), with a tag such as S, N or NULL"""
        return AttributeType(Attribute(self.path), Value({"S": tag}))

    def size(self) -> SizeOf:
        """size(self), to be compared"""
        return SizeOf(self.path)

    # -------------------------------------------------------------------------------------------- updates

    def set(self, value: Given) -> SetAction:
        """SET self = value"""
        return SetAction(self.path, _set_operand(value))

    def set_if_not_exists(self, value: Given) -> SetAction:
        """SET self = if_not_exists(self, value)"""
        return SetAction(self.path, IfNotExists(self.path, _set_operand(value)))

    def increment(self, by: Given, *, start: Given | None = None) -> SetAction:
        """SET self = self + by; where it does not exist yet, from start if given, else the update fails"""
        return SetAction(self.path, Arithmetic("+", self._present_or(start), _set_operand(by)))

    def decrement(self, by: Given, *, start: Given | None = None) -> SetAction:
        """SET self = self - by; see increment"""
        return SetAction(self.path, Arithmetic("-", self._present_or(start), _set_operand(by)))

    def append(self, elements: Given, *, create: bool = True) -> SetAction:
        """SET self = list_append(self, elements); makes the list where there is none, unless create is False"""
        present = self._present_or({"L": []} if create else None)
        return SetAction(self.path, ListAppend(present, _set_operand(elements)))

    def prepend(self, elements: Given, *, create: bool = True) -> SetAction:
        """SET self = list_append(elements, self); see append"""
        present = self._present_or({"L": []} if create else None)
        return SetAction(self.path, ListAppend(_set_operand(elements), present))

    def _present_or(self, default: Given | None) -> UpdateOperand:
        return Attribute(self.path) if default is None else IfNotExists(self.path, _set_operand(default))

    def remove(self) -> RemoveAction:
        """REMOVE self"""
        return RemoveAction(self.path)

    def add(self, value: AttributeValue | Value | ValueRef) -> AddAction:
        """ADD self value: a number to a number, members to a set"""
        return AddAction(self.path, _constant(value))

    def delete(self, members: AttributeValue | Value | ValueRef) -> DeleteAction:
        """DELETE self members: members from a set"""
        return DeleteAction(self.path, _constant(members))


def all_of(*terms: Condition) -> Condition:
    """All terms hold. One term stands for itself; ANDs among them are joined."""
    return _joined(And, terms)


def any_of(*terms: Condition) -> Condition:
    """One of the terms holds. One term stands for itself; ORs among them are joined."""
    return _joined(Or, terms)


def not_(term: Condition) -> Not:
    """The term does not hold."""
    return Not(term)


def _joined(kind: type[And] | type[Or], terms: tuple[Condition, ...]) -> Condition:
    flat: list[Condition] = []
    for term in terms:
        flat.extend(term.terms if isinstance(term, kind) else (term,))
    if not flat:
        raise ArgumentError("A condition needs at least one term.", constraint="terms", operation="expression")
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


class ExpressionBuilder:
    """The expressions of one request and the placeholders that they share.

    Each kind may be given in several calls: conditions and filters are joined by AND, update actions and projected
    paths come together.
    """

    __slots__ = ("_actions", "_condition", "_filter", "_key_condition", "_paths", "_pool")

    def __init__(self) -> None:
        self._pool = PlaceholderPool()
        self._condition: Condition | None = None
        self._filter: Condition | None = None
        self._key_condition: Condition | None = None
        self._actions: list[UpdateAction] = []
        self._paths: list[Path] = []

    def condition(self, node: Condition) -> ExpressionBuilder:
        """The request is carried out only if this holds."""
        self._condition = node if self._condition is None else all_of(self._condition, node)
        return self

    def filter(self, node: Condition) -> ExpressionBuilder:
        """Only items for which this holds are returned."""
        self._filter = node if self._filter is None else all_of(self._filter, node)
        return self

    def key_condition(self, node: Condition) -> ExpressionBuilder:
        """The keys to be read."""
        self._key_condition = node if self._key_condition is None else all_of(self._key_condition, node)
        return self

    def update(self, *actions: UpdateAction | Update) -> ExpressionBuilder:
        """What is to be changed."""
        for action in actions:
            self._actions.extend(action.actions if isinstance(action, Update) else (action,))
        return self

    def project(self, *paths: Path | Attr) -> ExpressionBuilder:
        """The parts to be returned."""
        for path in paths:
            plain = path.path if isinstance(path, Attr) else path
            if plain not in self._paths:
                self._paths.append(plain)
        return self

    @property
    def parameters(self) -> dict[str, str]:
        """After `build`: the placeholder of each ValueRef, whose values the caller adds to each request."""
        return self._pool.parameters

    def build(self) -> dict[str, Any]:
        """The members to add to the request; without what was not given."""
        pool = self._pool
        request: dict[str, Any] = {}
        if self._key_condition is not None:
            request["KeyConditionExpression"] = print_condition(self._key_condition, pool)
        if self._condition is not None:
            request["ConditionExpression"] = print_condition(self._condition, pool)
        if self._filter is not None:
            request["FilterExpression"] = print_condition(self._filter, pool)
        if self._actions:
            request["UpdateExpression"] = print_update(Update(tuple(self._actions)), pool)
        if self._paths:
            request["ProjectionExpression"] = print_projection(self._paths, pool)
        if pool.names:
            request["ExpressionAttributeNames"] = {placeholder: name for name, placeholder in pool.names.items()}
        if pool.values:
            request["ExpressionAttributeValues"] = dict(pool.values)
        return request
