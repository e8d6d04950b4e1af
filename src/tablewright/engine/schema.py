"""Tables as the engine works with them: a definition compiled once into key encoders. Knows nothing of storage."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from zlib import crc32

from tablewright.values import Item, number_sort_bytes

Key = tuple[bytes, bytes]
"""An encoded primary key: partition and sort; the second is empty in a table without a sort key."""

Entry = tuple[bytes, ...]
"""The key of one index entry: the encoded partition, then one column per sort attribute."""

_PREFIX_BYTES = 2
SEGMENT_SPACE = 1 << (8 * _PREFIX_BYTES)


def _text_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_ENCODERS: Mapping[str, Callable[[str], bytes]] = {"S": _text_bytes, "N": number_sort_bytes, "B": b64decode}


def spread(body: bytes) -> bytes:
    """A partition key with two bytes of hash before it.

    Partitions are only ever looked up whole, so their order is free: hashed, a scan has no key order to rely on, as
    on the service, and a parallel scan's segment is one range.
    """
    return (crc32(body) >> 16).to_bytes(_PREFIX_BYTES, "big") + body


def segment_bounds(segment: int, total: int) -> tuple[bytes | None, bytes | None]:
    """The partitions of one scan segment: from the first value (included) up to the second (excluded)."""
    low = -(-segment * SEGMENT_SPACE // total)
    high = -(-(segment + 1) * SEGMENT_SPACE // total)
    return (
        low.to_bytes(_PREFIX_BYTES, "big") if segment else None,
        high.to_bytes(_PREFIX_BYTES, "big") if high < SEGMENT_SPACE else None,
    )


def _join(parts: list[bytes]) -> bytes:
    # 00 becomes 00 FF inside a part and 00 01 ends it, so different tuples never give the same bytes.
    return b"".join(part.replace(b"\x00", b"\x00\xff") + b"\x00\x01" for part in parts)


@dataclass(frozen=True, slots=True)
class KeyAttribute:
    """One attribute of a key, with the only type it may have there."""

    name: str
    type: str
    encode: Callable[[str], bytes] = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class IndexSchema:
    """A secondary index. `projected` holds the names an entry carries, or None when it carries everything."""

    name: str
    number: int
    kind: Literal["GSI", "LSI"]
    hash: tuple[KeyAttribute, ...]
    range: tuple[KeyAttribute, ...]
    projection: str
    projected: frozenset[str] | None
    key_names: tuple[str, ...]

    @property
    def is_global(self) -> bool:
        """Whether it is a global index."""
        return self.kind == "GSI"

    def entry(self, item: Item, pk: bytes) -> Entry | None:
        """The key under which the index holds this item, or None when the item is not in it."""
        columns: list[bytes] = [pk]
        if self.kind == "GSI":
            parts: list[bytes] = []
            for key in self.hash:
                value = item.get(key.name)
                text = value.get(key.type) if value is not None else None
                if not text:
                    return None
                parts.append(key.encode(text))
            columns[0] = spread(parts[0] if len(parts) == 1 else _join(parts))
        for key in self.range:
            value = item.get(key.name)
            text = value.get(key.type) if value is not None else None
            if not text:
                return None
            columns.append(key.encode(text))
        return tuple(columns)

    def partition(self, item: Item) -> bytes:
        """The encoded partition of the given key attributes, all of which must be there with their types."""
        parts = [key.encode(item[key.name][key.type]) for key in self.hash]
        return spread(parts[0] if len(parts) == 1 else _join(parts))

    def project(self, item: Item) -> Item:
        """What the index carries of an item."""
        if self.projected is None:
            return item
        return {name: value for name, value in item.items() if name in self.projected}


@dataclass(frozen=True, slots=True)
class TableSchema:
    """A table's keys and indexes. `number` names it in storage and is never used again after the table is gone."""

    name: str
    number: int
    hash: KeyAttribute
    range: KeyAttribute | None
    key_names: tuple[str, ...]
    types: Mapping[str, str]
    indexes: tuple[IndexSchema, ...]
    index: Mapping[str, IndexSchema]
    definition: Mapping[str, Any] = field(repr=False)

    @property
    def has_local_indexes(self) -> bool:
        """Whether the table has item collections in DynamoDB's sense."""
        return any(not index.is_global for index in self.indexes)

    def key(self, item: Item) -> Key:
        """The encoded primary key of an item or key that has been validated."""
        hash_key = self.hash
        pk = spread(hash_key.encode(item[hash_key.name][hash_key.type]))
        range_key = self.range
        return pk, b"" if range_key is None else range_key.encode(item[range_key.name][range_key.type])

    def key_of(self, item: Item) -> Item:
        """The primary key attributes of an item."""
        return {name: item[name] for name in self.key_names}


def compile_table(name: str, number: int, definition: Mapping[str, Any]) -> TableSchema:
    """The schema of a stored, valid definition."""
    types = {d["AttributeName"]: d["AttributeType"] for d in definition["AttributeDefinitions"]}

    def keys(schema: list[dict[str, str]], role: str) -> tuple[KeyAttribute, ...]:
        names = [element["AttributeName"] for element in schema if element["KeyType"] == role]
        return tuple(KeyAttribute(name, types[name], _ENCODERS[types[name]]) for name in names)

    (hash_key,) = keys(definition["KeySchema"], "HASH")
    range_key = next(iter(keys(definition["KeySchema"], "RANGE")), None)
    key_names = tuple(key.name for key in (hash_key, range_key) if key is not None)

    indexes: list[IndexSchema] = []
    kinds: tuple[tuple[Literal["LSI", "GSI"], str], ...] = (
        ("LSI", "LocalSecondaryIndexes"),
        ("GSI", "GlobalSecondaryIndexes"),
    )
    for kind, member in kinds:
        for index in definition.get(member, ()):
            index_keys = tuple(element["AttributeName"] for element in index["KeySchema"])
            projection = index["Projection"]["ProjectionType"]
            included = index["Projection"].get("NonKeyAttributes", ())
            indexes.append(
                IndexSchema(
                    name=index["IndexName"],
                    number=definition["IndexNumbers"][index["IndexName"]],
                    kind=kind,
                    hash=keys(index["KeySchema"], "HASH"),
                    range=keys(index["KeySchema"], "RANGE"),
                    projection=projection,
                    projected=None if projection == "ALL" else frozenset((*key_names, *index_keys, *included)),
                    key_names=index_keys,
                )
            )
    return TableSchema(
        name=name,
        number=number,
        hash=hash_key,
        range=range_key,
        key_names=key_names,
        types=types,
        indexes=tuple(indexes),
        index={index.name: index for index in indexes},
        definition=definition,
    )
