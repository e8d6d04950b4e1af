"""BatchGetItem: up to a hundred items by their keys, from any tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.engine.capacity import Tally, counts
from tablewright.engine.context import Context
from tablewright.engine.keys import Key
from tablewright.engine.storage import TableStore
from tablewright.engine.validation.expressions import (
    Expressions,
    Kinds,
    all_expressions,
    check_key_paths,
    check_parameters,
)
from tablewright.engine.validation.item_requests import MAX_BATCH_GET
from tablewright.engine.validation.keys import checked_key
from tablewright.errors import RequestRefused
from tablewright.values import Item, check_item

_KINDS = Kinds(("ProjectionExpression",), ("AttributesToGet",))
_RESPONSE_BYTES = 16 * 1024 * 1024


def batch_get_item(context: Context, request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer a BatchGetItem request. What does not fit in 16 MB stays unprocessed."""
    wanted = request.get("ReturnConsumedCapacity")
    tables = _prepare(context, request["RequestItems"])
    responses: dict[str, list[Item]] = {}
    unprocessed: dict[str, dict[str, Any]] = {}
    reports: list[dict[str, Any]] = []
    room = _RESPONSE_BYTES
    with context.database.reading() as connection:
        for given, (table, keys, part, expressions) in tables.items():
            found = responses[given] = []
            tally = Tally()
            left: list[Item] = []
            for position, key in enumerate(keys):
                stored = table.get(connection, key) if room > 0 else None
                size = stored.size if stored is not None else 0
                room -= size
                if room < 0:
                    left = [dict(key_item) for key_item in part["Keys"][position:]]
                    room = 0
                    break
                tally.add_read(size, consistent=bool(part.get("ConsistentRead")))
                if stored is not None:
                    project = expressions.projection
                    found.append(stored.item if project is None else project(stored.item))
            if left:
                unprocessed[given] = {**part, "Keys": left}
            if counts(wanted):
                reports.append(tally.report(table.name, str(wanted)))
    response: dict[str, Any] = {"Responses": responses, "UnprocessedKeys": unprocessed}
    if counts(wanted):
        response["ConsumedCapacity"] = reports
    return response


def _refuse_mixture(parts: Mapping[str, Mapping[str, Any]]) -> None:
    """Old and new parameters cannot stand together, not even for different tables."""
    given = {
        kind: next((part[kind] for part in parts.values() if part.get(kind) is not None), None)
        for kind in ("AttributesToGet", "ProjectionExpression")
    }
    if None not in given.values():
        check_parameters(given, _KINDS)


def _prepare(
    context: Context, parts: Mapping[str, Mapping[str, Any]]
) -> dict[str, tuple[TableStore, list[Key], Mapping[str, Any], Expressions]]:
    if sum(len(part["Keys"]) for part in parts.values()) > MAX_BATCH_GET:
        raise RequestRefused("Too many items requested for the BatchGetItem call")
    _refuse_mixture(parts)
    read = {name: all_expressions(part, _KINDS) for name, part in parts.items()}
    checked = {name: [check_item(key) for key in part["Keys"]] for name, part in parts.items()}
    tables: dict[str, tuple[TableStore, list[Key], Mapping[str, Any], Expressions]] = {}
    for name, part in parts.items():
        table = context.table(name)
        check_key_paths(table.schema, read[name])
        keys = [checked_key(table.schema, key) for key in checked[name]]
        if len(set(keys)) < len(keys):
            raise RequestRefused("Provided list of item keys contains duplicates")
        tables[name] = (table, keys, part, read[name])
    return tables
