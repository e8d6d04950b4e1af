"""Offloaded values that no item refers to any more: found for cleaning, by listing the stores and reading the table."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from tablewright.client.calls import Call, Steps
from tablewright.client.context import Context
from tablewright.client.sealing import stored_reference, value_prefix
from tablewright.errors import ArgumentError
from tablewright.model.sealing import AnyStore
from tablewright.transport.answers import next_start
from tablewright.values.types import Item


class Orphan(Struct, frozen=True, eq=False):
    """A value in a store that no item refers to: `orphan.store.delete(orphan.name)` cleans it up."""

    store: Any
    """The store that has it."""
    name: str
    """Its name there."""
    stored_at: datetime
    """When it was put there."""


def stores(context: Context) -> list[AnyStore]:
    """The stores of a table's entities, each once."""
    marks = [f.sealing.offloaded for fields in context.plan.seals.values() for f in fields if f.sealing is not None]
    return list({id(mark.store): mark.store for mark in marks if mark is not None}.values())


def checked_age(older_than: timedelta) -> timedelta:
    """How old a value must be: younger ones may belong to a write that is under way."""
    if not isinstance(older_than, timedelta) or older_than < timedelta():
        raise ArgumentError("older_than is a timedelta, not below zero.", constraint="older_than >= 0")
    return older_than


def listed(
    context: Context, store: AnyStore, names: Iterable[tuple[str, datetime]], older_than: timedelta
) -> list[Orphan]:
    """What a store holds of this table for long enough; the table is read afterwards, so that nothing new is missed."""
    latest = context.options.clock() - older_than
    return [Orphan(store, name, at) for name, at in names if at <= latest]


def prefix(context: Context) -> str:
    """What the names of this table's values begin with."""
    return value_prefix(context.table)


def unreferenced(context: Context, candidates: list[Orphan]) -> Steps[list[Orphan]]:
    """Those that no item of the table refers to."""
    wanted = {c.name for c in candidates}
    request: dict[str, Any] = {"TableName": context.table, "ConsistentRead": True}
    while wanted:
        response = yield Call("Scan", request, repeatable=True)
        for item in response["Items"]:
            wanted -= _referred(item)
        start = next_start(response)
        if start is None:
            break
        request = {**request, "ExclusiveStartKey": start}
    return [c for c in candidates if c.name in wanted]


def _referred(item: Item) -> set[str]:
    """Every name that an item refers to, wherever it stands: what is in doubt is kept, and so is what a tombstone keeps."""
    found: set[str] = set()
    for value in item.values():
        reference = stored_reference(value)
        if reference is not None:
            found.add(reference.name)
        if isinstance(value, dict) and "M" in value:
            found |= _referred(value["M"])
    return found
