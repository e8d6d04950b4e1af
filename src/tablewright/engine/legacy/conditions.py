"""Expected, QueryFilter and ScanFilter as conditions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.legacy.operators import INVALID, check_attribute_name, check_operands, condition
from tablewright.engine.validation.wording import Malformed
from tablewright.errors import RequestRefused
from tablewright.expressions import CompiledCondition, KeySchema, fixed
from tablewright.expressions.ast import And, AttributeNotExists, Condition, Or
from tablewright.values import AttributeValue, check_value

_WITHOUT = "ConditionalOperator cannot be used without Filter or Expected"
_WITH_ONE = "ConditionalOperator can only be used when Filter or Expected has two or more elements"


class LegacyFilter(CompiledCondition):
    """A QueryFilter or ScanFilter."""

    __slots__ = ()

    def check_filter_keys(self, schema: KeySchema) -> None:
        """Refuse it as the filter of a query over these keys, if it names one of them."""
        used = {path[0] for path in self.paths}
        for name in schema.names:
            if name in used:
                raise RequestRefused(
                    f"QueryFilter can only contain non-primary key attributes: Primary key attribute: {name}"
                )


def read_expected(expected: Mapping[str, Any] | None, joined_by: str | None) -> CompiledCondition | None:
    """The condition of a write; `joined_by` is its ConditionalOperator."""
    _check_joined(expected, joined_by)
    terms = [_expectation(name, one) for name, one in (expected or {}).items()]
    return CompiledCondition(fixed("ConditionExpression", _join(terms, joined_by))) if terms else None


def read_filter(conditions: Mapping[str, Any] | None, joined_by: str | None) -> LegacyFilter | None:
    """The filter of a query or scan; `joined_by` is its ConditionalOperator."""
    _check_joined(conditions, joined_by)
    terms = [_comparison(name, one) for name, one in (conditions or {}).items()]
    return LegacyFilter(fixed("FilterExpression", _join(terms, joined_by))) if terms else None


def _check_joined(conditions: Mapping[str, Any] | None, joined_by: str | None) -> None:
    if joined_by is not None and not conditions:
        raise Malformed(_WITHOUT)
    if joined_by is not None and conditions is not None and len(conditions) < 2:
        raise Malformed(_WITH_ONE)


def _join(terms: list[Condition], joined_by: str | None) -> Condition:
    if len(terms) == 1:
        return terms[0]
    return Or(tuple(terms)) if joined_by == "OR" else And(tuple(terms))


def _comparison(name: str, one: Mapping[str, Any]) -> Condition:
    check_attribute_name(name)
    operator = one["ComparisonOperator"]
    return condition(name, operator, check_operands(operator, one.get("AttributeValueList") or ()))


def _expectation(name: str, one: Mapping[str, Any]) -> Condition:
    check_attribute_name(name)
    operator, exists = one.get("ComparisonOperator"), one.get("Exists")
    value, several = one.get("Value"), one.get("AttributeValueList")
    where = f" for Attribute: {name}"
    if value is not None and several is not None:
        raise Malformed(f"{INVALID}Value and AttributeValueList cannot be used together{where}")
    if operator is None:
        if several is not None:
            raise Malformed(f"{INVALID}AttributeValueList can only be used with a ComparisonOperator{where}")
        return _existence(name, value, exists, where)
    if exists is not None:
        raise Malformed(f"{INVALID}Exists and ComparisonOperator cannot be used together{where}")
    if operator not in ("NULL", "NOT_NULL") and value is None and several is None:
        raise Malformed(f"{INVALID}Value or AttributeValueList must be used with ComparisonOperator: {operator}{where}")
    operands = several if several is not None else () if value is None else (value,)
    return condition(name, operator, check_operands(operator, operands))


def _existence(name: str, value: AttributeValue | None, exists: bool | None, where: str) -> Condition:
    if exists is False:
        if value is not None:
            raise Malformed(f"{INVALID}Value cannot be used when Exists is false{where}")
        return AttributeNotExists((name,))
    if value is None:
        told = "null" if exists is None else "true"
        raise Malformed(f"{INVALID}Value must be provided when Exists is {told}{where}")
    return condition(name, "EQ", [check_value(value)])
