"""The thirteen comparison operators: how many operands each takes, of which types, and the condition it stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablewright.engine.validation.wording import Malformed
from tablewright.errors import RequestRefused
from tablewright.expressions import ordered
from tablewright.expressions.ast import (
    And,
    Attribute,
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Between,
    Comparator,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Value,
)
from tablewright.expressions.limits import MAX_NAME_BYTES
from tablewright.values import AttributeValue, check_value

INVALID = "One or more parameter values were invalid: "

OPERATORS = (
    "IN",
    "NULL",
    "BETWEEN",
    "LT",
    "NOT_CONTAINS",
    "EQ",
    "GT",
    "NOT_NULL",
    "NE",
    "LE",
    "BEGINS_WITH",
    "GE",
    "CONTAINS",
)
"""In the order in which the service lists them."""

_COMPARATORS: Mapping[str, Comparator] = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_COUNTS = {"NULL": 0, "NOT_NULL": 0, "BETWEEN": 2}

_SCALARS = frozenset({"S", "N", "B"})
_CONTAINED = _SCALARS | {"BOOL", "NULL"}
_ALLOWED: Mapping[str, frozenset[str]] = {
    "LT": _SCALARS,
    "LE": _SCALARS,
    "GT": _SCALARS,
    "GE": _SCALARS,
    "IN": _SCALARS,
    "BETWEEN": _SCALARS,
    "BEGINS_WITH": frozenset({"S", "B"}),
    "CONTAINS": _CONTAINED,
    "NOT_CONTAINS": _CONTAINED,
}


def check_attribute_name(name: str) -> None:
    """Refuse an attribute without a name, or with one that is too long."""
    if not name:
        raise Malformed("Empty attribute name")
    if not isinstance(name, str):
        raise RequestRefused("Unexpected field type", wire_name="SerializationException")
    if len(name) > MAX_NAME_BYTES // 4 and len(name.encode("utf-8")) > MAX_NAME_BYTES:
        raise Malformed(f"{INVALID}Attribute name is too large, must be less than {MAX_NAME_BYTES + 1} bytes")


def check_operands(operator: str, raw: Sequence[Any]) -> list[AttributeValue]:
    """The operands in canonical form, if the operator takes such ones and so many."""
    values = [check_value(value) for value in raw]
    count = len(values)
    if count < 1 if operator == "IN" else count != _COUNTS.get(operator, 1):
        raise Malformed(f"{INVALID}Invalid number of argument(s) for the {operator} ComparisonOperator")
    tags = [tag for value in values for tag in value]
    if len(set(tags)) > 1:
        raise Malformed(f"{INVALID}AttributeValues inside AttributeValueList must be of same type")
    allowed = _ALLOWED.get(operator)
    if allowed is not None and tags[0] not in allowed:
        raise Malformed(f"{INVALID}ComparisonOperator {operator} is not valid for {tags[0]} AttributeValue type")
    if operator == "BETWEEN" and ordered(values[0], values[1], ">"):
        raise Malformed(
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
        )
    return values


def condition(name: str, operator: str, values: Sequence[AttributeValue]) -> Condition:
    """The condition that an operator with checked operands puts on one attribute."""
    attribute = Attribute((name,))
    operands = [Value(value) for value in values]
    if operator in _COMPARATORS:
        return Compare(_COMPARATORS[operator], attribute, operands[0])
    return _CONDITIONS[operator](attribute, operands)


_CONDITIONS: Mapping[str, Callable[[Attribute, list[Value]], Condition]] = {
    "NULL": lambda attribute, _: AttributeNotExists(attribute.path),
    "NOT_NULL": lambda attribute, _: AttributeExists(attribute.path),
    "BETWEEN": lambda attribute, operands: Between(attribute, operands[0], operands[1]),
    "IN": lambda attribute, operands: In(attribute, tuple(operands)),
    "BEGINS_WITH": lambda attribute, operands: BeginsWith(attribute, operands[0]),
    "CONTAINS": lambda attribute, operands: Contains(attribute, operands[0]),
    # Unlike NOT contains(), it needs something that does not contain.
    "NOT_CONTAINS": lambda attribute, operands: And(
        (AttributeExists(attribute.path), Not(Contains(attribute, operands[0])))
    ),
}
