"""AttributeUpdates as an update."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.legacy.operators import INVALID, check_attribute_name
from tablewright.engine.validation.wording import Malformed
from tablewright.errors import ExpressionError, RequestRefused
from tablewright.expressions import CompiledUpdateExpression, UpdateResult, fixed
from tablewright.expressions.ast import (
    AddAction,
    DeleteAction,
    IfNotExists,
    ListAppend,
    RemoveAction,
    SetAction,
    Update,
    UpdateAction,
    Value,
)
from tablewright.expressions.update import WRONG_TYPE
from tablewright.values import AttributeValue, Item, check_value

ACTIONS = ("ADD", "DELETE", "PUT")

_SETS = frozenset({"SS", "NS", "BS"})
_ADDED = _SETS | {"N", "L"}
_NO_VALUES: Mapping[str, AttributeValue] = {}


class LegacyUpdate(CompiledUpdateExpression):
    """The AttributeUpdates of a request."""

    __slots__ = ()

    def apply(self, item: Item | None, values: Mapping[str, AttributeValue] = _NO_VALUES) -> UpdateResult:
        """The changed copy of an item."""
        try:
            return super().apply(item, values)
        except ExpressionError as error:
            if error.message == WRONG_TYPE:
                raise RequestRefused("Type mismatch for attribute to update") from None
            raise


def read_attribute_updates(updates: Mapping[str, Any]) -> LegacyUpdate | None:
    """The update that a request's AttributeUpdates ask for, or None when there are none."""
    actions = tuple(_action(name, one) for name, one in updates.items())
    return LegacyUpdate(fixed("UpdateExpression", Update(actions))) if actions else None


def _action(name: str, one: Mapping[str, Any]) -> UpdateAction:
    check_attribute_name(name)
    action = one.get("Action") or "PUT"
    raw = one.get("Value")
    if raw is None:
        if action != "DELETE":
            raise Malformed(f"{INVALID}Only DELETE action is allowed when no attribute value is specified")
        return RemoveAction((name,))
    wire = check_value(raw)
    (tag,) = wire
    value = Value(wire)
    if action == "PUT":
        return SetAction((name,), value)
    if action == "DELETE":
        if tag not in _SETS:
            raise Malformed(f"{INVALID}DELETE action with value is not supported for the type {tag}")
        return DeleteAction((name,), value)
    if tag not in _ADDED:
        raise Malformed(f"{INVALID}ADD action is not supported for the type {tag}")
    if tag == "L":
        return SetAction((name,), ListAppend(IfNotExists((name,), Value({"L": []})), value))
    return AddAction((name,), value)
