"""The table itself: making it, and making sure that it is the model's."""

from __future__ import annotations

from typing import Any

from tablewright.client.calls import Call, Pause, Steps
from tablewright.client.context import Context
from tablewright.compiler.schema import create_table_request
from tablewright.errors import ConfigError, RequestRefused, ResourceInUse, ResourceNotFound
from tablewright.model.table import TableModel

_POLLS = 60


def create(context: Context) -> Steps[None]:
    """Creates the table, waits until it can be used, and lets its items expire if the model says so."""
    yield from create_from(context.plan.table, context.table)


def create_from(model: TableModel, name: str) -> Steps[None]:
    """Creates a table of this name as a model describes it."""
    yield Call("CreateTable", create_table_request(model, name))
    for attempt in range(_POLLS):
        table = yield from describe(name)
        if table is not None and table["TableStatus"] == "ACTIVE":
            yield from _let_expire(model, name)
            return
        yield Pause(attempt, what="Waiting for the table")
    raise ResourceInUse(
        f"The table {name} was created, but cannot be used yet.",
        hint="Try again later.",
        operation="CreateTable",
    )


def _let_expire(model: TableModel, name: str) -> Steps[None]:
    attribute = model.ttl_attribute
    if attribute is None:
        return
    wanted = {"TableName": name, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": attribute}}
    try:
        yield Call("UpdateTimeToLive", wanted, repeatable=True)
    except RequestRefused as error:
        # A repeated request meets its own success, or another process that was faster.
        if error.message != "TimeToLive is already enabled":
            raise


def delete(context: Context) -> Steps[None]:
    """Deletes the table."""
    yield Call("DeleteTable", {"TableName": context.table})


def describe(name: str) -> Steps[dict[str, Any] | None]:
    """The table's description; None if there is no such table."""
    try:
        response = yield Call("DescribeTable", {"TableName": name}, repeatable=True)
    except ResourceNotFound:
        return None
    table: dict[str, Any] = response["Table"]
    return table


def ensure(context: Context) -> Steps[None]:
    """Creates the table if it is missing; refuses one that lacks what the model needs."""
    table = yield from describe(context.table)
    if table is None:
        try:
            yield from create(context)
        except ResourceInUse:  # somebody else was faster
            table = yield from describe(context.table)
    if table is not None:
        compare(context, table)


def compare(context: Context, table: dict[str, Any]) -> None:
    """Refuses a table that is not as the model needs it."""
    wanted = create_table_request(context.plan.table, context.table)
    if table["KeySchema"] != wanted["KeySchema"]:
        raise ConfigError(
            f"The table {context.table} has the key {_shown(table)}, but the model's is {_shown(wanted)}.",
            hint="Open another table (table_name=...), or declare these keys: Table(..., pk=..., sk=...).",
        )
    types = {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]}
    for attribute in wanted["AttributeDefinitions"]:
        name = attribute["AttributeName"]
        if types.get(name, attribute["AttributeType"]) != attribute["AttributeType"]:
            raise ConfigError(f"The table {context.table} exists with another type of its key attribute {name!r}.")
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        there = {i["IndexName"]: i["KeySchema"] for i in table.get(member, [])}
        for index in wanted.get(member, []):
            name = index["IndexName"]
            if name not in there:
                raise ConfigError(
                    f"The table {context.table} exists without the index {name!r} of the model.",
                    hint="`tablewright migrate` makes it, and gives the items that are there their keys in it. Or open the table with "
                    "create=False and call db.add_missing_indexes(), then put() the items again that belong into it. Or remove it "
                    "from the model."
                    if member == "GlobalSecondaryIndexes"
                    else "A local index is made with its table only: declare a GSI in its place.",
                )
            if there[name] != index["KeySchema"]:
                raise ConfigError(
                    f"The index {name!r} of {context.table} has the key {_shown({'KeySchema': there[name]})}, but the "
                    f"model's is {_shown(index)}.",
                    hint="Declare the index as it is, or give the model's another name and add it to the table.",
                )
    stream, there_is = wanted.get("StreamSpecification"), table.get("StreamSpecification") or {}
    if stream is not None and there_is.get("StreamViewType") != stream["StreamViewType"]:
        raise ConfigError(
            f"The table {context.table} has {there_is.get('StreamViewType', 'no stream')}, but the model's stream is "
            f"{stream['StreamViewType']}.",
            hint=f'Switch it on: db.send("UpdateTable", {{"TableName": "{context.table}", "StreamSpecification": {stream}}}). '
            "Another one must be switched off first.",
        )


def _shown(keyed: dict[str, Any]) -> str:
    """A key schema as `PK (hash), SK (range)`."""
    return ", ".join(f"{e['AttributeName']} ({e['KeyType'].lower()})" for e in keyed["KeySchema"])
