"""A table's indexes and the names of the attributes that the library writes itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from msgspec import Struct

from tablewright.errors import ModelError

KeyTag: TypeAlias = Literal["S", "N", "B"]
Projection: TypeAlias = Literal["ALL", "KEYS_ONLY"] | Sequence[str]

MAX_GSIS = 20
MAX_LSIS = 5
MAX_KEY_ATTRIBUTES = 4
MAX_INCLUDED = 20
MAX_INCLUDED_IN_ALL = 100
_INDEX_NAME = r"[A-Za-z0-9_.-]{3,255}"


class KeyAttribute(Struct, frozen=True):
    """One attribute of a key with its DynamoDB type."""

    name: str
    tag: KeyTag = "S"


def number(name: str) -> KeyAttribute:
    """A key attribute of DynamoDB type Number."""
    return KeyAttribute(name, "N")


def binary(name: str) -> KeyAttribute:
    """A key attribute of DynamoDB type Binary."""
    return KeyAttribute(name, "B")


AttributeSpec: TypeAlias = str | KeyAttribute


class AttributeNames(Struct, frozen=True):
    """How the library's own attributes are called in the table. `{index}` stands for the index name, `{lower}` for the
    same in lower case."""

    pk: str = "PK"
    """The table's partition key."""
    sk: str = "SK"
    """The table's sort key."""
    index_pk: str = "{index}PK"
    """The partition key of an index."""
    index_sk: str = "{index}SK"
    """The sort key of an index."""
    type: str = "Type"
    """The stored type of an item, by which reads know its entity."""
    created: str = "CreatedAt"
    """When an item was created."""
    updated: str = "UpdatedAt"
    """When it was last written."""
    version: str = "Version"
    """The version of an entity with `version=True`."""
    schema: str = "SchemaVersion"
    """The `schema_version` of the entity that wrote it."""
    owner: str = "UniqueOwner"
    """On the marker of a unique value: the key of the item that holds it."""
    deleted: str = "DeletedAt"
    """On a tombstone: when the item was deleted. No other item has it."""
    remains: str = "DeletedItem"
    """On a tombstone: the attributes that the item had, but for its key and its index keys."""
    expires: str = "ExpiresAt"
    """On a tombstone: when time to live removes it, if no entity of the table names an attribute for that."""

    def __post_init__(self) -> None:
        if not all((self.pk, self.sk, *self.own())):
            raise ModelError("AttributeNames has an empty name.")
        try:
            samples = {a for index in ("GSI1", "gsi2") for a in self.of_index(index)}
        except (KeyError, IndexError, ValueError):
            samples = set()
        if len(samples) != 4 or "" in samples:
            raise ModelError(
                "AttributeNames: index_pk and index_sk must give each index two names of its own.",
                hint='Write {index} or {lower} in them: index_pk="{index}PK".',
            )
        names = (self.pk, self.sk, *self.own())
        for name in names:
            if names.count(name) > 1:
                raise ModelError(f"AttributeNames uses {name!r} twice.", hint="Every attribute needs its own name.")

    @classmethod
    def lower(cls) -> AttributeNames:
        """`pk`, `sk`, `gsi1pk`, `gsi1sk`, `entity_type`, `created_at`, …"""
        return cls(
            pk="pk",
            sk="sk",
            index_pk="{lower}pk",
            index_sk="{lower}sk",
            type="entity_type",
            created="created_at",
            updated="updated_at",
            version="version",
            schema="schema_version",
            owner="unique_owner",
            deleted="deleted_at",
            remains="deleted_item",
            expires="expires_at",
        )

    def of_index(self, index: str) -> tuple[str, str]:
        """The names of a single-attribute index's two key attributes."""
        words = {"index": index, "lower": index.lower()}
        return self.index_pk.format(**words), self.index_sk.format(**words)

    def own(self) -> tuple[str, ...]:
        """The attributes that describe an item rather than belong to it."""
        return self.type, self.created, self.updated, self.version, self.schema


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """What GSI and LSI share; use those."""

    name: str
    pk: tuple[KeyAttribute, ...] = ()
    sk: tuple[KeyAttribute, ...] = ()
    projection: Literal["ALL", "KEYS_ONLY", "INCLUDE"] = "ALL"
    include: tuple[str, ...] = ()
    local: bool = field(default=False, init=False)
    chosen: bool = field(default=True, init=False)
    """Whether somebody said what it projects."""

    @property
    def attributes(self) -> tuple[KeyAttribute, ...]:
        """Partition attributes, then sort attributes."""
        return self.pk + self.sk

    @property
    def multi(self) -> bool:
        """Whether a side of the key consists of several attributes."""
        return len(self.pk) > 1 or len(self.sk) > 1


class GSI(Index):
    """A global secondary index.

    `GSI("GSI1")` has the key attributes GSI1PK and GSI1SK (as the table's naming says). Other names, numbers and
    multi-attribute keys are given as `pk=` and `sk=`: `GSI("ByPlace", pk=["tenant", "customer"], sk=["country", "city"])`.
    They may be key attributes of the table, or of an index listed before: `GSI("Inverted", pk="SK", sk="PK")` holds every
    item, turned round; entities give templates only for attributes that they do not have yet.
    `sk=None` makes an index without a sort key. `projection` is "ALL", "KEYS_ONLY" or a list of attribute names; all, if
    nothing is said.
    """

    __slots__ = ()

    def __init__(
        self,
        name: str,
        *,
        pk: AttributeSpec | Sequence[AttributeSpec] | None = None,
        sk: AttributeSpec | Sequence[AttributeSpec] | Literal["default"] | None = "default",
        projection: Projection | None = None,
    ) -> None:
        _check_name(name)
        hash_side = (KeyAttribute(""),) if pk is None else _side(name, "pk", pk)
        range_side = (KeyAttribute(""),) if sk == "default" else _side(name, "sk", sk) if sk is not None else ()
        kind, include = _projection(name, projection)
        Index.__init__(self, name, hash_side, range_side, kind, include)
        object.__setattr__(self, "chosen", projection is not None)

    def resolved(self, names: AttributeNames) -> Index:
        """This index with default attribute names filled in."""
        default_pk, default_sk = names.of_index(self.name)
        return replace_index(
            self,
            pk=tuple(KeyAttribute(a.name or default_pk, a.tag) for a in self.pk),
            sk=tuple(KeyAttribute(a.name or default_sk, a.tag) for a in self.sk),
        )


class LSI(Index):
    """A local secondary index: the table's partition key with another sort key. It lives as long as the table."""

    __slots__ = ()

    def __init__(self, name: str, *, sk: AttributeSpec | None = None, projection: Projection | None = None) -> None:
        _check_name(name)
        kind, include = _projection(name, projection)
        Index.__init__(self, name, (), (_attribute(sk) if sk is not None else KeyAttribute(""),), kind, include)
        object.__setattr__(self, "local", True)
        object.__setattr__(self, "chosen", projection is not None)

    def resolved(self, names: AttributeNames, pk: KeyAttribute) -> Index:
        """This index with the table's partition key and default attribute names filled in."""
        default_sk = names.of_index(self.name)[1]
        return replace_index(self, pk=(pk,), sk=tuple(KeyAttribute(a.name or default_sk, a.tag) for a in self.sk))


def replace_index(index: Index, *, pk: tuple[KeyAttribute, ...], sk: tuple[KeyAttribute, ...]) -> Index:
    """A plain Index with all names known."""
    resolved = Index(index.name, pk, sk, index.projection, index.include)
    object.__setattr__(resolved, "local", index.local)
    object.__setattr__(resolved, "chosen", index.chosen)
    return resolved


def _attribute(spec: AttributeSpec) -> KeyAttribute:
    return spec if isinstance(spec, KeyAttribute) else KeyAttribute(spec)


def _side(index: str, side: str, spec: AttributeSpec | Sequence[AttributeSpec]) -> tuple[KeyAttribute, ...]:
    if not isinstance(spec, str | KeyAttribute | Sequence):
        raise ModelError(
            f"Index {index!r} has {spec!r} as {side}=.",
            hint="Give the name of an attribute, a list of names, or sk=None for an index without a sort key.",
        )
    listed = (spec,) if isinstance(spec, str | KeyAttribute) else tuple(spec)
    attributes = tuple(_attribute(s) for s in listed)
    if not 1 <= len(attributes) <= MAX_KEY_ATTRIBUTES:
        raise ModelError(
            f"Index {index!r} has {len(attributes)} attributes on its {side} side.",
            hint=f"DynamoDB allows 1 to {MAX_KEY_ATTRIBUTES} attributes on each side of an index key.",
        )
    if any(not a.name for a in attributes):
        raise ModelError(f"Index {index!r} has an empty attribute name on its {side} side.")
    return attributes


def _projection(index: str, spec: Projection | None) -> tuple[Literal["ALL", "KEYS_ONLY", "INCLUDE"], tuple[str, ...]]:
    if spec is None or spec == "ALL":
        return "ALL", ()
    if spec == "KEYS_ONLY":
        return "KEYS_ONLY", ()
    if isinstance(spec, str):
        raise ModelError(f"Index {index!r} has projection {spec!r}.", hint='Use "ALL", "KEYS_ONLY" or a list of names.')
    if not spec:
        raise ModelError(f"Index {index!r} includes no attribute.", hint='Say projection="KEYS_ONLY" instead.')
    if len(spec) > MAX_INCLUDED or len(set(spec)) < len(spec):
        raise ModelError(
            f"Index {index!r} includes {len(spec)} attributes.",
            hint=f"DynamoDB allows {MAX_INCLUDED} different ones for an index.",
        )
    return "INCLUDE", tuple(spec)


def _check_name(name: str) -> None:
    if not re.fullmatch(_INDEX_NAME, name):
        raise ModelError(
            f"{name!r} cannot be the name of an index.",
            hint="DynamoDB wants 3 to 255 characters out of letters, digits, '_', '-' and '.'.",
        )
