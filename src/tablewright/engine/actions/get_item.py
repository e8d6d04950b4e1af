"""GetItem: one item by its primary key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.capacity import Tally, counts
from tablewright.engine.context import Context
from tablewright.engine.storage import read_item
from tablewright.engine.validation.expressions import (
    NO_EXPRESSIONS,
    Kinds,
    check_key_paths,
    check_parameters,
    read_expressions,
)
from tablewright.engine.validation.keys import checked_key
from tablewright.engine.validation.names import required_name
from tablewright.values import check_item

_KINDS = Kinds(("ProjectionExpression",), ("AttributesToGet",))


def get_item(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a GetItem request."""
    parameters = check_parameters(request, _KINDS)
    key_item = check_item(request["Key"])
    expressions = read_expressions(request, parameters)
    table = context.table(required_name(request))
    key = checked_key(table.schema, key_item)
    with context.database.reading() as connection:
        stored = table.get_body(connection, key)
    response: dict[str, Any] = {}
    if expressions is not NO_EXPRESSIONS:
        check_key_paths(table.schema, expressions)
    size = 0
    if stored is not None:
        size, body = stored
        project = expressions.projection
        if project is not None:
            response["Item"] = project(read_item(body))
        else:
            response["Item"] = body if context.splices else read_item(body)
    wanted = request.get("ReturnConsumedCapacity")
    if counts(wanted):
        tally = Tally()
        tally.add_read(size, consistent=bool(request.get("ConsistentRead")))
        response["ConsumedCapacity"] = tally.report(table.name, str(wanted))
    return response
