"""What is known of a table before its model: its layout, and a sample of its items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.infer.settings import Settings, settings_of
from tablewright.model.indexes import KeyAttribute, KeyTag
from tablewright.values.types import Item

NO_ITEMS = "There are no items to work a model out of."
NO_ITEMS_HINT = "Take a table or a file that holds some."
_PAIRS = (("PK", "SK"), ("pk", "sk"), ("_pk", "_sk"), ("partitionKey", "sortKey"), ("hashKey", "rangeKey"))


class IndexLayout(Struct, frozen=True):
    """One index, as the table describes it."""

    name: str
    pk: tuple[KeyAttribute, ...]
    sk: tuple[KeyAttribute, ...] = ()
    projection: str = "ALL"
    include: tuple[str, ...] = ()
    local: bool = False

    @property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        """All key attributes; those of the partition side first."""
        return self.pk + self.sk


class Layout(Struct, frozen=True):
    """The keys and indexes of a table."""

    name: str
    pk: KeyAttribute
    sk: KeyAttribute | None = None
    indexes: tuple[IndexLayout, ...] = ()
    ttl: str | None = None
    """The attribute that items expire by, if it is known."""
    settings: Settings = Settings()
    """How the table is run, where it is there to be asked."""

    @property
    def keys(self) -> tuple[KeyAttribute, ...]:
        """The attributes of the table's own key."""
        return (self.pk,) if self.sk is None else (self.pk, self.sk)

    @property
    def attributes(self) -> frozenset[str]:
        """All key attributes, of the table and of its indexes."""
        return frozenset(a.name for a in (*self.keys, *(a for i in self.indexes for a in i.attributes)))


def layout_of(description: Mapping[str, Any], ttl: str | None = None, settings: Settings | None = None) -> Layout:
    """The layout that DescribeTable, or a request of CreateTable, tells; with the settings in it, if there are no others."""
    types: dict[str, KeyTag] = {
        a["AttributeName"]: a["AttributeType"] for a in description.get("AttributeDefinitions", ())
    }

    def side(schema: Sequence[Mapping[str, str]], kind: str) -> tuple[KeyAttribute, ...]:
        names = [e["AttributeName"] for e in schema if e["KeyType"] == kind]
        return tuple(KeyAttribute(name, types.get(name, "S")) for name in names)

    indexes = [
        IndexLayout(
            index["IndexName"],
            side(index["KeySchema"], "HASH"),
            side(index["KeySchema"], "RANGE"),
            index.get("Projection", {}).get("ProjectionType", "ALL"),
            tuple(index.get("Projection", {}).get("NonKeyAttributes", ())),
            local=member == "LocalSecondaryIndexes",
        )
        for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes")
        for index in description.get(member) or ()
    ]
    keys = side(description["KeySchema"], "HASH") + side(description["KeySchema"], "RANGE")
    return Layout(
        description["TableName"],
        keys[0],
        keys[1] if len(keys) > 1 else None,
        tuple(indexes),
        ttl,
        settings_of(description) if settings is None else settings,
    )


def guessed_layout(name: str, items: Sequence[Item]) -> Layout:
    """The layout that the names of attributes suggest: PK and SK, GSI1PK and GSI1SK, and the like."""
    if not items:
        raise ArgumentError(NO_ITEMS, hint=NO_ITEMS_HINT)
    seen = Counter(attribute for item in items for attribute in item)
    for pk, sk in _PAIRS:
        if seen[pk] == len(items):
            sort = _attribute(sk, items) if seen[sk] == len(items) else None
            return Layout(name, _attribute(pk, items), sort, tuple(_guessed_indexes(seen, pk, sk, items)))
    raise ArgumentError(
        "Which attributes are the key of the table cannot be told from the items.",
        hint='Say it: --key user_id, or --key "user_id order_id"; indexes as --index "ByMail email".',
    )


def _guessed_indexes(seen: Counter[str], pk: str, sk: str, items: Sequence[Item]) -> list[IndexLayout]:
    found: list[IndexLayout] = []
    endings = {pk: sk, "PK": "SK", "pk": "sk", "Pk": "Sk"}
    for attribute in sorted(seen):
        ending = next((e for e in endings if attribute.endswith(e) and attribute not in (pk, e)), None)
        if ending is None:
            continue
        stem = attribute.removesuffix(ending)
        index, sort = stem.rstrip("_-."), stem + endings[ending]
        name = index.upper() if len(index) > 2 else f"{index}Index"
        found.append(
            IndexLayout(name, (_attribute(attribute, items),), (_attribute(sort, items),) if seen[sort] else ())
        )
    return found


def _attribute(name: str, items: Sequence[Item]) -> KeyAttribute:
    tags: Counter[Any] = Counter(tag for item in items for tag in item.get(name, {}) if tag in ("S", "N", "B"))
    return KeyAttribute(name, tags.most_common(1)[0][0] if tags else "S")


def said_layout(name: str, items: Sequence[Item], key: str, indexes: Sequence[str]) -> Layout:
    """The layout as a person says it: `user_id order_id` for the key, `ByMail email [sort]` for each index."""
    own = key.split()
    if not 1 <= len(own) <= 2:
        raise ArgumentError("A key consists of one attribute or two.", hint='--key "user_id order_id"')
    made: list[IndexLayout] = []
    for text in indexes:
        words = text.split()
        if not 2 <= len(words) <= 3:
            raise ArgumentError(
                "An index is said by its name and one or two attributes.", hint='--index "ByMail email"'
            )
        made.append(
            IndexLayout(words[0], (_attribute(words[1], items),), tuple(_attribute(w, items) for w in words[2:]))
        )
    sort = _attribute(own[1], items) if len(own) > 1 else None
    return Layout(name, _attribute(own[0], items), sort, tuple(made))
