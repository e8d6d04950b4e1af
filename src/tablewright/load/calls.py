"""From a line of the mix to one request after another: whom it is about, and with which arguments."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

from msgspec import Struct

from tablewright.client.session import Session
from tablewright.compiler.fields import CREATED, UPDATED
from tablewright.lint.keyfacts import fields
from tablewright.load.data import World
from tablewright.load.making import partitions_of
from tablewright.load.workload import Line
from tablewright.model.annotations import members
from tablewright.model.conditions import Between, Compare, Contains, IsIn, StartsWith, Test
from tablewright.model.entity import Entity
from tablewright.model.operations import Mixed, Query, reads_in
from tablewright.model.pattern import Pattern
from tablewright.model.symbols import is_symbol
from tablewright.testing.naive import holds, value_at

_PAGE = 100
"""Items of a read of which nobody said how many it returns."""


class Request(Struct, frozen=True, eq=False):
    """Something to do, once."""

    line: Line
    run: Callable[[Session], int]
    """Does it, and returns how many items came back."""
    writes: Mapping[str, str] = {}
    """The partition keys that it writes to, in the table and in its indexes."""


class Caller:
    """Makes the requests of one line."""

    def __init__(self, line: Line) -> None:
        self.line = line

    def request(self, chance: random.Random, moment: datetime) -> Request:
        """The next one, to be sent at some moment."""
        raise NotImplementedError


class NotCalled(Exception):
    """A line that no requests can be made of, and why."""


def caller(world: World, line: Line) -> Caller:
    """What makes the requests of a line; NotCalled where none can be."""
    return _Reads(world, line) if line.kind == "read" else _Writes(world, line)


# ------------------------------------------------------------------------------------------------------------- reads


class _Reads(Caller):
    def __init__(self, world: World, line: Line) -> None:
        super().__init__(line)
        self._pattern: Pattern[..., Any] = world.table.patterns[line.name]
        self._variants = [
            variant
            for key, operation in self._pattern.variants.items()
            if (variant := _Variant(world, self._pattern, key, operation, line.results)).works
        ]
        if not self._variants:
            raise NotCalled("nothing that it could be asked for is known")

    def request(self, chance: random.Random, moment: datetime) -> Request:
        variant = self._variants[chance.randrange(len(self._variants))]
        arguments, pattern, take = variant.arguments(chance), self._pattern, variant.take

        def run(db: Session) -> int:
            result: Any = db.run(pattern, **arguments)
            if take is not None:
                return len(result.take(take))
            return int(result is not None)

        return Request(self.line, run)


class _Variant:
    """A pattern with one set of parameters given."""

    def __init__(
        self, world: World, pattern: Pattern[..., Any], key: tuple[object, ...], operation: Any, results: int | None
    ) -> None:
        names = pattern.parameters.names
        self._fixed = {n: c for n, c in zip(names, key, strict=True) if c in (True, False, None)}
        self._allowed = {n: _choices(a) for n, a in pattern.parameters.annotations.items()}
        self._tests: Sequence[Test] = [
            leaf for read in reads_in(operation) for c in (*read.conditions, *read.filters) for leaf in c.leaves()
        ]
        self.take = None
        if isinstance(operation, Query | Mixed):
            self.take = getattr(operation, "page_limit", None) or results or _PAGE
        first = reads_in(operation)[0]
        self._world = world
        constant = [c for c in (*first.conditions, *first.filters) if not _asks(c)]
        there = world.there.get(first.entity, [])
        self._others = {e: world.choice(e, ()) for e in world.there}
        found = [one for one in there if all(holds(c, one) for c in constant) and self._fits(self._bound(one))]
        by = tuple(dict.fromkeys(t.field for t in self._tests if _equals(t, first.entity)))
        whole = len(found) == len(there)
        self._choice = world.choice(first.entity, by) if whole else world.demand.choice(found, by)
        self.works = bool(found)

    def arguments(self, chance: random.Random) -> dict[str, Any]:
        """Arguments for one call."""
        assert self._choice is not None
        found = self._bound(self._choice.draw(chance), chance)
        return found if self._fits(found) else self._bound(self._choice.draw(chance))

    def _fits(self, arguments: Mapping[str, Any]) -> bool:
        """Whether all parameters have an argument, of those that they say."""
        return all(
            name in arguments and (arguments[name] is None or arguments[name] in choices if choices else True)
            for name, choices in self._allowed.items()
        )

    def _bound(self, one: Entity, chance: random.Random | None = None) -> dict[str, Any]:
        """Arguments with which this entity is found: all of them its own, but for the other end of a span."""
        found: dict[str, Any] = dict(self._fixed)
        for test in sorted(self._tests, key=lambda test: not isinstance(one, test.owner)):
            other = self._others.get(test.owner)
            owner = one if isinstance(one, test.owner) or other is None else other.draw(chance or random.Random(0))  # noqa: S311
            value = value_at(owner, test.path)
            if value is None and test.field in (CREATED, UPDATED):
                value = self._world.start  # what was made up was stored then
            if value is None:
                continue
            for operand, argument in _pairs(test, value, self._second(test, chance, value)):
                if is_symbol(operand) and argument is not None:
                    found.setdefault(operand.name, argument)
        return found

    def _second(self, test: Test, chance: random.Random | None, value: Any) -> Any:
        if chance is None or not isinstance(test, Between | IsIn):
            return value
        other = self._others.get(test.owner)
        second = None if other is None else value_at(other.draw(chance), test.path)
        return value if second is None else second


def _pairs(test: Test, value: Any, second: Any) -> Iterator[tuple[Any, Any]]:
    """Parameters in a test, with the arguments by which it finds a value."""
    match test:
        case Between(_, _, low, high):
            yield from zip((low, high), sorted([value, second]), strict=True)
        case StartsWith(_, _, prefix):
            yield prefix, value[: max(1, len(value) // 2)]
        case Contains(_, _, member):
            yield member, value[:1] if isinstance(value, str) else next(iter(value), None)
        case IsIn(_, _, values):
            yield values, list(dict.fromkeys([value, second]))
            yield from ((v, value) for v in values if is_symbol(v)) if type(values) is tuple else ()
        case _:
            yield from ((operand, value) for operand in test.operands())


def _equals(test: Test, entity: type[Entity]) -> bool:
    return (
        isinstance(test, Compare)
        and test.op == "="
        and is_symbol(test.value)
        and test.path == (test.field,)
        and test.owner is entity
    )


def _choices(annotation: Any) -> tuple[Any, ...]:
    """The values that a Literal allows; none for any other type."""
    return tuple(one for kind in members(annotation) if get_origin(kind) is Literal for one in get_args(kind))


def _asks(condition: Any) -> bool:
    return any(is_symbol(v) for leaf in condition.leaves() for given in leaf.operands() for v in _flat(given))


def _flat(value: Any) -> tuple[Any, ...]:
    return value if type(value) is tuple else (value,)


# ------------------------------------------------------------------------------------------------------------ writes


class _Writes(Caller):
    def __init__(self, world: World, line: Line) -> None:
        super().__init__(line)
        assert line.entity is not None
        if line.entity in world.refused:
            raise NotCalled(world.refused[line.entity].rstrip("."))
        self._maker = world.maker(line.entity)
        plan = self._maker.plan
        by = dict.fromkeys([*fields(plan.pk), *(() if plan.sk is None else fields(plan.sk))])
        choice = world.choice(line.entity, tuple(name for name in by if name in plan.fields))
        if choice is None:
            raise NotCalled("there is none")
        self._choice = choice

    def request(self, chance: random.Random, moment: datetime) -> Request:
        maker, kind = self._maker, self.line.kind
        if kind == "create":
            one = maker.make(moment)
            maker.created.append(one)
            run = _create(one) if maker.told_apart else _put(one)
        elif kind == "update":
            one = maker.changed(self._choice.draw(chance))
            run = _put(one)
        else:
            # What was there at the start stays, so that reads find what they are asked for.
            one = maker.created.popleft() if maker.created else maker.make(moment)
            run = _delete(one)
        return Request(self.line, run, partitions_of(maker.plan, one, moment))


def _create(one: Entity) -> Callable[[Session], int]:
    def run(db: Session) -> int:
        db.create(one)
        return 0

    return run


def _put(one: Entity) -> Callable[[Session], int]:
    def run(db: Session) -> int:
        db.put(one, returns="none")
        return 0

    return run


def _delete(one: Entity) -> Callable[[Session], int]:
    def run(db: Session) -> int:
        db.delete(one, returns="none")
        return 0

    return run
