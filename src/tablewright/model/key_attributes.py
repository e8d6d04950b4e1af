"""The key attributes of a table and its indexes: whose each one is, and which of them several keys share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tablewright.errors import ModelError
from tablewright.model.indexes import (
    GSI,
    LSI,
    MAX_GSIS,
    MAX_INCLUDED_IN_ALL,
    MAX_LSIS,
    AttributeNames,
    Index,
    KeyAttribute,
    replace_index,
)


class KeyAttributes:
    """Gives every key attribute of a table to somebody, and resolves the indexes that were declared."""

    def __init__(self, table: str, names: AttributeNames, pk: KeyAttribute, sk: KeyAttribute | None) -> None:
        self._table = table
        self._names = names
        self._pk, self._sk = pk, sk
        self._library = {*names.own(), names.owner}
        self._owners: dict[str, str] = {}
        self._tags: dict[str, KeyAttribute] = {}
        for key in (pk, sk):
            if key is not None:
                if key.name in self._library or key.name in self._owners:
                    raise ModelError(
                        f"{table}: the key attribute {key.name!r} also belongs to {self._owner(key.name)}.",
                        hint="Every attribute needs its own name; names=AttributeNames(...) changes the library's.",
                    )
                self._take(key, "the table's key")

    def resolve(self, declared: Sequence[GSI | LSI]) -> dict[str, Index]:
        """The indexes by name, with all their attributes known."""
        if isinstance(declared, str | GSI | LSI) or not isinstance(declared, Iterable):
            raise ModelError(
                f"{self._table}: indexes= takes a list of indexes, not {type(declared).__name__}.",
                hint='Write indexes=[GSI("GSI1")].',
            )
        indexes: dict[str, Index] = {}
        for one in declared:
            if not isinstance(one, GSI | LSI):
                raise ModelError(
                    f"{self._table}: indexes= holds {type(one).__name__}, not an index.",
                    hint=f"Write GSI({one!r})." if isinstance(one, str) else 'Write GSI("GSI1").',
                )
            if one.name in indexes:
                raise ModelError(f"{self._table} has two indexes called {one.name!r}.")
            indexes[one.name] = self._resolved(one)
        self._check_numbers(indexes)
        return indexes

    def _resolved(self, declared: GSI | LSI) -> Index:
        if isinstance(declared, GSI):
            index = declared.resolved(self._names)
        elif self._sk is None:
            raise ModelError(f"{self._table} has no sort key, so it cannot have the local index {declared.name!r}.")
        else:
            index = declared.resolved(self._names, self._pk)
            if index.sk[0].name == self._sk.name:
                raise ModelError(
                    f"Index {index.name!r} has the key of the table itself.",
                    hint="A local index sorts by another attribute.",
                )
        names = [a.name for a in index.attributes]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(f"Index {index.name!r} uses the attribute {name!r} twice.")
        asked = declared.pk + declared.sk
        own = index.sk if index.local else index.attributes
        for attribute, as_declared in zip(own, asked, strict=True):
            self._claim(index, attribute, chosen=bool(as_declared.name))
        return replace_index(
            index,
            pk=tuple(self._tags[a.name] for a in index.pk),
            sk=tuple(self._tags[a.name] for a in index.sk),
        )

    def _claim(self, index: Index, attribute: KeyAttribute, *, chosen: bool) -> None:
        """An attribute is nobody's yet, or shared on purpose: by its name, which the index was given."""
        name = attribute.name
        if name in self._library or (name in self._owners and not chosen):
            raise ModelError(
                f"Index {index.name!r} uses the attribute {name!r}, which belongs to {self._owner(name)}.",
                hint="An index can share the key attributes of the table and of indexes listed before it, if it names "
                "them: pk=, sk=.",
            )
        known = self._tags.get(name)
        if known is None:
            self._take(attribute, f"index {index.name!r}")
        elif attribute.tag not in ("S", known.tag):  # a bare name says nothing of the type
            raise ModelError(
                f"Index {index.name!r} has the attribute {name!r} as {attribute.tag}, but {self._owner(name)} has it as "
                f"{known.tag}.",
                hint=f'Name it without a type: "{name}".',
            )

    def _take(self, attribute: KeyAttribute, owner: str) -> None:
        self._owners[attribute.name] = owner
        self._tags[attribute.name] = attribute

    def _owner(self, name: str) -> str:
        return "the library" if name in self._library else self._owners[name]

    def _check_numbers(self, indexes: dict[str, Index]) -> None:
        local = sum(i.local for i in indexes.values())
        for kind, count, limit in (("global", len(indexes) - local, MAX_GSIS), ("local", local, MAX_LSIS)):
            if count > limit:
                raise ModelError(f"{self._table} has {count} {kind} indexes.", hint=f"DynamoDB allows {limit}.")
        included = sum(len(i.include) for i in indexes.values())
        if included > MAX_INCLUDED_IN_ALL:
            raise ModelError(
                f"{self._table}: its indexes include {included} attributes.",
                hint=f"DynamoDB allows {MAX_INCLUDED_IN_ALL} in all; project ALL instead.",
            )
