"""Long conditions, which look at one value again and again: what was made of it is remembered.

A stored value is taken apart once for each item, an operand of the request once for all its items.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

from tablewright.expressions.ast import (
    And,
    Attribute,
    Between,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Operand,
    Or,
    Path,
    Value,
    ValueRef,
)
from tablewright.expressions.comparison import ORDERS, contains, elements, equal, form, orderable
from tablewright.expressions.reading import Read, Test, Values, compile_operand
from tablewright.values.types import AttributeValue, Item

Compile: TypeAlias = Callable[[Condition], Test]
_LONG = 8
"""Comparisons from which on it pays; fewer are done before anything is remembered."""


class Remembering(dict[str, AttributeValue]):
    """The values of a request, with what was made of them (`kept`) and of the item at hand (`seen`)."""

    __slots__ = ("kept", "seen")

    def __init__(self, values: Values) -> None:
        super().__init__(values)
        self.kept: dict[int, Any] = {}
        self.seen: dict[Hashable, Any] = {}


def is_long(node: Condition) -> bool:
    """Whether a condition makes so many comparisons that it is to be compiled with `remembered`."""
    return _comparisons(node) >= _LONG


def _comparisons(node: Condition) -> int:
    match node:
        case And(terms) | Or(terms):
            return sum(map(_comparisons, terms))
        case Not(term):
            return _comparisons(term)
        case In(_, options):
            return len(options)
        case Between():
            return 2
        case Compare() | Contains():
            return 1
        case _:
            return 0


def remembered(node: Condition, compile_term: Compile) -> Test | None:
    """The test of a node that gains by remembering, to be called with Remembering values; None for all others."""
    match node:
        case And(terms):
            return _joined(terms, compile_term, every=True)
        case Or(terms):
            return _joined(terms, compile_term, every=False)
        case Compare("=" | "<>", Attribute(path), Value() | ValueRef()):
            return _equality(path, compile_operand(node.right), node.op == "=")
        case Contains(Attribute(path), Value() | ValueRef()):
            return _containment(path, compile_operand(node.member))
        case In(tested, options) if all(isinstance(option, Value | ValueRef) for option in options):
            return _membership(compile_operand(tested), tuple(map(compile_operand, options)))
        case _:
            return None


def _kept_form(values: Remembering, operand: AttributeValue) -> Hashable:
    """The form of an operand of the request."""
    key = id(operand)
    if key not in values.kept:
        values.kept[key] = form(operand)
    found: Hashable = values.kept[key]
    return found


def _equality(path: Path, read_right: Read, wanted: bool) -> Test:
    read_left = compile_operand(Attribute(path))

    def equals(item: Item, values: Any) -> bool:
        left, right = read_left(item, values), read_right(item, values)
        if left is None or right is None:
            return not wanted
        if "S" in left or "N" in left:
            return equal(left, right) is wanted
        if left.keys() != right.keys():
            return not wanted
        seen = values.seen
        if path not in seen:
            seen[path] = form(left)
        return (seen[path] == _kept_form(values, right)) is wanted

    return equals


def _containment(path: Path, read_member: Read) -> Test:
    read_container, key = compile_operand(Attribute(path)), ("elements", path)

    def holds(item: Item, values: Any) -> bool:
        container, member = read_container(item, values), read_member(item, values)
        if container is None or member is None:
            return False
        seen = values.seen
        if key not in seen:
            seen[key] = elements(container)
        found = seen[key]
        return contains(container, member) if found is None else _kept_form(values, member) in found

    return holds


def _membership(read: Read, reads: tuple[Read, ...]) -> Test:
    key = id(reads)

    def is_in(item: Item, values: Any) -> bool:
        value = read(item, values)
        if value is None:
            return False
        if key not in values.kept:
            options = (read_option(item, values) for read_option in reads)
            values.kept[key] = frozenset([form(option) for option in options if option is not None])
        return form(value) in values.kept[key]

    return is_in


def _joined(terms: tuple[Condition, ...], compile_term: Compile, *, every: bool) -> Test:
    """Several terms; those that compare one attribute with operands of the request are tested together."""
    bounds: dict[Path, list[tuple[str, Operand]]] = {}
    rest: list[Condition] = []
    for term in terms:
        match term:
            case Compare("<" | "<=" | ">" | ">=" as op, Attribute(path), Value() | ValueRef() as right):
                bounds.setdefault(path, []).append((op, right))
            case _:
                rest.append(term)
    tests = [_bounded(path, found, every=every) for path, found in bounds.items()]
    tests.extend(map(compile_term, rest))

    def joined(item: Item, values: Values) -> bool:
        for test in tests:
            if test(item, values) is not every:
                return not every
        return every

    return joined


def _bounded(path: Path, bounds: list[tuple[str, Operand]], *, every: bool) -> Test:
    """Whether every, or any, of some orders holds between an attribute and operands of the request."""
    read_left = compile_operand(Attribute(path))
    reads = [(ORDERS[op], compile_operand(right)) for op, right in bounds]
    key = id(reads)

    def bounded(item: Item, values: Any) -> bool:
        left = read_left(item, values)
        if left is None:
            return False
        if key not in values.kept:
            made: dict[str, list[tuple[Callable[[Any, Any], bool], Any]]] = {"": []}
            for holds, read in reads:
                # Neither a value of the request nor a constant is ever missing.
                tag, bound = orderable(read(item, values) or {})
                made.setdefault(tag, []).append((holds, bound))
            values.kept[key] = made
        tag, value = orderable(left)
        found = values.kept[key].get(tag, ()) if tag else ()
        if every and len(found) < len(reads):
            # An operand of another type is neither greater nor less.
            return False
        for holds, bound in found:
            if holds(value, bound) is not every:
                return not every
        return every

    return bounded
