"""Entities made up for a model: the same ones each time, related to each other, and told apart by what must tell them apart."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from math import isqrt
from typing import Any, TypeVar

import pydantic

from tablewright.errors import ArgumentError, TablewrightError
from tablewright.model.annotations import field_annotation, optional
from tablewright.model.entity import Entity
from tablewright.table import Table
from tablewright.testing.making import NotMade, Values
from tablewright.testing.relating import Identity, Parent, identities, parents, wanted

E = TypeVar("E", bound=Entity)
_EACH = 12
_TRIES = 20
_FAR_AWAY = datetime(2100, 1, 1, tzinfo=UTC)


def samples(table: Table, *, each: int = _EACH, seed: int = 0, now: datetime | None = None) -> list[Entity]:
    """Made-up entities of every kind that a table has, `each` of one; the same ones for the same `seed`.

    Orders belong to customers that there are: to all of them, and to a few more often. Every choice of a Literal, an Enum or
    a bool occurs, and so does what patterns look for. One in four leaves an optional field empty, those in index keys too;
    decimals have fractions. No two entities of a kind share a primary key, a unique value, or
    what a pattern gets one item by; where there are not as many of these, there are fewer entities. Of two entities that
    mirror each other only one is made, since writing it writes the other. What expires does so in the days after `now`, or
    in another century if that is not said.
    """
    return [entity for made in _World(table, each, seed, now).everything() for entity in made]


def sample(entity: type[E], number: int = 0, *, seed: int = 0, now: datetime | None = None) -> E:
    """One made-up entity: `sample(Order)`. Another number gives one with another identity; another seed, other values."""
    table: Any = getattr(entity, "__table__", None)
    if not isinstance(table, Table):
        raise ArgumentError("sample() takes an entity class with a table.", hint="sample(Order)")
    found = _World(table, max(_EACH, number + 1), seed, now).of(entity)
    if len(found) <= number:
        raise ArgumentError(f"There are no more than {len(found)} different samples of {entity.__name__}.")
    one: Any = found[number]
    return one  # type: ignore[no-any-return]


class _World:
    """All that is made up for a table, each kind after those that it belongs to."""

    def __init__(self, table: Table, each: int, seed: int, now: datetime | None) -> None:
        self.table = table
        self.each = each
        self.seed = seed
        self.expiring_after = _FAR_AWAY if now is None else now
        self.identities = {entity: tuple(identities(table, entity)) for entity in table.entities.values()}
        self._made: dict[type[Entity], list[Entity]] = {}

    def everything(self) -> Iterator[list[Entity]]:
        mirrored: set[type[Entity]] = set()
        for entity in self.table.entities.values():
            if entity not in mirrored:
                mirrored |= {self.table.mirrors[entity]} if entity in self.table.mirrors else set()
                yield self.of(entity)

    def of(self, entity: type[Entity]) -> list[Entity]:
        """The entities of a kind. None yet of one that is being made: kinds that belong to each other begin with nobody."""
        if entity not in self._made:
            self._made[entity] = []
            self._made[entity] = _Maker(self, entity).some(self.each)
        return self._made[entity]


class _Maker:
    """Makes the entities of one kind."""

    def __init__(self, world: _World, entity: type[Entity]) -> None:
        self._entity = entity
        self._plan = world.table.plan.of(entity)
        self._expiring_after = world.expiring_after
        self._identities = world.identities[entity]
        self._alone = frozenset(i.fields[0] for i in self._identities if len(i.fields) == 1)
        self._chance = random.Random(f"{world.seed}:{entity.__name__}")  # noqa: S311 - made-up data, alike each time
        self._values = Values(self._chance)
        self._stock = max(4, isqrt(world.each))
        self._wanted = wanted(world.table, entity)
        self._stride = max(
            1, min(3, world.each // max(1, len(self._wanted)))
        )  # every third is what a pattern looks for
        self._parents = [
            _Deck(parent, made, self._chance)
            for parent in parents(world.table, entity, world.identities, self._alone)
            if (made := world.of(parent.entity))
        ]

    def some(self, each: int) -> list[Entity]:
        found: list[Entity] = []
        seen: set[tuple[Identity, Any]] = set()
        refused: ArgumentError | None = None
        for number in range(each * _TRIES):
            if len(found) == each:
                break
            try:
                entity = self._make(number)
            except ArgumentError as error:  # rules that see several fields may refuse some combinations
                refused = error
                self._values.settle(used=False)
                continue
            marks = {(i, value) for i in self._identities if (value := i.of(entity)) is not None}
            new = seen.isdisjoint(marks)
            self._values.settle(used=new)
            if new:
                seen |= marks
                found.append(entity)
            else:
                self._stock += 1  # more values, until there are enough to tell all apart
        if refused is not None and not found:
            if not self._parents:
                raise refused
            self._parents = []  # their values do not suit the rules of this kind
            return self.some(each)
        return found

    def _make(self, number: int) -> Entity:
        name = self._entity.__name__
        try:
            values = dict(self._fields(number))
            entity = self._entity(**values)
            self._plan.index_attributes(
                {n: getattr(entity, n) for n in self._entity.model_fields} | _stamps(self._plan)
            )
        except NotMade as error:
            raise _refused(f"{name}.{error.field}", str(error)) from None
        except pydantic.ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            where = ".".join([name, *map(str, first["loc"])])
            raise _refused(where, first["msg"]) from None
        except TablewrightError as error:
            raise _refused(name, error.message) from None
        return entity

    def _fields(self, number: int) -> Iterator[tuple[str, Any]]:
        ttl = self._entity.__options__.ttl
        taken = {name: value for deck in self._parents for name, value in deck.draw()}
        round_, turn = divmod(number, self._stride)
        looked_for = self._wanted[round_ % len(self._wanted)] if self._wanted and turn == self._stride - 1 else {}
        for name, info in self._entity.model_fields.items():
            annotation = field_annotation(info)
            required = info.is_required() or name in self._plan.key_fields or not optional(annotation)
            if name in looked_for:
                yield name, looked_for[name]
            elif name == ttl and name not in taken:
                yield name, self._values.later(annotation, self._expiring_after)
            elif not required and self._values.absent(name):
                yield name, None
            elif name in taken:
                yield name, taken[name]
            elif name in self._alone:
                yield name, self._values.one_of_many(name, annotation, number)
            else:
                yield name, self._values.one_of_stock(name, annotation, self._stock)


class _Deck:
    """Parents in turn: every other draw is from all of them, each once before any twice, and every other from a few
    favourites, so that children are everywhere and some have many siblings."""

    def __init__(self, parent: Parent, made: list[Entity], chance: random.Random) -> None:
        self._fields = parent.fields
        self._made = made
        self._chance = chance
        self._favourites = made[: max(2, isqrt(len(made)) // 2)]
        self._left: list[Entity] = []
        self._drawn = 0

    def draw(self) -> Iterator[tuple[str, Any]]:
        self._drawn += 1
        if self._drawn % 2 == 0:
            one = self._chance.choice(self._favourites)
        else:
            if not self._left:
                self._left = self._chance.sample(self._made, len(self._made))
            one = self._left.pop()
        return ((name, getattr(one, theirs)) for name, theirs in self._fields.items())


def _refused(where: str, why: str) -> ArgumentError:
    return ArgumentError(
        f"No samples of {where} can be made up: {why}.",
        hint="Write them yourself: a seed.py beside the model, with a function entities() or seed(db).",
    )


def _stamps(plan: Any) -> dict[str, Any]:
    moment = datetime(2025, 1, 1, tzinfo=UTC)
    return {name: moment for name in plan.sources if name not in plan.fields}
