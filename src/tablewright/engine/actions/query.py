"""Query: items of one partition in order, from the table or an index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.reads.pages import read_page
from tablewright.engine.reads.selections import checked_start, query_selection, start_query
from tablewright.engine.reads.targets import check_attributes, resolve_target
from tablewright.engine.validation.expressions import Kinds, check_parameters, read_expressions
from tablewright.errors import RequestRefused
from tablewright.expressions import CompiledKeyCondition, KeySchema

_KINDS = Kinds(
    ("ProjectionExpression", "FilterExpression", "KeyConditionExpression"),
    ("QueryFilter", "AttributesToGet", "ConditionalOperator", "KeyConditions"),
)


def query(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a Query request."""
    parameters = check_parameters(request, _KINDS)
    start = request.get("ExclusiveStartKey")
    if start is None:
        expressions = read_expressions(request, parameters)
    elif parameters is not None and parameters[1]:
        # Filters of the older kind are looked at before the other parameters, expressions after them.
        expressions = read_expressions(request, parameters)
        start = checked_start(start)
    else:
        start = checked_start(start)
        expressions = read_expressions(request, parameters)
    if expressions.key_condition is None:
        raise RequestRefused(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        )
    target = resolve_target(context, request, expressions, "Querying")
    _check_paths(expressions.key_condition, target.keys)
    ranges = expressions.key_condition.reduce(expressions.values, target.keys)
    if expressions.filter is not None:
        expressions.filter.check_filter_keys(target.keys)
    check_attributes(target, request, expressions, "Querying")
    selection = query_selection(target, ranges, forward=request.get("ScanIndexForward") is not False)
    if start is not None:
        start_query(target, selection, start)
    return read_page(context, request, target, selection, expressions, splice=context.splices)


def _check_paths(condition: CompiledKeyCondition, keys: KeySchema) -> None:
    for path in condition.paths:
        if len(path) > 1:
            raise RequestRefused(
                "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes"
            )
    if len(condition.paths) > len(keys.hash) + len(keys.range):
        named = len({path[0] for path in condition.paths})
        if named > len(keys.names):
            raise RequestRefused(
                f"The number of query conditions ({named}) exceeds the number of key attributes defined in the schema "
                f"({len(keys.names)})"
            )
