"""What a load is made on: entities made up beforehand, or a look at what is stored; and how it is taken away again."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from tablewright.client.decoding import Tombstone
from tablewright.client.session import Session
from tablewright.client.targets import Key
from tablewright.errors import ArgumentError, DecodeError
from tablewright.load.choosing import Choice, Demand
from tablewright.load.making import Maker, is_marked
from tablewright.model.entity import Entity
from tablewright.survey.items import stored_items
from tablewright.table import Table
from tablewright.testing.relating import Parent, identities, parents
from tablewright.values.types import Item

_APART = timedelta(minutes=7)
"""How far apart in time those are that were there before."""
_TOGETHER = 500
"""Items that are written or deleted in one go."""


class World:
    """Everything that a load knows of: what was there at the start, by kind, and who makes more."""

    def __init__(self, table: Table, *, seed: int, zipf: float, tag: str, start: datetime) -> None:
        self.table = table
        self.tag = tag
        self.start = start
        self.chance = random.Random(f"{seed}:world")  # noqa: S311 - alike each time
        self.identities = {entity: tuple(identities(table, entity)) for entity in table.entities.values()}
        alone = {
            entity: frozenset(one.fields[0] for one in own if len(one.fields) == 1)
            for entity, own in self.identities.items()
        }
        self.parents: dict[type[Entity], list[Parent]] = {
            entity: parents(table, entity, self.identities, alone[entity]) for entity in table.entities.values()
        }
        self.demand = Demand(table, self.identities, self.parents, zipf=zipf, seed=seed)
        self.there: dict[type[Entity], list[Entity]] = {}
        self.refused: dict[type[Entity], str] = {}
        """Kinds of which nothing is written, and why."""
        self._makers: dict[type[Entity], Maker] = {}
        self._choices: dict[tuple[type[Entity], tuple[str, ...]], Choice] = {}

    def fill(self, number: int) -> None:
        """Makes up entities of every kind, at most so many of one, each kind after those that it belongs to."""
        for entity in self.table.entities.values():
            self._fill(entity, number)

    def _fill(self, entity: type[Entity], number: int) -> None:
        if entity in self.there:
            return
        self.there[entity] = []  # kinds that belong to each other begin with nobody
        for parent in self.parents[entity]:
            self._fill(parent.entity, number)
        expected = self.table.expectations.of(entity).items
        made: dict[Any, Entity] = {}
        try:
            maker = self.maker(entity)
            for back in range(number if expected is None else max(1, min(number, expected)), 0, -1):
                one = maker.make(self.start - back * _APART)
                made[tuple(str(getattr(one, name)) for name in sorted(maker.plan.key_fields))] = one
        except ArgumentError as error:
            self.refused[entity] = error.message
        self.there[entity] = list(made.values())

    def look(self, db: Session, most: int) -> None:
        """Takes what is stored instead, of the first items that a scan finds."""
        self.there = {entity: [] for entity in self.table.entities.values()}
        for found in _known(db, islice(stored_items(db), most)):
            if isinstance(found, Entity):
                self.there.setdefault(type(found), []).append(found)

    def choice(self, entity: type[Entity], fields: tuple[str, ...], /) -> Choice | None:
        """A choice among those of a kind that are there, by the values of these fields; None where there are none."""
        if not self.there.get(entity):
            return None
        if (entity, fields) not in self._choices:
            self._choices[entity, fields] = self.demand.choice(self.there[entity], fields)
        return self._choices[entity, fields]

    def maker(self, entity: type[Entity]) -> Maker:
        """What makes entities of a kind."""
        if entity not in self._makers:
            self._makers[entity] = Maker(self, entity)
        return self._makers[entity]

    def withhold(self, entity: type[Entity], why: str) -> None:
        """Leaves a kind out of all that is written and read."""
        self.there[entity] = []
        self.refused[entity] = why

    def unmarked(self, entity: type[Entity]) -> bool:
        """Whether what is made of a kind could not be told from what others have stored."""
        names = self.table.plan.of(entity).key_fields
        made = self.there.get(entity, ())
        return any(not is_marked({name: getattr(one, name) for name in names}) for one in made)


def write_all(db: Session, world: World) -> int:
    """Writes what is there at the start."""
    every = [one for made in world.there.values() for one in made]
    for start in range(0, len(every), _TOGETHER):
        with db.batch(transactional=True) as batch:
            for one in every[start : start + _TOGETHER]:
                batch.put(one)
    return len(every)


def clean(db: Session, table: Table) -> int:
    """Deletes everything that loads have written, and returns how many items of entities that were."""
    count = 0
    keys = (_key(table, one) for one in _known(db, stored_items(db)))
    marked = (one for one in keys if is_marked(one.fields))
    while chunk := list(islice(marked, _TOGETHER)):
        with db.batch(transactional=True) as batch:
            for one in chunk:
                if one.entity.__options__.soft_delete is not None:
                    db.purge(one)
                else:
                    batch.delete(one)
        count += len(chunk)
    return count


def _known(db: Session, items: Iterable[Item]) -> Iterator[Entity | Tombstone[Entity]]:
    """What the model knows of the items: a table may hold others beside."""
    for item in items:
        with suppress(DecodeError):
            found = db.decode(item)
            if isinstance(found, Entity | Tombstone):
                yield found


def _key(table: Table, found: Entity | Tombstone[Entity]) -> Key[Entity]:
    if isinstance(found, Tombstone):
        return found.key
    return Key(type(found), {name: getattr(found, name) for name in table.plan.of(type(found)).key_fields})
