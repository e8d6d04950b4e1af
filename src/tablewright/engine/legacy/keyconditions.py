"""KeyConditions as a key condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.legacy.operators import check_attribute_name, check_operands, condition
from tablewright.engine.validation.wording import Malformed
from tablewright.errors import RequestRefused
from tablewright.expressions import CompiledKeyCondition, KeyRange, KeySchema, fixed
from tablewright.expressions.ast import And
from tablewright.values import AttributeValue

_INDEXABLE = frozenset({"EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH"})


class LegacyKeyCondition(CompiledKeyCondition):
    """The KeyConditions of a query; `unfit` are the attributes whose operators no key can be searched with."""

    __slots__ = ("unfit",)

    def __init__(self, conditions: Mapping[str, tuple[str, list[AttributeValue]]]) -> None:
        self.unfit = frozenset(name for name, (operator, _) in conditions.items() if operator not in _INDEXABLE)
        terms = [condition(name, operator, values) for name, (operator, values) in conditions.items()]
        super().__init__(fixed("KeyConditionExpression", And(tuple(terms))))

    def reduce(self, values: Mapping[str, AttributeValue], schema: KeySchema) -> dict[str, KeyRange]:
        """One range per key attribute named."""
        if self.unfit:
            named = {path[0] for path in self.paths}
            for name in schema.names if named - set(schema.names) else schema.hash:
                if name not in named:
                    raise RequestRefused(f"Query condition missed key schema element: {name}")
            raise RequestRefused("Attempted conditional constraint is not an indexable operation")
        return super().reduce(values, schema)


def read_key_conditions(conditions: Mapping[str, Any]) -> LegacyKeyCondition:
    """The key condition of a query."""
    if not conditions:
        raise Malformed("Conditions can be of length 1 or 2 only")
    read: dict[str, tuple[str, list[AttributeValue]]] = {}
    for name, one in conditions.items():
        check_attribute_name(name)
        operator = one["ComparisonOperator"]
        read[name] = operator, check_operands(operator, one.get("AttributeValueList") or ())
    return LegacyKeyCondition(read)
