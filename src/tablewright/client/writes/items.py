"""The full item of an entity: fields, keys, type, stamps and index attributes; and the size that it may have."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from tablewright.client.watching import library_log
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import CREATED, UPDATED
from tablewright.compiler.wirecodec import parse_datetime
from tablewright.errors import ImmutableFieldError, ItemTooLargeError
from tablewright.model.entity import STORED, STORED_KEY, Entity, Stored
from tablewright.values.sizes import LARGE_ITEM, MAX_ITEM_SIZE, item_size
from tablewright.values.types import Item
from tablewright.values.wire import dumps

_warned: WeakSet[type[Entity]] = WeakSet()


def full_item(plan: EntityPlan, values: dict[str, Any], key: Item, now: str, stored: Stored) -> Item:
    """What is stored for these field values; `stored` holds the version and the creation time."""
    item = plan.encode_fields(values)
    item.update(key)
    item.update(describing(plan, now, stored))
    attributes, _ = plan.index_attributes(with_stamps(plan, values, stored.created or now, now))
    item.update(attributes)
    check_size(plan, item)
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


def with_stamps(plan: EntityPlan, values: dict[str, Any], created: str, updated: str) -> dict[str, Any]:
    """Field values with the time stamps, where key templates name them."""
    if len(plan.sources) == len(plan.fields):
        return values
    stamped = dict(values)
    for name, text in ((CREATED, created), (UPDATED, updated)):
        if name in plan.sources and name not in plan.fields:
            stamped[name] = parse_datetime(text)
    return stamped


def check_size(plan: EntityPlan, item: Item) -> None:
    """Refuses an item over DynamoDB's limit of 400 KB; warns of a large one, once for each entity."""
    if len(dumps(item)) <= LARGE_ITEM:  # wire JSON is never shorter than DynamoDB's size, and much faster to make
        return
    size = item_size(item)
    if size > MAX_ITEM_SIZE:
        raise too_large(plan.name, f"takes {size:,} bytes", {"bytes": size})
    if size > LARGE_ITEM and plan.entity not in _warned:
        _warned.add(plan.entity)
        library_log().warning(
            "A %s takes %d KB: every write of it costs at least %d write units. Keep large parts in items of their own, "
            "or outside of the table.",
            plan.name,
            size // 1024,
            size // 1024,
        )


def too_large(name: str, how: str, context: dict[str, Any] | None = None) -> ItemTooLargeError:
    """The error for an item over the limit."""
    return ItemTooLargeError(
        f"This {name} {how}; an item holds at most {MAX_ITEM_SIZE:,}.",
        constraint=f"{MAX_ITEM_SIZE} bytes",
        hint="Nothing was written; split it into several items, or keep large parts elsewhere.",
        context={"entity": name, **(context or {})},
    )


def remember(entity: Entity, stored: Stored, key: Item) -> None:
    """Notes on an entity what the table now knows of it."""
    vars(entity)[STORED] = stored
    vars(entity)[STORED_KEY] = _texts(key)


def refuse_moved(plan: EntityPlan, entity: Entity, key: Item) -> None:
    """An entity that was read is still the same item: its key fields were not changed meanwhile. While a migration copies it to
    another key, it has that too."""
    known, own = vars(entity).get(STORED_KEY), _texts(key)
    if known is not None and known != own and own not in (known[: len(own)], known[len(own) :]):
        raise ImmutableFieldError(
            f"A key field of this {plan.name} was changed after it was read, so it would be another item.",
            field=", ".join(sorted(plan.key_fields)),
            hint="To store a new item use create(); to move it, delete the old one and create the new one in a transaction.",
        )


def lies_under(entity: Entity, key: Item) -> bool:
    """Whether an entity that was read lies under this key itself, and not its copy."""
    known, own = vars(entity)[STORED_KEY], _texts(key)
    return bool(known[: len(own)] == own)


def _texts(key: Item) -> tuple[str, ...]:
    """What the attributes of a key hold, as entities remember it."""
    return tuple([text for value in key.values() for text in value.values()])
