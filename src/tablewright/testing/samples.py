"""Entities made up for a model: the same ones each time, related to each other, and told apart by what must tell them apart."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, TypeVar

import pydantic
from msgspec import Struct

from tablewright.errors import ArgumentError, TablewrightError
from tablewright.model.annotations import field_annotation
from tablewright.model.conditions import Compare
from tablewright.model.entity import Entity
from tablewright.model.operations import Get
from tablewright.model.symbols import is_symbol
from tablewright.table import Table
from tablewright.testing.making import NotMade, Values

E = TypeVar("E", bound=Entity)
_TRIES = 20


def samples(table: Table, *, each: int = 12, seed: int = 0) -> list[Entity]:
    """Made-up entities of every kind that a table has, at most `each` of one; the same ones for the same `seed`.

    Fields of one name take their values from one stock, so that orders belong to customers that there are. No two
    entities of a kind share a primary key, a unique value, or what a pattern gets one item by. Of two entities that mirror
    each other only one is made, since writing it writes the other.
    """
    made: list[Entity] = []
    mirrored: set[type[Entity]] = set()
    for entity in table.entities.values():
        if entity in mirrored:
            continue
        if entity in table.mirrors:
            mirrored.add(table.mirrors[entity])
        made += _Maker(table, entity, seed).some(each)
    return made


def sample(entity: type[E], number: int = 0, *, seed: int = 0) -> E:
    """One made-up entity: `sample(Order)`. Another number gives one with another identity; another seed, other values."""
    table: Any = getattr(entity, "__table__", None)
    if not isinstance(table, Table):
        raise ArgumentError("sample() takes an entity class with a table.", hint="sample(Order)")
    found = _Maker(table, entity, seed).some(number + 1)
    if len(found) <= number:
        raise ArgumentError(f"There are no more than {len(found)} different samples of {entity.__name__}.")
    one: Any = found[number]
    return one  # type: ignore[no-any-return]


class _Identity(Struct, frozen=True):
    """Fields whose values no two entities share."""

    fields: tuple[str, ...]

    def of(self, entity: Entity) -> tuple[Any, ...] | None:
        values = tuple(getattr(entity, name) for name in self.fields)
        return None if None in values else values


class _Maker:
    """Makes the entities of one kind."""

    def __init__(self, table: Table, entity: type[Entity], seed: int) -> None:
        self._entity = entity
        self._plan = table.plan.of(entity)
        self._identities = tuple(_identities(table, entity))
        self._alone = {i.fields[0] for i in self._identities if len(i.fields) == 1}
        self._values = Values(random.Random(f"{seed}:{entity.__name__}"))  # noqa: S311 - made-up data, alike each time

    def some(self, each: int) -> list[Entity]:
        found: list[Entity] = []
        seen: set[tuple[_Identity, Any]] = set()
        refused: ArgumentError | None = None
        for number in range(each * _TRIES):
            if len(found) == each:
                break
            try:
                entity = self._make(number)
            except ArgumentError as error:  # rules that see several fields may refuse some combinations
                refused = error
                continue
            marks = {(i, value) for i in self._identities if (value := i.of(entity)) is not None}
            if seen.isdisjoint(marks):
                seen |= marks
                found.append(entity)
        if refused is not None and not found:
            raise refused
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
        for name, info in self._entity.model_fields.items():
            annotation = field_annotation(info)
            if name == ttl:
                yield name, self._values.far_away(name, annotation)
            elif name in self._alone:
                yield name, self._values.one_of_many(name, annotation, number)
            else:
                required = info.is_required() or name in self._plan.key_fields
                yield name, self._values.one_of_few(name, annotation, required=required)


def _refused(where: str, why: str) -> ArgumentError:
    return ArgumentError(
        f"No samples of {where} can be made up: {why}.",
        hint="Write them yourself: a seed.py beside the model, with a function entities() or seed(db).",
    )


def _stamps(plan: Any) -> dict[str, Any]:
    from datetime import UTC, datetime

    moment = datetime(2025, 1, 1, tzinfo=UTC)
    return {name: moment for name in plan.sources if name not in plan.fields}


def _identities(table: Table, entity: type[Entity]) -> Iterator[_Identity]:
    plan = table.plan.of(entity)
    yield _Identity(tuple(sorted(plan.key_fields)))
    for unique in plan.uniques:
        yield _Identity(tuple(sorted(unique.fields)))
    for pattern in table.patterns.values():
        for operation in pattern.variants.values():
            if isinstance(operation, Get) and operation.entity is entity:
                tests = [c for c in operation.conditions if isinstance(c, Compare) and c.op == "="]
                given = {c.field for c in tests if is_symbol(c.value) and len(c.path) == 1}
                if given and len(tests) == len(operation.conditions):
                    yield _Identity(tuple(sorted(given)))
