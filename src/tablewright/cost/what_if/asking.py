"""The questions that can be asked, and how they are written: `drop GSI2`, `GSI1: keys-only`, `ttl Event 30d`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from tablewright.errors import ArgumentError
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.indexes import Projection
from tablewright.model.table import TableModel

FORMS = (
    "drop GSI2",
    "GSI1: keys-only",
    "GSI1: include total status",
    "GSI1: all",
    "GSI1: sparse Order 5%",
    "GSI1: shards Order 10",
    "shards Order 10",
    "add GSI3 Order STATUS#{status} {placed_at} keys-only",
    "ttl Event 30d",
    "class infrequent",
    "mode provisioned",
)
"""One of each kind."""
_DAYS = {"h": 1 / 24, "d": 1.0, "w": 7.0}
_CLASSES, _MODES = ("standard", "infrequent"), ("on-demand", "provisioned")


class Drop(Struct, frozen=True):
    """An index less."""

    index: str


class Add(Struct, frozen=True):
    """An index more, of one entity."""

    index: str
    entity: type[Entity]
    pk: str
    sk: str | None
    projection: Projection


class Project(Struct, frozen=True):
    """Another projection of an index."""

    index: str
    projection: Projection


class Thin(Struct, frozen=True):
    """A sparse index: it holds this share of these entities, and of their writes."""

    index: str
    entities: tuple[type[Entity], ...]
    share: float


class Spread(Struct, frozen=True):
    """Partitions of the table or of an index spread over shards."""

    index: str | None
    entity: type[Entity]
    of: int


class Expire(Struct, frozen=True):
    """Items that live so many days."""

    entity: type[Entity]
    days: float


class Pay(Struct, frozen=True):
    """Another table class, or another mode."""

    what: Literal["class", "mode"]
    value: str


Question: TypeAlias = Drop | Add | Project | Thin | Spread | Expire | Pay


def asked(table: TableModel, text: str) -> Question:
    """What a line asks; refuses what is no question, with the nearest one."""
    return _Asking(table, text).question()


class _Asking:
    """One line, read against a table."""

    def __init__(self, table: TableModel, text: str) -> None:
        self._table, self._text = table, text
        try:
            self._words = shlex.split(text)
        except ValueError:
            raise self._refusal("its quotes are not closed") from None

    def question(self) -> Question:
        match self._words:
            case [first, *rest] if first.endswith(":"):
                return self._of_index(first[:-1], rest)
            case ["drop", index]:
                return Drop(self._index(index))
            case ["add", index, entity, pk, *rest]:
                return self._add(index, self._entity(entity), pk, rest)
            case ["shards" | "shard", entity, count]:
                return Spread(None, self._entity(entity), self._count(count))
            case ["ttl", entity, lifetime]:
                return Expire(self._entity(entity), self._lifetime(lifetime))
            case ["class", value]:
                return Pay("class", self._one_of(value, _CLASSES))
            case ["mode", value]:
                return Pay("mode", self._one_of(value, _MODES))
            case [first, *_]:
                words = ("drop", "add", "shards", "ttl", "class", "mode")
                near = "" if first in words else did_you_mean(first, words)
                raise self._refusal(f"it is none of the forms that are known.{near}")
        raise self._refusal("it says nothing")

    def _of_index(self, name: str, rest: list[str]) -> Question:
        index = self._index(name)
        match rest:
            case ["sparse", *entities, share]:
                return Thin(index, self._bound(index, entities), self._share(share))
            case ["shards" | "shard", entity, count]:
                return Spread(index, self._entity(entity), self._count(count))
            case ["shards" | "shard", count]:
                first, *others = self._bound(index, [])
                if others:
                    names = ", ".join(entity.__name__ for entity in (first, *others))
                    raise self._refusal(f"{index} holds {names}, and it does not say which of them is spread")
                return Spread(index, first, self._count(count))
        return Project(index, self._projection(rest))

    def _add(self, name: str, entity: type[Entity], pk: str, rest: list[str]) -> Add:
        if name in self._table.indexes:
            raise self._refusal(f"there is an index {name} already")
        sk = rest.pop(0) if rest and rest[0].lower() not in ("all", "keys-only", "include") else None
        return Add(name, entity, pk, sk, self._projection(rest) if rest else "ALL")

    # ------------------------------------------------------------------------------------------------------------ parts

    def _projection(self, words: list[str]) -> Projection:
        match [word.lower() for word in words]:
            case ["all"]:
                return "ALL"
            case ["keys-only" | "keys_only"]:
                return "KEYS_ONLY"
            case ["include", _, *_]:
                return tuple(name for word in words[1:] for name in word.split(",") if name)
        raise self._refusal("a projection is all, keys-only, or include with the names of attributes")

    def _index(self, name: str) -> str:
        if name not in self._table.indexes:
            raise self._refusal(f"{self._table.label} has no index {name!r}.{did_you_mean(name, self._table.indexes)}")
        return name

    def _entity(self, name: str) -> type[Entity]:
        known = {entity.__name__: entity for entity in self._table.entities.values()}
        if name not in known:
            raise self._refusal(f"{self._table.label} has no entity {name!r}.{did_you_mean(name, known)}")
        return known[name]

    def _bound(self, index: str, names: list[str]) -> tuple[type[Entity], ...]:
        """The entities of these names, or all that give keys for the index."""
        if names:
            return tuple(self._entity(name) for name in names)
        found = tuple(e for e in self._table.entities.values() if index in e.keys.indexes)
        if not found:
            raise self._refusal(f"no entity gives keys for {index}: name the one that is meant")
        return found

    def _share(self, text: str) -> float:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)(%?)", text)
        share = float(found[1]) / (100 if found[2] else 1) if found else -1.0
        if not 0 <= share <= 1:
            raise self._refusal(f"{text!r} is no share: write 5%, or 0.05")
        return share

    def _count(self, text: str) -> int:
        if not text.isdecimal() or not 2 <= int(text) <= 1000:
            raise self._refusal(f"{text!r} is no number of shards: write one from 2 to 1000")
        return int(text)

    def _lifetime(self, text: str) -> float:
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([hdw])", text)
        if found is None or not float(found[1]):
            raise self._refusal(f"{text!r} is no time to live: write 30d, 12h or 2w")
        return float(found[1]) * _DAYS[found[2]]

    def _one_of(self, value: str, known: Iterable[str]) -> str:
        if value not in known:
            raise self._refusal(f"{value!r} is none of {', '.join(known)}")
        return value

    def _refusal(self, why: str) -> ArgumentError:
        said = why if why.endswith((".", "?")) else f"{why}."
        first = self._text.split()[0] if self._text.split() else ""
        near = [form for form in FORMS if form.split()[0] == first or (first.endswith(":") and ":" in form)] or FORMS
        forms = ", ".join(f'"{form}"' for form in near)
        return ArgumentError(f"What if {self._text!r}: {said}", hint=f"It can be asked so: {forms}.")
