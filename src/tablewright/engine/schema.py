"""A table as the engine works with it: its definition, compiled once. Knows nothing of storage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from tablewright.engine.index import IndexKey, IndexSchema, entry_maker, index_keys
from tablewright.engine.keys import Key, KeyAttribute, key_attribute, spread
from tablewright.expressions.keyschema import KeySchema
from tablewright.values import Item


class TableSchema(Struct, frozen=True, eq=False):
    """A table's keys and indexes. `number` names it in storage and is never used again after the table is gone."""

    name: str
    number: int
    hash: KeyAttribute
    range: KeyAttribute | None
    key_names: tuple[str, ...]
    key_schema: KeySchema
    indexes: tuple[IndexSchema, ...]
    index: Mapping[str, IndexSchema]
    index_keys: Mapping[str, IndexKey]
    index_rules: tuple[tuple[str, str, int], ...]
    """The same for a quick look: attribute, type, and the length up to which its text needs no closer one."""
    composite: tuple[IndexSchema, ...]
    """Indexes with several attributes for a partition or for a sort key, which are measured together."""
    definition: Mapping[str, Any]

    @property
    def has_local_indexes(self) -> bool:
        """Whether the table has item collections in DynamoDB's sense."""
        return any(not index.is_global for index in self.indexes)

    @property
    def filling(self) -> IndexSchema | None:
        """The index that is new and not filled yet, if there is one."""
        return next((index for index in self.indexes if index.filling), None)

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
        return tuple(key_attribute(name, types[name]) for name in names)

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
            hashes, ranges = keys(index["KeySchema"], "HASH"), keys(index["KeySchema"], "RANGE")
            index_names = tuple(key.name for key in hashes + ranges)
            included = index["Projection"].get("NonKeyAttributes", ())
            whole = index["Projection"]["ProjectionType"] == "ALL"
            indexes.append(
                IndexSchema(
                    name=index["IndexName"],
                    number=definition["IndexNumbers"][index["IndexName"]],
                    kind=kind,
                    hash=hashes,
                    range=ranges,
                    projected=None if whole else frozenset((*key_names, *index_names, *included)),
                    key_names=index_names,
                    key_schema=KeySchema(
                        hash=tuple(key.name for key in hashes),
                        range=tuple(key.name for key in ranges),
                        types=types,
                        index_name=index["IndexName"],
                    ),
                    entry=entry_maker(kind, hashes, ranges),
                    filling=index["IndexName"] == definition.get("Backfilling"),
                )
            )
    rules = index_keys(indexes, key_names)
    return TableSchema(
        name=name,
        number=number,
        hash=hash_key,
        range=range_key,
        key_names=key_names,
        key_schema=KeySchema(hash=key_names[:1], range=key_names[1:], types=types),
        indexes=tuple(indexes),
        index={index.name: index for index in indexes},
        index_keys=rules,
        index_rules=tuple((rule.name, rule.type, rule.short) for rule in rules.values()),
        composite=tuple(index for index in indexes if len(index.hash) > 1 or len(index.range) > 1),
        definition=definition,
    )
