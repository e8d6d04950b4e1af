"""Entities as stored items and back, and every item of a table as it is stored, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from tablewright.client.session import Session
from tablewright.client.writes.items import full_item
from tablewright.compiler.codecs import codec_for
from tablewright.errors import ArgumentError
from tablewright.model.entity import Entity, Stored
from tablewright.table import Table
from tablewright.transport.answers import next_start
from tablewright.values.types import Item


def item_of(entity: Entity, *, at: datetime | None = None) -> Item:
    """What `create()` would store of an entity at some time: fields, keys, index keys, type and time stamps.

    Fields that are stored encrypted or elsewhere need a session for that, and are refused.
    """
    table: Any = getattr(type(entity), "__table__", None)
    if not isinstance(table, Table):
        raise ArgumentError("item_of() takes an entity of a table.")
    plan = table.plan.of(type(entity))
    if plan.seals:
        raise ArgumentError(
            f"{plan.name} has fields that are not stored as they are: {', '.join(f.name for f in plan.seals)}.",
            hint="Store it by a session, and read the item with send().",
        )
    values = plan.validated(entity)
    now = codec_for(datetime).encode(at or datetime.now(UTC))["S"]
    return full_item(plan, values, plan.key(values), now, Stored(version=1 if plan.options.version else None))


def entity_of(table: Table, item: Mapping[str, Any]) -> Entity:
    """The entity that an item stores, as the model of the table reads it."""
    found: Entity = table.plan.decode(dict(item))
    return found


def stored_items(db: Session) -> Iterator[Item]:
    """All items, by reading the whole table."""
    yield from _pages(db, "Scan", {"TableName": db.table_name})


def collection_items(db: Session, keys: dict[str, dict[str, Any]], index: str | None = None) -> Iterator[Item]:
    """The items of one partition, of the table or of an index: `keys` has the value of each partition attribute."""
    names = {f"#k{i}": name for i, name in enumerate(keys)}
    request: dict[str, Any] = {
        "TableName": db.table_name,
        "KeyConditionExpression": " AND ".join(f"#k{i} = :k{i}" for i in range(len(keys))),
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": {f":k{i}": value for i, value in enumerate(keys.values())},
    }
    if index is not None:
        request["IndexName"] = index
    yield from _pages(db, "Query", request)


def _pages(db: Session, operation: str, request: dict[str, Any]) -> Iterator[Item]:
    while True:
        page = db.send(operation, request)
        yield from page["Items"]
        start = next_start(page)
        if start is None:
            return
        request = {**request, "ExclusiveStartKey": start}
