"""One secondary index: the key of an entry, the projection, and the rules that its keys put on items."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

from tablewright.engine.keys import KeyAttribute, join, spread
from tablewright.expressions.keyschema import KeySchema
from tablewright.values import MAX_PARTITION_KEY, MAX_SORT_KEY, Item, key_bytes_length

_SHORT = 256
"""As many attributes as a key can have are not too long together while each has no more encoded bytes than this."""

Entry = tuple[bytes, ...]
"""The key of one index entry: the encoded partition, then one column per sort attribute."""


class IndexSchema(Struct, frozen=True, eq=False):
    """A secondary index. `projected` holds the names an entry carries, or None when it carries everything."""

    name: str
    number: int
    kind: Literal["GSI", "LSI"]
    hash: tuple[KeyAttribute, ...]
    range: tuple[KeyAttribute, ...]
    projected: frozenset[str] | None
    key_names: tuple[str, ...]
    key_schema: KeySchema
    filling: bool = False
    """Whether it is new and does not hold yet what was in the table before."""

    @property
    def is_global(self) -> bool:
        """Whether it is a global index."""
        return self.kind == "GSI"

    def entry(self, item: Item, pk: bytes) -> Entry | None:
        """The key under which the index holds this item, or None when the item is not in it."""
        columns: list[bytes] = []
        if self.kind == "LSI":
            columns.append(pk)
        else:
            for key in self.hash:
                value = item.get(key.name)
                text = value.get(key.type) if value is not None else None
                if not text:
                    return None
                columns.append(key.encode(text))
            body = columns[0] if len(columns) == 1 else join(columns)
            if len(body) > _SHORT and too_long(item, self.hash, MAX_PARTITION_KEY):
                return None
            columns = [spread(body)]
        for key in self.range:
            value = item.get(key.name)
            text = value.get(key.type) if value is not None else None
            if not text:
                return None
            encoded = key.encode(text)
            if len(encoded) > _SHORT and too_long(item, self.range, MAX_SORT_KEY):
                return None
            columns.append(encoded)
        return tuple(columns)

    def moves(self, old: Item, new: Item) -> bool:
        """Whether the key attributes of an item differ between two of its states."""
        for name in self.key_names:  # noqa: SIM110 - a generator would cost more than the comparison
            if old.get(name) != new.get(name):
                return True
        return False

    def project(self, item: Item) -> Item:
        """What the index carries of an item."""
        if self.projected is None:
            return item
        return {name: value for name, value in item.items() if name in self.projected}


def too_long(item: Item, keys: Iterable[KeyAttribute], limit: int) -> bool:
    """Whether the attributes of an item are together too long for a key.

    Such an item can only stand there from before the index; it stays out of it.
    """
    return sum(key_bytes_length(item[key.name]) for key in keys if key.type in item.get(key.name, ())) > limit


class IndexKey(Struct, frozen=True):
    """What an attribute must be because indexes have it in their keys.

    `limits` are the bytes that each of them allows; in its messages the service names the first by the alphabet.
    """

    name: str
    type: str
    limit: int
    limits: Mapping[str, int]

    @property
    def index(self) -> str:
        """The index that messages name."""
        return min(self.limits)


def index_keys(indexes: Iterable[IndexSchema], table_keys: tuple[str, ...]) -> Mapping[str, IndexKey]:
    """The rules for attributes in the keys of indexes, by attribute; the table's own key has rules of its own."""
    types: dict[str, str] = {}
    limits: dict[str, dict[str, int]] = {}
    for index in indexes:
        for keys, limit in ((index.hash, MAX_PARTITION_KEY), (index.range, MAX_SORT_KEY)):
            for key in keys:
                if key.name not in table_keys:
                    types[key.name] = key.type
                    limits.setdefault(key.name, {})[index.name] = limit
    return {name: IndexKey(name, types[name], min(found.values()), found) for name, found in limits.items()}
