"""The expressions of a request: read once, checked against its values, every placeholder used.

What a request says with legacy parameters comes out as expressions too; the two ways cannot be mixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tablewright.engine.legacy import (
    read_attribute_updates,
    read_attributes_to_get,
    read_expected,
    read_filter,
    read_key_conditions,
)
from tablewright.engine.schema import TableSchema
from tablewright.engine.validation.wording import Malformed
from tablewright.errors import ExpressionError, ValidationError
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
from tablewright.values import AttributeValue, item_size

Values = Mapping[str, AttributeValue]
Parameters = tuple[Sequence[str], Sequence[str], "Kinds"]
"""The expressions that a request has, the older parameters, and which there could be."""

# In the order in which the service lists them.
_LEGACY = (
    "AttributesToGet",
    "AttributeUpdates",
    "QueryFilter",
    "ScanFilter",
    "Expected",
    "ConditionalOperator",
    "KeyConditions",
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
_OLDER = frozenset(_LEGACY)
_NONE: Sequence[str] = ()
_JOINED = frozenset({"Expected", "QueryFilter", "ScanFilter"})
_NO_VALUES: Values = {}
_MOST_BYTES = 2 * 1024 * 1024
"""What all names, all values and both together may take, each with its placeholder."""
# No name may be longer than 65,535 bytes; so many values of so many characters at most cannot take more either.
_FEW = 15
_LONG = 16 * 1024


class Kinds(NamedTuple):
    """The expressions that an operation has, and the older parameters that say the same."""

    expressions: tuple[str, ...]
    legacy: tuple[str, ...] = ()
    spare: int = 0
    """How much deeper than an item's attributes the values of its expressions may nest."""


class Expressions(NamedTuple):
    """What a request's expressions say; None for each that it does not have."""

    values: Values = _NO_VALUES
    condition: CompiledCondition | None = None
    update: CompiledUpdateExpression | None = None
    key_condition: CompiledKeyCondition | None = None
    filter: CompiledCondition | None = None
    projection: CompiledProjection | None = None
    deep: bool = False
    """Whether a value nests deeper than an attribute may."""


NO_EXPRESSIONS = Expressions()


def check_parameters(request: Mapping[str, Any], kinds: Kinds) -> Parameters | None:
    """Which expressions and older parameters a request has, if any; refuses those that cannot stand together.

    The service looks at this before it looks at keys and items.
    """
    if _ANY.isdisjoint(request):
        return None
    given = [kind for kind in kinds.expressions if request.get(kind) is not None]
    legacy = _NONE if _OLDER.isdisjoint(request) else [n for n in kinds.legacy if request.get(n) is not None]
    if given and legacy:
        _refuse_mixture(legacy, given)
    if not given or given[0] == "ProjectionExpression":
        _refuse_placeholders(request, given, kinds)
    return given, legacy, kinds


def _refuse_placeholders(request: Mapping[str, Any], given: Sequence[str], kinds: Kinds) -> None:
    """Refuse placeholders that no expression can have."""
    if request.get("ExpressionAttributeNames") is not None and not given:
        raise Malformed("ExpressionAttributeNames can only be specified when using expressions")
    with_values = [kind for kind in kinds.expressions if kind != "ProjectionExpression"]
    if (
        request.get("ExpressionAttributeValues") is not None
        and with_values
        and not any(kind in given for kind in with_values)
    ):
        are = "are" if len(with_values) > 1 else "is"
        raise Malformed(
            "ExpressionAttributeValues can only be specified when using expressions: "
            f"{' and '.join(with_values)} {are} null"
        )


def _refuse_mixture(legacy: Sequence[str], given: Sequence[str]) -> None:
    used = [name for name in _LEGACY if name in legacy]
    if "KeyConditions" in used and "KeyConditionExpression" not in given:
        # These alone may stand beside the other expressions.
        used.remove("KeyConditions")
    if used:
        raise Malformed(
            "Can not use both expression and non-expression parameters in the same request: "
            f"Non-expression parameters: {{{', '.join(used)}}} Expression parameters: {{{', '.join(given)}}}"
        )


def read_expressions(request: Mapping[str, Any], parameters: Parameters | None) -> Expressions:
    """The expressions of a request whose parameters have been checked."""
    if parameters is None:
        return NO_EXPRESSIONS
    given, legacy, kinds = parameters
    read = _read_given(request, given, kinds.spare) if given else NO_EXPRESSIONS
    return _add_legacy(read, request, legacy) if legacy else read


def all_expressions(request: Mapping[str, Any], kinds: Kinds) -> Expressions:
    """The expressions of a request, where nothing else is looked at between its parameters and these."""
    return read_expressions(request, check_parameters(request, kinds))


def _read_given(request: Mapping[str, Any], given: Sequence[str], spare: int) -> Expressions:
    names, raw_values = request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues")
    if names is not None:
        check_names(names)
    deep = False
    try:
        values: Values = _NO_VALUES if raw_values is None else check_values(raw_values)
    except ExpressionError as error:
        cause = error.__cause__
        if not spare or raw_values is None or not isinstance(cause, ValidationError) or cause.constraint != "nesting":
            raise
        values, deep = check_values(raw_values, spare=spare), True
    if _may_be_large(names, values):
        _check_sizes(names or {}, values)
    update = condition = key_condition = filter_ = projection = None
    read: list[Any] = []
    # What is to be shown is looked at last, though it is listed first.
    for kind in reversed(given) if given[0] == "ProjectionExpression" else given:
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
    return Expressions(values, condition, update, key_condition, filter_, projection, deep)


def _may_be_large(names: Mapping[str, str] | None, values: Values) -> bool:
    """Whether placeholders might take more than they may: many of them, a long text, or anything made of parts."""
    if (names is not None and len(names) > _FEW) or len(values) > _FEW:
        return True
    for value in values.values():
        for inner in value.values():
            if inner.__class__ is not bool and (inner.__class__ is not str or len(inner) > _LONG):
                return True
    return False


def _check_sizes(names: Mapping[str, str], values: Values) -> None:
    name_sizes = sum(len(key) + len(name.encode()) for key, name in names.items())
    value_sizes = item_size(values)
    for what, size in (
        ("ExpressionAttributeNames", name_sizes),
        ("ExpressionAttributeValues", value_sizes),
        ("Combined size of ExpressionAttributeNames and ExpressionAttributeValues", name_sizes + value_sizes),
    ):
        if size > _MOST_BYTES:
            raise Malformed(f"{what} exceeds max size")


def _add_legacy(read: Expressions, request: Mapping[str, Any], legacy: Sequence[str]) -> Expressions:
    joined_by = request.get("ConditionalOperator") if "ConditionalOperator" in legacy else None
    if joined_by is not None and _JOINED.isdisjoint(legacy):
        read_expected(None, joined_by)
    parts: dict[str, Any] = {}
    for name in legacy:
        given = request[name]
        if name == "Expected":
            parts["condition"] = read_expected(given, joined_by)
        elif name in ("QueryFilter", "ScanFilter"):
            parts["filter"] = read_filter(given, joined_by)
        elif name == "AttributesToGet":
            parts["projection"] = read_attributes_to_get(given)
        elif name == "AttributeUpdates":
            parts["update"] = read_attribute_updates(given)
        elif name == "KeyConditions":
            parts["key_condition"] = read_key_conditions(given)
    return read._replace(**parts)


def check_key_paths(schema: TableSchema, expressions: Expressions) -> None:
    """Refuse expressions that look inside a key attribute."""
    for read in (expressions.condition, expressions.filter, expressions.projection, expressions.update):
        if read is not None:
            for path in read.paths:
                if len(path) > 1:
                    check_scalar_keys(read.paths, schema.key_names)
                    check_scalar_keys(read.paths, schema.index_keys, "IndexKey")
                    break
