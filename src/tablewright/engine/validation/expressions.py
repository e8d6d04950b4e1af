"""The expressions of a request: read once, checked against its values, every placeholder used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tablewright.engine.schema import TableSchema
from tablewright.errors import RequestRefused
from tablewright.expressions import (
    CompiledCondition,
    CompiledKeyCondition,
    CompiledProjection,
    CompiledUpdateExpression,
    check_names,
    check_scalar_keys,
    check_unused,
    check_values,
    compiled_condition,
    compiled_key_condition,
    compiled_projection,
    compiled_update,
)
from tablewright.values import AttributeValue

Values = Mapping[str, AttributeValue]

_LEGACY = (
    "AttributeUpdates",
    "AttributesToGet",
    "ConditionalOperator",
    "Expected",
    "KeyConditions",
    "QueryFilter",
    "ScanFilter",
)
_ANY = frozenset(_LEGACY) | {
    "ConditionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "FilterExpression",
    "KeyConditionExpression",
    "ProjectionExpression",
    "UpdateExpression",
}
_NO_VALUES: Values = {}


class Expressions(NamedTuple):
    """What a request's expressions say; None for each that it does not have."""

    values: Values = _NO_VALUES
    condition: CompiledCondition | None = None
    update: CompiledUpdateExpression | None = None
    key_condition: CompiledKeyCondition | None = None
    filter: CompiledCondition | None = None
    projection: CompiledProjection | None = None


NO_EXPRESSIONS = Expressions()


def read_expressions(request: Mapping[str, Any], kinds: Sequence[str]) -> Expressions:
    """The expressions that an operation has (`kinds`), in a request of it."""
    if _ANY.isdisjoint(request):
        return NO_EXPRESSIONS
    given = [kind for kind in kinds if request.get(kind) is not None]
    names, raw_values = request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues")
    _refuse_legacy(request, given)
    if not given:
        if names is None and raw_values is None:
            return NO_EXPRESSIONS
        if names is not None:
            raise RequestRefused("ExpressionAttributeNames can only be specified when using expressions")
    with_values = [kind for kind in kinds if kind != "ProjectionExpression"]
    if raw_values is not None and with_values and not any(kind in given for kind in with_values):
        are = "are" if len(with_values) > 1 else "is"
        raise RequestRefused(
            "ExpressionAttributeValues can only be specified when using expressions: "
            f"{' and '.join(with_values)} {are} null"
        )
    if names is not None:
        check_names(names)
    values: Values = _NO_VALUES if raw_values is None else check_values(raw_values)
    update = condition = key_condition = filter_ = projection = None
    read: list[Any] = []
    for kind in given:
        text = request[kind]
        if kind == "UpdateExpression":
            update = compiled_update(text, names)
            update.check(values)
            read.append(update)
        elif kind == "ConditionExpression":
            condition = compiled_condition(text, names)
            condition.check(values)
            read.append(condition)
        elif kind == "KeyConditionExpression":
            key_condition = compiled_key_condition(text, names)
            key_condition.check(values)
            read.append(key_condition)
        elif kind == "FilterExpression":
            filter_ = compiled_condition(text, names, "FilterExpression")
            filter_.check(values)
            read.append(filter_)
        else:
            projection = compiled_projection(text, names)
            read.append(projection)
    if names is not None or raw_values is not None:
        check_unused(names, values, read)
    return Expressions(values, condition, update, key_condition, filter_, projection)


def check_key_paths(schema: TableSchema, expressions: Expressions) -> None:
    """Refuse expressions that look inside a key attribute."""
    for read in (expressions.condition, expressions.filter, expressions.projection, expressions.update):
        if read is not None:
            for path in read.paths:
                if len(path) > 1:
                    check_scalar_keys(read.paths, schema.key_names)
                    check_scalar_keys(read.paths, schema.index_keys, "IndexKey")
                    break


def _refuse_legacy(request: Mapping[str, Any], given: Sequence[str]) -> None:
    used = [name for name in _LEGACY if request.get(name) is not None]
    if not used:
        return
    if given:
        raise RequestRefused(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(used)}}} Expression parameters: {{{', '.join(given)}}}"
        )
    raise RequestRefused(
        f"The legacy parameters {{{', '.join(used)}}} are not supported by this engine.",
        hint="Use the expression parameters that replace them.",
    )
