"""Key conditions: one condition per key attribute, checked against the key schema of a table or index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, NamedTuple, NoReturn, TypeAlias

from tablewright.errors import ExpressionError
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
    operands,
    paths_of,
)
from tablewright.expressions.keyschema import KeySchema
from tablewright.expressions.resolve import tag_of
from tablewright.values.sizes import MAX_SORT_KEY, text_size
from tablewright.values.types import AttributeValue

KeyOperator: TypeAlias = Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"]

Constant: TypeAlias = Value | ValueRef

_MIRRORED: dict[str, KeyOperator] = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class KeyRange(NamedTuple):
    """What one key attribute must satisfy: one value, or two for BETWEEN."""

    operator: KeyOperator
    values: tuple[AttributeValue, ...]


def _refuse(message: str) -> NoReturn:
    raise ExpressionError(message, constraint="KeyConditionExpression", operation="query")


# ---------------------------------------------------------------------------------------- checks on key names


def check_scalar_keys(paths: Iterable[Path], key_names: Iterable[str], label: str = "Key") -> None:
    """Refuse paths that lead into a key attribute, which can only be a scalar; label is Key or IndexKey."""
    names = frozenset(key_names)
    for path in paths:
        if len(path) > 1 and path[0] in names:
            raise ExpressionError(
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: "
                f"{label}: {path[0]}",
                constraint="key path",
                operation="query",
            )


def check_filter_keys(node: Condition, schema: KeySchema) -> None:
    """Refuse a filter of a query on the key attributes of what is queried."""
    used = {path[0] for path in paths_of(node)}
    for name in schema.names:
        if name in used:
            _refuse(f"Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}")


# ------------------------------------------------------------------------------------------ taken apart once


def _leaves(node: Condition) -> Iterator[Condition]:
    match node:
        case And(terms):
            for term in terms:
                yield from _leaves(term)
        case Or():
            _refuse("Invalid operator used in KeyConditionExpression: OR")
        case Not():
            _refuse("Invalid operator used in KeyConditionExpression: NOT")
        case _:
            yield node


def _operator(node: Condition) -> str:
    match node:
        case Compare(op):
            return op
        case Between():
            return "BETWEEN"
        case In():
            return "IN"
        case BeginsWith():
            return "begins_with"
        case AttributeExists():
            return "attribute_exists"
        case AttributeNotExists():
            return "attribute_not_exists"
        case AttributeType():
            return "attribute_type"
        case Contains():
            return "contains"
        case _:
            raise AssertionError(node)


def _constant(operand: Operand) -> Constant:
    assert isinstance(operand, (Value, ValueRef))
    return operand


def _plan_leaf(node: Condition) -> tuple[str, KeyOperator, tuple[Constant, ...]]:
    operator = _operator(node)
    if operator in ("<>", "IN") or not isinstance(node, (Compare, Between, BeginsWith)):
        _refuse(f"Invalid operator used in KeyConditionExpression: {operator}")
    parts = list(operands(node))
    if any(isinstance(part, Size) for part in parts):
        _refuse("KeyConditionExpressions cannot contain nested operations")
    attributes = [part for part in parts if isinstance(part, Attribute)]
    if len(attributes) > 1:
        _refuse("Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition")
    if not attributes:
        _refuse("Invalid condition in KeyConditionExpression: No key attribute specified")
    name, *rest = map(str, attributes[0].path)
    if rest:
        _refuse("KeyConditionExpressions cannot have conditions on nested attributes")
    if isinstance(node, Compare):
        if isinstance(node.left, Attribute):
            return name, operator, (_constant(node.right),)  # type: ignore[return-value]
        return name, _MIRRORED[operator], (_constant(node.left),)
    if not isinstance(parts[0], Attribute):
        _refuse(
            f"Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute as its "
            "first operand"
        )
    if isinstance(node, Between):
        return name, "BETWEEN", (_constant(node.low), _constant(node.high))
    return name, "begins_with", (_constant(node.prefix),)


def _plan(node: Condition) -> dict[str, tuple[KeyOperator, tuple[Constant, ...]]]:
    plan: dict[str, tuple[KeyOperator, tuple[Constant, ...]]] = {}
    for leaf in _leaves(node):
        name, operator, constants = _plan_leaf(leaf)
        if name in plan:
            _refuse("KeyConditionExpressions must only contain one condition per key")
        plan[name] = operator, constants
    return plan


class KeyPlan:
    """A key condition taken apart once, to be met with the values and key schemas of many requests."""

    __slots__ = ("_fault", "_parts", "_paths")

    def __init__(self, node: Condition) -> None:
        self._paths: tuple[Path, ...] = tuple(path for path in paths_of(node) if len(path) > 1)
        self._fault: str | None = None
        self._parts: dict[str, tuple[KeyOperator, tuple[Constant, ...]]] = {}
        try:
            self._parts = _plan(node)
        except ExpressionError as fault:
            self._fault = fault.message

    def reduce(self, values: Mapping[str, AttributeValue], schema: KeySchema) -> dict[str, KeyRange]:
        """One range per key attribute named, in schema order; raises ExpressionError with DynamoDB's message.

        Every HASH attribute has `=`. RANGE attributes come left to right without gaps, `=` on all but the last.
        """
        if self._paths:
            check_scalar_keys(self._paths, schema.names, "Key" if schema.index_name is None else "IndexKey")
        if self._fault is not None:
            _refuse(self._fault)
        ranges = {
            name: KeyRange(
                operator,
                tuple([values[one.name] if isinstance(one, ValueRef) else one.wire for one in constants]),
            )
            for name, (operator, constants) in self._parts.items()
        }
        if len(schema.hash) == 1 and len(schema.range) <= 1:
            _check_simple(ranges, schema)
        else:
            _check_multi(ranges, schema)
        found: dict[str, KeyRange] = {}
        for name in schema.names:
            if name in ranges:
                _check_not_empty(name, ranges[name], schema)
                found[name] = ranges[name]
        return found


# ------------------------------------------------------------------------------------------ against the schema


def reduce_key_condition(node: Condition, schema: KeySchema) -> dict[str, KeyRange]:
    """One range per key attribute named by a condition that holds its values; see KeyPlan.reduce."""
    return KeyPlan(node).reduce({}, schema)


def _check_simple(ranges: Mapping[str, KeyRange], schema: KeySchema) -> None:
    if len(ranges) > 2:
        _refuse("Conditions can be of length 1 or 2 only")
    if not schema.range and len(ranges) > 1:
        _refuse("Query key condition not supported")
    (hash_name,) = schema.hash
    if hash_name not in ranges:
        _refuse(f"Query condition missed key schema element: {hash_name}")
    _check_type(hash_name, ranges[hash_name], schema)
    if ranges[hash_name].operator != "=":
        _refuse("Query key condition not supported")
    if len(ranges) > 1:
        range_name = schema.range[0]
        if range_name not in ranges:
            _refuse(f"Query condition missed key schema element: {range_name}")
        if any(text_size(value.get("S", "")) > MAX_SORT_KEY for value in ranges[range_name].values):
            _refuse(_RANGE_TOO_LONG)  # whatever its type should be
        _check_type(range_name, ranges[range_name], schema)


def _check_multi(ranges: Mapping[str, KeyRange], schema: KeySchema) -> None:
    if len(ranges) > len(schema.names):
        _refuse("Query key condition not supported")

    def not_equal(names: Iterable[str]) -> list[str]:
        return [name for name in names if name not in ranges or ranges[name].operator != "="]

    if wrong := not_equal(schema.hash):
        _refuse(f"HASH key attributes {', '.join(wrong)} must have equality conditions specified in the query")
    missing: list[str] = []
    last = ""
    for name in schema.range:
        if name not in ranges:
            missing.append(name)
            continue
        if missing:
            _refuse_gap(missing, name)
        last = name
    if last and (wrong := not_equal(schema.range[: schema.range.index(last)])):
        _refuse_gap(wrong, last)
    if unknown := [name for name in ranges if name not in schema.names]:
        # The service names the key attribute it looked for in vain.
        _refuse(f"Query condition missed key schema element: {missing[0] if missing else unknown[0]}")
    for name, key_range in ranges.items():
        _check_type(name, key_range, schema)


_RANGE_TOO_LONG = "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of 1024 bytes"


def _refuse_gap(names: list[str], because: str) -> NoReturn:
    _refuse(
        f"RANGE key attributes {', '.join(names)} must have equality conditions specified in the query "
        f"because a condition is present on key attribute {because}"
    )


def _check_type(name: str, key_range: KeyRange, schema: KeySchema) -> None:
    if schema.types is not None and not all(schema.types[name] in value for value in key_range.values):
        _refuse("One or more parameter values were invalid: Condition parameter type does not match schema type")


def _check_not_empty(name: str, key_range: KeyRange, schema: KeySchema) -> None:
    for value in key_range.values:
        tag = tag_of(value)
        if value[tag] == "" and tag in ("S", "B"):
            kind = "string" if tag == "S" else "binary"
            rule = f"The AttributeValue for a key attribute cannot contain an empty {kind} value."
            if schema.index_name is None:
                _refuse(f"One or more parameter values are not valid. {rule} Key: {name}")
            _refuse(
                "One or more parameter values are not valid. A value specified for a secondary index key is not "
                f"supported. {rule} IndexName: {schema.index_name}, IndexKey: {name}"
            )
