"""Reading several entities in one query, item by item: what is handed out, and as what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tablewright.client.context import Context
from tablewright.client.pages import QueryReader
from tablewright.compiler.reads import MixedPlan
from tablewright.values.types import Item


def mixed_reader(context: Context, compiled: MixedPlan, arguments: Mapping[str, Any]) -> QueryReader:
    """A reader of the items that were asked for, and of those that nobody knows."""
    return QueryReader(context, compiled, arguments, compiled.wanted(arguments, context.plan.by_type))


def as_what_it_is(context: Context, item: Item) -> Any:
    """An item as the entity that it is; one of an unknown type raises UnknownEntityTypeError."""
    return context.plan.decode(item)
