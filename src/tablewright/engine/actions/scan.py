"""Scan: all items of a table or index, or one segment of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.context import Context
from tablewright.engine.reads.pages import read_page
from tablewright.engine.reads.selections import checked_start, scan_selection, start_scan
from tablewright.engine.reads.targets import check_attributes, resolve_target
from tablewright.engine.validation.expressions import Kinds, check_parameters, read_expressions

_KINDS = Kinds(
    ("ProjectionExpression", "FilterExpression"), ("AttributesToGet", "ScanFilter", "ConditionalOperator"), spare=1
)


def scan(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a Scan request."""
    parameters = check_parameters(request, _KINDS)
    # Filters of the older kind are looked at before the other parameters, expressions after them.
    expressions = read_expressions(request, parameters) if parameters is not None and parameters[1] else None
    start = request.get("ExclusiveStartKey")
    if start is not None:
        start = checked_start(start)
    segment, total = request.get("Segment"), request.get("TotalSegments")
    selection = scan_selection(segment, total)
    if expressions is None:
        expressions = read_expressions(request, parameters)
    target = resolve_target(context, request, expressions, "Scanning")
    check_attributes(target, request, expressions, "Scanning")
    if start is not None:
        start_scan(target, selection, start, f"TotalSegments: {total} Segment: {segment}")
    return read_page(context, request, target, selection, expressions, splice=context.splices)
