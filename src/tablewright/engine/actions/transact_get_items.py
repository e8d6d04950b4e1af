"""TransactGetItems: up to a hundred items as they are at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.capacity import Tally, counts
from tablewright.engine.context import Context
from tablewright.engine.keys import Key
from tablewright.engine.outcomes import PASSED, cancel
from tablewright.engine.storage import TableStore
from tablewright.engine.validation.expressions import Expressions, Kinds, all_expressions, check_key_paths
from tablewright.engine.validation.keys import checked_key
from tablewright.errors import CancellationReason, RequestRefused
from tablewright.values import check_item, read_units

_KINDS = Kinds(("ProjectionExpression",))
_MAX_BYTES = 4 * 1024 * 1024


def transact_get_items(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a TransactGetItems request."""
    gets = _prepare(context, [action["Get"] for action in request["TransactItems"]])
    if len({(table.name, key) for table, key, _ in gets}) < len(gets):
        raise RequestRefused("Transaction request cannot include multiple operations on one item")
    with context.database.snapshot() as connection:
        found = [table.get(connection, key) for table, key, _ in gets]
    if sum(stored.size for stored in found if stored is not None) > _MAX_BYTES:
        raise RequestRefused("The total size of the items in the transaction cannot exceed 4MB")
    responses: list[dict[str, Any]] = []
    tallies: dict[str, Tally] = {}
    for stored, (table, _, expressions) in zip(found, gets, strict=True):
        units = read_units(stored.size if stored is not None else 0, transactional=True)
        tallies.setdefault(table.name, Tally("Read")).add(units)
        if stored is None:
            responses.append({})
        else:
            project = expressions.projection
            item = stored.item if project is None else project(stored.item)
            # Unlike other reads, this one does not tell an item of which nothing was asked from one that is not there.
            responses.append({"Item": item} if item else {})
    response: dict[str, Any] = {"Responses": responses}
    wanted = request.get("ReturnConsumedCapacity")
    if counts(wanted):
        response["ConsumedCapacity"] = [tally.report(name, str(wanted)) for name, tally in tallies.items()]
    return response


def _prepare(context: Context, gets: list[Mapping[str, Any]]) -> list[tuple[TableStore, Key, Expressions]]:
    prepared: list[tuple[TableStore, Key, Expressions]] = []
    reasons: list[CancellationReason] = []
    # Whatever can be refused without a look at any table comes first.
    read = [(all_expressions(get, _KINDS), check_item(get["Key"])) for get in gets]
    for get, (expressions, key_item) in zip(gets, read, strict=True):
        table = context.table(get["TableName"])
        check_key_paths(table.schema, expressions)
        try:
            prepared.append((table, checked_key(table.schema, key_item), expressions))
            reasons.append(PASSED)
        except RequestRefused as error:
            reasons.append(CancellationReason("ValidationError", error.message))
    if len(prepared) < len(gets):
        cancel(reasons)
    return prepared
