"""Conditions compiled to closures over a wire item and the values of the request. Nothing here raises."""

from __future__ import annotations

from collections.abc import Callable

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
    ValueRef,
)
from tablewright.expressions.comparison import begins_with, contains, equal, ordered
from tablewright.expressions.reading import Test, Values, compile_operand, value_at
from tablewright.expressions.remembering import Remembering, is_long, remembered
from tablewright.values.types import AttributeValue, Item


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


def compile_term(node: Condition) -> Test:
    """A closure over (item, values) for a condition, or a term of one, that may still hold value placeholders."""
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
            test, other = compile_term(first), compile_term(second)
            return lambda item, values: test(item, values) and other(item, values)
        case Or((first, second)):
            test, other = compile_term(first), compile_term(second)
            return lambda item, values: test(item, values) or other(item, values)
        case And(terms):
            tests = tuple(map(compile_term, terms))
            return lambda item, values: all(test(item, values) for test in tests)
        case Or(terms):
            tests = tuple(map(compile_term, terms))
            return lambda item, values: any(test(item, values) for test in tests)
        case Not(term):
            negated = compile_term(term)
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


def compile_remembering(node: Condition) -> Test:
    """The same for a long condition; its closure is to be called with Remembering values."""
    match node:
        case Not(term):
            negated = compile_remembering(term)
            return lambda item, values: not negated(item, values)
        case _:
            return remembered(node, compile_remembering) or compile_term(node)


def compile_test(node: Condition) -> Test:
    """A closure over (item, values) for a whole condition that may still hold value placeholders."""
    return for_one_item(compile_remembering(node)) if is_long(node) else compile_term(node)


def for_one_item(test: Test) -> Test:
    """A test of compile_remembering that takes plain values, and remembers nothing afterwards."""
    return lambda item, values: test(item, Remembering(values))


_NO_VALUES: Values = {}


def compile_condition(node: Condition) -> Callable[[Item | None], bool]:
    """A predicate on items for a condition that holds its values; no item counts as an empty one."""
    test = compile_test(node)
    return lambda item: test(item or {}, _NO_VALUES)


def evaluate(node: Condition, item: Item | None) -> bool:
    """Whether the condition holds for the item. To test many items, compile it once."""
    return compile_test(node)(item or {}, _NO_VALUES)
