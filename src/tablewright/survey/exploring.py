"""Items for people to look at: counted by entity, or listed with their keys, one collection or one entity at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct

from tablewright.client.session import Session
from tablewright.errors import ArgumentError
from tablewright.model.entity import did_you_mean
from tablewright.model.indexes import KeyAttribute
from tablewright.survey.items import collection_items, stored_items
from tablewright.table import Table
from tablewright.values.types import Item


class Seen(Struct, frozen=True):
    """An item as it is shown: its type, its keys as text, its other attributes as plain values."""

    type: str
    """The entity that the item names."""
    pk: str
    """Its partition key, in the table or in the index that was looked at."""
    sk: str
    """Its sort key there."""
    attributes: dict[str, Any]
    """All other attributes, without keys and what describes the item."""


class Counted(Struct, frozen=True):
    """How much there is of one entity."""

    type: str
    """The entity."""
    items: int
    """How many items."""
    collections: int
    """In how many partitions of the table they lie."""
    largest: str
    """The partition with most of them."""
    in_largest: int
    """How many lie there."""


def count_entities(db: Session, table: Table) -> list[Counted]:
    """Counts the items of each entity, by reading the whole table."""
    partitions: dict[str, dict[str, int]] = {entity: {} for entity in table.entities}
    for item in stored_items(db):
        seen = partitions.setdefault(_type(table, item), {})
        pk = key_text(item, (table.pk,))
        seen[pk] = seen.get(pk, 0) + 1
    found = []
    for name, seen in partitions.items():
        largest = max(seen, key=lambda pk: (seen[pk], pk), default="")
        found.append(Counted(name, sum(seen.values()), len(seen), largest, seen.get(largest, 0)))
    return found


def entities_of(db: Session, table: Table, entity: str, limit: int) -> list[Seen]:
    """The first items of one entity, as it is called in code or stored, by reading the table until there are enough."""
    called = {of.__name__: stored for stored, of in table.entities.items()}
    stored = entity if entity in table.entities else called.get(entity)
    if stored is None:
        names = {**called, **dict.fromkeys(table.entities)}
        raise ArgumentError(f"{table.label} has no entity {entity!r}.{did_you_mean(entity, names)}")
    wanted = (item for item in stored_items(db) if _type(table, item) == stored)
    return [_seen(table, item, None) for item in islice(wanted, limit)]


def collection_of(db: Session, table: Table, key: str, index: str | None, limit: int) -> list[Seen]:
    """The first items of one partition, in the order of their sort key. Several attributes are separated by " / "."""
    attributes = _partition(table, index)
    parts = key.split(" / ") if len(attributes) > 1 else [key]
    if len(parts) != len(attributes):
        names = " / ".join(a.name for a in attributes)
        raise ArgumentError(f"The partitions of {index or table.label} have {len(attributes)} parts: {names}.")
    keys: dict[str, dict[str, Any]] = {a.name: {a.tag: part} for a, part in zip(attributes, parts, strict=True)}
    return [_seen(table, item, index) for item in islice(collection_items(db, keys, index), limit)]


def _partition(table: Table, index: str | None) -> tuple[KeyAttribute, ...]:
    return (table.pk,) if index is None else table.index(index).pk or (table.pk,)


def _sort(table: Table, index: str | None) -> tuple[KeyAttribute, ...]:
    if index is not None:
        return table.index(index).sk
    return () if table.sk is None else (table.sk,)


def _type(table: Table, item: Item) -> str:
    return str(item.get(table.names.type, {}).get("S", "?"))


def key_text(item: Item, attributes: Iterable[KeyAttribute]) -> str:
    """A key as a person reads it."""
    return " / ".join(str(next(iter(item[a.name].values()))) for a in attributes if a.name in item)


def _seen(table: Table, item: Item, index: str | None) -> Seen:
    hidden = {a.name for a in (table.pk, table.sk) if a is not None}
    hidden |= {a.name for i in table.indexes.values() for a in i.attributes} | {table.names.type}
    entity = table.entities.get(_type(table, item))
    if entity is not None:
        hidden -= {f.path[0] for f in table.plan.of(entity).fields.values()}
    attributes = {name: plain_value(value) for name, value in item.items() if name not in hidden}
    pk, sk = (key_text(item, side) for side in (_partition(table, index), _sort(table, index)))
    return Seen(_type(table, item), pk, sk, dict(sorted(attributes.items())))


def plain_value(value: Mapping[str, Any]) -> Any:
    """An attribute's value for JSON: numbers stay text where a float could not hold them, bytes stay base64."""
    ((tag, content),) = value.items()
    match tag:
        case "M":
            return {name: plain_value(inner) for name, inner in content.items()}
        case "L":
            return [plain_value(inner) for inner in content]
        case "N":
            return int(content) if content.lstrip("-").isdigit() else content
        case "NULL":
            return None
    return content


def shown(seen: Iterable[Seen]) -> Iterator[str]:
    """Lines for a terminal: the partition once, its items below it."""
    import json

    before: str | None = None
    for one in seen:
        if one.pk != before:
            yield printable(one.pk)
            before = one.pk
        fields = json.dumps(one.attributes, ensure_ascii=False)
        yield printable(f"  {one.sk or '-'}  {one.type} {fields}")


def printable(text: str) -> str:
    """Text that does nothing to a terminal."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
