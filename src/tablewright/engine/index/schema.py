"""One secondary index: the key of an entry, the projection, and the rules that its keys put on items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from msgspec import Struct

from tablewright.engine.keys import KeyAttribute, join, spread
from tablewright.expressions.keyschema import KeySchema
from tablewright.values import MAX_PARTITION_KEY, MAX_SORT_KEY, Item, key_bytes_length

_SHORT = 256
"""Attributes of a key are not too long while they have no more encoded bytes than this."""
_BYTES_OF_A_CHARACTER = 4

Entry = tuple[bytes, ...]
"""The key of one index entry: the encoded partition, then one column per sort attribute."""

EntryMaker = Callable[[Item, bytes], Entry | None]
"""From an item and its encoded partition in the table to its entry, or None for an item that the index does not hold."""


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
    entry: EntryMaker
    filling: bool = False
    """Whether it is new and does not hold yet what was in the table before."""

    @property
    def is_global(self) -> bool:
        """Whether it is a global index."""
        return self.kind == "GSI"

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


def entry_maker(
    kind: Literal["GSI", "LSI"], hashes: tuple[KeyAttribute, ...], ranges: tuple[KeyAttribute, ...]
) -> EntryMaker:
    """Every put asks each index, so that the usual one, with a partition and a sort key, has a way without loops."""

    def entry(item: Item, pk: bytes) -> Entry | None:
        if kind == "LSI":
            columns = [pk]
        else:
            parts = _columns(item, hashes, MAX_PARTITION_KEY)
            if parts is None:
                return None
            columns = [spread(join(parts))]
        sorts = _columns(item, ranges, MAX_SORT_KEY)
        return None if sorts is None else (*columns, *sorts)

    if kind == "LSI" or len(hashes) != 1 or len(ranges) != 1:
        return entry
    (hash_key,), (range_key,) = hashes, ranges
    hash_name, hash_type, encode_hash = hash_key.name, hash_key.type, hash_key.encode
    range_name, range_type, encode_range = range_key.name, range_key.type, range_key.encode

    def entry_of_two(item: Item, pk: bytes) -> Entry | None:
        if hash_name not in item or range_name not in item:
            return None
        partition, sort = item[hash_name].get(hash_type), item[range_name].get(range_type)
        if not partition or not sort:
            return None
        body, column = encode_hash(partition), encode_range(sort)
        if len(body) > _SHORT or len(column) > _SHORT:
            return entry(item, pk)
        return spread(body), column

    return entry_of_two


def _columns(item: Item, keys: tuple[KeyAttribute, ...], limit: int) -> list[bytes] | None:
    columns: list[bytes] = []
    for key in keys:
        value = item.get(key.name)
        text = value.get(key.type) if value is not None else None
        if not text:
            return None
        columns.append(key.encode(text))
    return None if sum(map(len, columns)) > _SHORT and too_long(item, keys, limit) else columns


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
    def short(self) -> int:
        """Text of no more characters than this cannot have too many bytes."""
        return self.limit // _BYTES_OF_A_CHARACTER

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
