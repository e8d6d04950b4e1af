"""Makes the entities that a load writes: new ids, parents and values by demand, times that are now, the expected size."""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, Protocol
from uuid import UUID

import pydantic

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, TablewrightError
from tablewright.lint.keyfacts import fields, is_disguised_time, is_id, is_time, kinds
from tablewright.load.choosing import Choice, Demand
from tablewright.load.keys import ranks
from tablewright.model.annotations import constraint, count_of_values, field_annotation, optional
from tablewright.model.entity import Entity
from tablewright.survey.items import item_of
from tablewright.table import Table
from tablewright.testing.making import NotMade, Values
from tablewright.testing.relating import Identity, Parent, wanted
from tablewright.values.sizes import item_size

PREFIX = "tw-load-"
"""What the ids of everything begin with that a load writes."""
_MARK = UUID(int=0x10AD10AD10AD10AD << 64, version=4).int >> 64
"""The half that its UUIDs begin with."""
_TRIES = 20
_KEPT = 10_000
"""Of those that were created on the way, so many are remembered for deletes."""
_STOCK = 300
"""So many values at most has a field that others share."""


class Surroundings(Protocol):
    """What an entity is made in."""

    table: Table
    tag: str
    start: datetime
    chance: random.Random
    demand: Demand
    identities: dict[type[Entity], tuple[Identity, ...]]
    parents: dict[type[Entity], list[Parent]]

    def choice(self, entity: type[Entity], fields: tuple[str, ...], /) -> Choice | None:
        """A choice among those of a kind that are there."""


class Maker:
    """Makes entities of one kind."""

    def __init__(self, world: Surroundings, entity: type[Entity]) -> None:
        self.entity = entity
        self.plan: EntityPlan = world.table.plan.of(entity)
        self.created: deque[Entity] = deque(maxlen=_KEPT)
        """What was created on the way, the oldest first, as far as nothing has deleted it."""
        self._world = world
        self._chance = world.chance
        self._values = Values(world.chance)
        self._stocks: dict[str, tuple[Any, ...]] = {}
        self._number = 0
        self._wanted = wanted(world.table, entity)
        self._taken_fields = {name for parent in world.parents[entity] for name in parent.fields}
        self._fresh = self._identifying()
        self._fixed = (
            self.plan.key_fields | {n for one in world.identities[entity] for n in one.fields} | self._taken_fields
        )
        self._indexed = {n for binding in self.plan.bindings for key in (*binding.pk, *binding.sk) for n in key.fields}
        self._padding: dict[str, int] = {}
        self.told_apart = any(self._is_new(name) for name in self._fresh & self.plan.key_fields)
        """Whether no two that are made have the same key."""
        self.short = 0
        """By how many bytes items are smaller than the model expects, where nothing can be filled up."""
        self._fit_size()

    def _identifying(self) -> frozenset[str]:
        """Fields that are another value in each: what identifies one alone, and ids at the end of the key. What stands in a
        partition key before further fields is shared by a whole collection."""
        own = [n for n in self.entity.model_fields if n not in self._taken_fields and _tells_apart(self.plan, n)]
        shared = _shared(self._world, self.entity)
        alone = {one.fields[0] for one in self._world.identities[self.entity] if len(one.fields) == 1} - shared
        partition = fields(self.plan.pk)
        behind = [] if self.plan.sk is None else [n for n in fields(self.plan.sk) if n not in partition]
        ids = [n for n in (behind or partition) if not behind or is_id(self.plan, n)]
        return frozenset(n for n in own if n in alone or (n in ids and n not in shared))

    def make(self, moment: datetime) -> Entity:
        """A new one, written at some moment."""
        refused: ArgumentError | None = None
        for _ in range(_TRIES):
            self._number += 1
            try:
                return self._build(dict(self._fields(moment)))
            except ArgumentError as error:  # rules that see several fields may refuse some combinations
                refused = error
        assert refused is not None
        raise refused

    def changed(self, one: Entity) -> Entity:
        """The same one with other values in fields that identify nothing."""
        for _ in range(_TRIES):
            values = {name: getattr(one, name) for name in self.entity.model_fields}
            for name, info in self.entity.model_fields.items():
                if name not in self._fixed and name != self.entity.__options__.ttl and name not in self._padding:
                    values[name] = self._drawn(name, field_annotation(info))
            try:
                return self._build(values)
            except ArgumentError:
                continue
        return one

    # -------------------------------------------------------------------------------------------- its fields

    def _build(self, values: dict[str, Any]) -> Entity:
        name = self.entity.__name__
        try:
            return self.entity(**values)
        except pydantic.ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            raise _refused(".".join([name, *map(str, first["loc"])]), first["msg"]) from None
        except TablewrightError as error:
            raise _refused(name, error.message) from None

    def _fields(self, moment: datetime) -> Iterator[tuple[str, Any]]:
        taken = dict(self._taken())
        looked_for = self._wanted[self._number % len(self._wanted)] if self._wanted and self._number % 3 == 0 else {}
        ttl = self.entity.__options__.ttl
        for name, info in self.entity.model_fields.items():
            annotation = field_annotation(info)
            required = info.is_required() or name in self.plan.key_fields or not optional(annotation)
            if name in taken:
                yield name, taken[name]
            elif name in self._fresh:
                yield name, self._new(name, annotation)
            elif name == ttl:
                yield name, self._values.later(annotation, moment)
            elif required and (now := _now(self.plan, name, moment)) is not None:
                yield name, now
            elif looked_for.get(name) is not None:
                yield name, looked_for[name]
            elif name in self._padding:
                yield name, f"{self._drawn(name, annotation)}".ljust(self._padding[name], "x")
            elif required or self._chance.random() < 0.75:
                yield name, self._drawn(name, annotation)

    def _taken(self) -> Iterator[tuple[str, Any]]:
        for parent in self._world.parents[self.entity]:
            choice = self._world.choice(parent.entity, tuple(parent.fields.values()))
            if choice is not None:
                one = choice.draw(self._chance)
                yield from ((name, getattr(one, theirs)) for name, theirs in parent.fields.items())

    def _drawn(self, name: str, annotation: Any) -> Any:
        """A value that several may share: of a field that keys are made of, by how much its values are wanted."""
        try:
            if name not in self._stocks and (name in self.plan.key_fields or name in self._indexed):
                self._stocks[name] = self._stock(name, annotation)
            stock = self._stocks.get(name)
            if stock is None:
                return self._values.one_of_stock(name, annotation, 40)
        except NotMade as error:
            raise _refused(f"{self.entity.__name__}.{error.field}", str(error)) from None
        finally:
            self._values.settle(used=True)
        known, hottest = self._world.demand.values(self.entity, name)
        drawn = ranks(max(known or 0, len(stock)), self._world.demand.zipf, hottest).draw(self._chance)
        return stock[drawn % len(stock)]

    def _stock(self, name: str, annotation: Any) -> tuple[Any, ...]:
        """The values of a field in the order of how much they are wanted."""
        known, _ = self._world.demand.values(self.entity, name)
        allowed = count_of_values(annotation)
        number = min(known or 40, _STOCK) if allowed is None else allowed
        made = [self._values.one_of_many(name, annotation, i) for i in range(number)]
        if name in self.plan.key_fields and allowed is None:
            made = [self._marked(value, annotation, i) for i, value in enumerate(made)]
        return tuple(sorted(made, key=self._world.demand.rank))

    def _new(self, name: str, annotation: Any) -> Any:
        if UUID in kinds(self.plan, name):
            return UUID(int=_MARK << 64 | self._chance.getrandbits(22) << 40 | self._number, version=4)
        return self._marked(self._values.one_of_many(name, annotation, self._number), annotation, self._number)

    def _is_new(self, name: str) -> bool:
        """Whether a field really has another value each time: a pattern may leave too little room."""
        info = field_annotation(self.entity.model_fields[name])
        return constraint(info, "pattern") is None or _bears_mark(self._new(name, info))

    def _marked(self, made: Any, annotation: Any, number: int) -> Any:
        """A text with the prefix, where it may have one."""
        if not isinstance(made, str):
            return made
        pattern, most = constraint(annotation, "pattern"), constraint(annotation, "max_length")
        start = f"{PREFIX}{self._world.tag}-"
        named = [] if pattern is not None else [f"{start}{made}"]  # what fits a pattern may come again soon
        for text in (*named, f"{start}{number}", f"{start}{number}".upper()):
            fits = pattern is None or re.search(getattr(pattern, "pattern", pattern), text)
            if fits and (most is None or len(text) <= most):
                return text
        return made

    # ---------------------------------------------------------------------------------------------- its size

    def _fit_size(self) -> None:
        """Finds texts that can be filled up to the size that the model expects."""
        expected = self._world.table.expectations.of(self.entity).size
        if expected is None or self.plan.seals:
            return
        try:
            missing = expected - item_size(item_of(self.make(self._world.start)))
        except ArgumentError:
            return  # whoever makes one is told why it cannot be
        constants = {name for one in self._wanted for name in one}
        for name, info in self.entity.model_fields.items():
            annotation = field_annotation(info)
            if missing <= 0:
                return
            if kinds(self.plan, name) != {str} or name in self._fixed | self._indexed | constants:
                continue
            most = constraint(annotation, "max_length")
            room = missing if most is None else min(missing, most - 20)
            if room > 0 and constraint(annotation, "pattern") is None:
                self._padding[name] = room + 10
                missing -= room
        self.short = max(0, missing)


def is_marked(key: Mapping[str, Any]) -> bool:
    """Whether the fields of a key say that a load has written the item."""
    return any(map(_bears_mark, key.values()))


def _bears_mark(value: Any) -> bool:
    if isinstance(value, UUID):
        return value.int >> 64 == _MARK
    return isinstance(value, str) and value.lower().startswith(PREFIX)


def partitions_of(plan: EntityPlan, entity: Entity, now: datetime) -> dict[str, str]:
    """Where an entity is written: the partition keys in the table, by the name "", and in each global index that has it."""
    values = {n: getattr(entity, n) for n in plan.fields} | {n: now for n in plan.sources if n not in plan.fields}
    item = {**plan.encode_fields(values), **plan.key(values), **plan.index_attributes(values)[0]}
    found = {"": key_text(item, (plan.pk.attribute.name,))}
    for binding in plan.bindings:
        names = tuple(key.attribute.name for key in binding.pk)
        whole = (*names, *(key.attribute.name for key in binding.sk))
        if not binding.index.local and all(name in item for name in whole):
            found[binding.index.name] = key_text(item, names)
    return found


def key_text(item: Mapping[str, Any], names: Iterable[str]) -> str:
    """A partition key as people read it."""
    return ", ".join(str(next(iter(item[name].values()))) for name in names)


def _shared(world: Surroundings, entity: type[Entity]) -> set[str]:
    """Fields of which the model says that several items have the same value."""
    said = world.table.expectations.of(entity)
    return {fields[0] for fields, count in said.per.items() if len(fields) == 1 and count > 1}


def _tells_apart(plan: EntityPlan, name: str) -> bool:
    """Whether a field has as many values as there may be items."""
    found, annotated = kinds(plan, name), plan.fields[name].annotation
    if found == {int} and any(constraint(annotated, bound) is not None for bound in ("le", "lt")):
        return False
    return found in ({str}, {UUID}, {int}) and not is_time(plan, name)


def _now(plan: EntityPlan, name: str, moment: datetime) -> Any:
    """A moment as a field has it; None for a field that is no time."""
    found = kinds(plan, name)
    if datetime in found:
        return moment
    if date in found:
        return moment.date()
    if is_disguised_time(plan, name):
        return moment.astimezone(UTC).isoformat() if str in found else int(moment.timestamp())
    return None


def _refused(where: str, why: str) -> ArgumentError:
    return ArgumentError(f"No {where} can be made up: {why}.", hint="Leave it out with --only, or load stored items.")
