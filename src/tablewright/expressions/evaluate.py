"""Conditions compiled to closures over a wire item and the values of the request. Nothing here raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from tablewright.expressions.ast import (
    And,
    Attribute,
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Operand,
    Or,
    Path,
    Size,
    Value,
    ValueRef,
)
from tablewright.expressions.comparison import begins_with, contains, equal, ordered, size
from tablewright.values.types import AttributeValue, Item

Values: TypeAlias = Mapping[str, AttributeValue]
Test: TypeAlias = Callable[[Item, Values], bool]
Read: TypeAlias = Callable[[Item, Values], AttributeValue | None]


def value_at(item: Item, path: Path) -> AttributeValue | None:
    """The value at a path, or None where the path leads nowhere."""
    node: Any = item.get(path[0])  # type: ignore[arg-type]
    for part in path[1:]:
        if node is None:
            return None
        if isinstance(part, str):
            inside = node.get("M")
            node = None if inside is None else inside.get(part)
        else:
            inside = node.get("L")
            node = inside[part] if inside is not None and part < len(inside) else None
    return node  # type: ignore[no-any-return]


def compile_operand(operand: Operand) -> Read:
    """A reader for one operand."""
    match operand:
        case Attribute((str() as name,)):
            return lambda item, values: item.get(name)
        case Attribute(path):
            return lambda item, values: value_at(item, path)
        case Value(wire):
            return lambda item, values: wire
        case ValueRef(name):
            return lambda item, values: values[name]
        case Size(inner):
            read = compile_operand(inner)

            def read_size(item: Item, values: Values) -> AttributeValue | None:
                value = read(item, values)
                count = None if value is None else size(value)
                return None if count is None else {"N": str(count)}

            return read_size


def _compile_compare(node: Compare) -> Test:
    read_left, read_right, op = compile_operand(node.left), compile_operand(node.right), node.op
    if op in ("=", "<>"):
        wanted = op == "="
        if isinstance(node.left, Attribute) and len(node.left.path) == 1 and isinstance(node.right, ValueRef):
            # By far the most frequent condition; two calls less.
            attribute, ref = node.left.path[0], node.right.name

            def equals_ref(item: Item, values: Values) -> bool:
                left = item.get(attribute)  # type: ignore[arg-type]
                return (left is not None and equal(left, values[ref])) is wanted

            return equals_ref

        def equals(item: Item, values: Values) -> bool:
            left, right = read_left(item, values), read_right(item, values)
            return (left is not None and right is not None and equal(left, right)) is wanted

        return equals

    def compares(item: Item, values: Values) -> bool:
        left, right = read_left(item, values), read_right(item, values)
        return left is not None and right is not None and ordered(left, right, op)

    return compares


def _compile_pair(first: Operand, second: Operand, holds: Callable[[AttributeValue, AttributeValue], bool]) -> Test:
    read_first, read_second = compile_operand(first), compile_operand(second)

    def test(item: Item, values: Values) -> bool:
        left, right = read_first(item, values), read_second(item, values)
        return left is not None and right is not None and holds(left, right)

    return test


def _has_type(value: AttributeValue, type_name: AttributeValue) -> bool:
    return type_name.get("S") in value


def compile_test(node: Condition) -> Test:
    """A closure over (item, values) for a condition that may still hold value placeholders."""
    match node:
        case Compare():
            return _compile_compare(node)
        case AttributeExists((str() as name,)):
            return lambda item, values: name in item
        case AttributeNotExists((str() as name,)):
            return lambda item, values: name not in item
        case AttributeExists(path):
            return lambda item, values: value_at(item, path) is not None
        case AttributeNotExists(path):
            return lambda item, values: value_at(item, path) is None
        case And((first, second)):
            test, other = compile_test(first), compile_test(second)
            return lambda item, values: test(item, values) and other(item, values)
        case Or((first, second)):
            test, other = compile_test(first), compile_test(second)
            return lambda item, values: test(item, values) or other(item, values)
        case And(terms):
            tests = tuple(map(compile_test, terms))
            return lambda item, values: all(test(item, values) for test in tests)
        case Or(terms):
            tests = tuple(map(compile_test, terms))
            return lambda item, values: any(test(item, values) for test in tests)
        case Not(term):
            negated = compile_test(term)
            return lambda item, values: not negated(item, values)
        case BeginsWith(operand, prefix):
            return _compile_pair(operand, prefix, begins_with)
        case Contains(container, member):
            return _compile_pair(container, member, contains)
        case AttributeType(operand, type_name):
            return _compile_pair(operand, type_name, _has_type)
        case Between(operand, low, high):
            read, read_low, read_high = compile_operand(operand), compile_operand(low), compile_operand(high)

            def between(item: Item, values: Values) -> bool:
                value, bottom, top = read(item, values), read_low(item, values), read_high(item, values)
                if value is None or bottom is None or top is None:
                    return False
                return ordered(value, bottom, ">=") and ordered(value, top, "<=")

            return between
        case In(operand, options):
            read, reads = compile_operand(operand), tuple(map(compile_operand, options))

            def in_options(item: Item, values: Values) -> bool:
                value = read(item, values)
                if value is None:
                    return False
                for read_option in reads:
                    option = read_option(item, values)
                    if option is not None and equal(value, option):
                        return True
                return False

            return in_options


_NO_VALUES: Values = {}


def compile_condition(node: Condition) -> Callable[[Item | None], bool]:
    """A predicate on items for a condition that holds its values; no item counts as an empty one."""
    test = compile_test(node)
    return lambda item: test(item or {}, _NO_VALUES)


def evaluate(node: Condition, item: Item | None) -> bool:
    """Whether the condition holds for the item. To test many items, compile it once."""
    return compile_test(node)(item or {}, _NO_VALUES)
