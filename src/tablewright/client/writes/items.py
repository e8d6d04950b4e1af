"""The full item of an entity: fields, keys, type, stamps and index attributes."""

from __future__ import annotations

from typing import Any

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import CREATED, UPDATED
from tablewright.compiler.wirecodec import parse_datetime
from tablewright.errors import ItemTooLargeError
from tablewright.model.entity import STORED, Entity, Stored
from tablewright.values.sizes import MAX_ITEM_SIZE, item_size
from tablewright.values.types import Item


def full_item(plan: EntityPlan, values: dict[str, Any], key: Item, now: str, stored: Stored) -> Item:
    """What is stored for these field values; `stored` holds the version and the creation time."""
    item = plan.encode_fields(values)
    item.update(key)
    item.update(describing(plan, now, stored))
    attributes, _ = plan.index_attributes(with_stamps(plan, values, stored.created or now, now))
    item.update(attributes)
    refuse_large(plan, item)
    return item


def describing(plan: EntityPlan, now: str, stored: Stored) -> Item:
    """Type, version, schema version and time stamps."""
    names, options = plan.names, plan.options
    item: Item = {names.type: {"S": options.type}}
    if options.timestamps:
        item[names.created] = {"S": stored.created or now}
        item[names.updated] = {"S": now}
    if options.version:
        item[names.version] = {"N": str(stored.version)}
    if options.schema_version is not None:
        item[names.schema] = {"N": str(options.schema_version)}
    return item


def with_stamps(plan: EntityPlan, values: dict[str, Any], created: str | None, updated: str) -> dict[str, Any]:
    """Field values with the time stamps, where key templates name them."""
    if len(plan.sources) == len(plan.fields):
        return values
    stamped = dict(values)
    if UPDATED in plan.sources and UPDATED not in plan.fields:
        stamped[UPDATED] = parse_datetime(updated)
    if CREATED in plan.sources and CREATED not in plan.fields and created is not None:
        stamped[CREATED] = parse_datetime(created)
    return stamped


def refuse_large(plan: EntityPlan, item: Item) -> None:
    """DynamoDB's limit of 400 KB, before anything is sent."""
    size = item_size(item)
    if size > MAX_ITEM_SIZE:
        raise ItemTooLargeError(
            f"This {plan.name} takes {size:,} bytes; an item holds at most {MAX_ITEM_SIZE:,}.",
            constraint=f"{MAX_ITEM_SIZE} bytes",
            hint="Split it into several items, or keep large parts elsewhere.",
            context={"entity": plan.name, "bytes": size},
        )


def remember(entity: Entity, stored: Stored) -> None:
    """Notes on an entity what the table now knows of it."""
    entity.__dict__[STORED] = stored
