"""Indexes that the model has and the table lacks: added one after another, each filled before the next."""

from __future__ import annotations

from typing import Any

from tablewright.client import tables
from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.context import Context
from tablewright.compiler.schema import create_table_request
from tablewright.errors import ConfigError, ResourceNotFound

_SLOWEST = 8
"""Polls slow down up to this step of the back-off."""


def add_missing_indexes(context: Context) -> Steps[tuple[str, ...]]:
    """Adds what is missing and waits for each; the names of what was added."""
    added: list[str] = []
    wanted = create_table_request(context.plan.table, context.table)
    while True:
        table = yield from _settled(context)
        index = _next_missing(wanted, table)
        if index is None:
            tables.compare(context, table)
            return tuple(added)
        yield Call("UpdateTable", _request(wanted, table, index))
        added.append(index["IndexName"])


def _settled(context: Context) -> Steps[dict[str, Any]]:
    """The table's description, once nothing is being made of it any more."""
    attempt = 0
    while True:
        table = yield from tables.describe(context.table)
        if table is None:
            raise ResourceNotFound(
                f"There is no table {context.table}.",
                hint="ensure_table() creates it with all its indexes.",
                operation="UpdateTable",
            )
        states = [table["TableStatus"], *(i["IndexStatus"] for i in table.get("GlobalSecondaryIndexes", []))]
        if set(states) == {"ACTIVE"}:
            return table
        yield Pause(min(attempt, _SLOWEST), what="Waiting for an index")
        attempt += 1


def _next_missing(wanted: dict[str, Any], table: dict[str, Any]) -> dict[str, Any] | None:
    missing: dict[str, list[dict[str, Any]]] = {}
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        there = {i["IndexName"] for i in table.get(kind, [])}
        missing[kind] = [i for i in wanted.get(kind, []) if i["IndexName"] not in there]
    if missing["LocalSecondaryIndexes"]:
        name = missing["LocalSecondaryIndexes"][0]["IndexName"]
        raise ConfigError(
            f"The table {table['TableName']} lacks the local index {name!r}, which can be made only with the table.",
            hint="Declare a GSI in its place, or make a new table and copy the items.",
        )
    return next(iter(missing["GlobalSecondaryIndexes"]), None)


def _request(wanted: dict[str, Any], table: dict[str, Any], index: dict[str, Any]) -> dict[str, Any]:
    keys = {element["AttributeName"] for element in index["KeySchema"]}
    created = dict(index)
    if table.get("BillingModeSummary", {}).get("BillingMode") != "PAY_PER_REQUEST":
        # An index of a provisioned table needs a throughput; the table's own is a fair start.
        units = table["ProvisionedThroughput"]
        created["ProvisionedThroughput"] = {n: units[n] for n in ("ReadCapacityUnits", "WriteCapacityUnits")}
    return {
        "TableName": table["TableName"],
        "AttributeDefinitions": [a for a in wanted["AttributeDefinitions"] if a["AttributeName"] in keys],
        "GlobalSecondaryIndexUpdates": [{"Create": created}],
    }
