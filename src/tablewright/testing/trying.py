"""Every access pattern, run on known data and compared with what a look at each entity finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Literal, TypeGuard, get_args, get_origin

from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.client.session import Session
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import CollectionPlan, MixedPlan, QueryPlan
from tablewright.errors import TablewrightError
from tablewright.model.annotations import members
from tablewright.model.conditions import Between, Compare, Condition, Contains, IsIn, StartsWith, Test
from tablewright.model.entity import Entity
from tablewright.model.operations import Collection, Get, Mixed, Query, reads_in
from tablewright.model.pattern import Pattern
from tablewright.model.symbols import is_symbol
from tablewright.table import Table
from tablewright.testing.naive import holds, in_order, matching, same_place, value_at

_OWN = 60
"""With the arguments of how many entities a variant is called, at most."""
_MIXED = 4
"""How often with arguments of two entities."""


class TriedPattern(Struct, frozen=True):
    """How an access pattern did."""

    name: str
    """The pattern."""
    calls: int = 0
    """How often it was run, each time with other arguments."""
    items: int = 0
    """How many items all of that found."""
    problems: tuple[str, ...] = field(default_factory=tuple)
    """What was wrong; nothing, if it did well. No values are told."""

    @property
    def well(self) -> bool:
        """Whether nothing was wrong."""
        return not self.problems


def try_patterns(db: Session, table: Table, data: Sequence[Entity]) -> list[TriedPattern]:
    """Runs every pattern of a table in every variant, and compares what it finds with what a look at each entity finds.

    `data` is all that the table holds: `db.put(...)` each of it first. Arguments are taken from it. A pattern that finds
    nothing at all, though arguments come from stored entities, has a problem too: nothing was proved about it.
    """
    everything = [*data, *_mirrors(table, data)]
    return [_Trial(db, table, pattern, everything).run() for pattern in table.patterns.values()]


def assert_patterns(db: Session, table: Table, data: Sequence[Entity]) -> None:
    """Fails where a pattern of the table does not find what it should: see `try_patterns`."""
    wrong = [f"{tried.name}(): {problem}" for tried in try_patterns(db, table, data) for problem in tried.problems]
    if wrong:
        raise AssertionError("\n".join(wrong))


def _mirrors(table: Table, data: Sequence[Entity]) -> Iterator[Entity]:
    """The other item of each link, which is written with the one that is given."""
    known = list(data)
    for entity in data:
        mirror = table.mirrors.get(type(entity))
        if mirror is not None:
            other = mirror(**{name: getattr(entity, name) for name in type(entity).model_fields})
            if other not in known:
                yield other


class _Trial:
    """One pattern under trial."""

    def __init__(self, db: Session, table: Table, pattern: Pattern[..., Any], data: Sequence[Entity]) -> None:
        self._db = db
        self._plan: TablePlan = table.plan
        self._pattern = pattern
        self._data = data
        self._problems: list[str] = []
        self._found = 0

    def run(self) -> TriedPattern:
        calls = 0
        for key, operation in self._pattern.variants.items():
            for arguments in self._calls(key, operation):
                calls += 1
                self._call(operation, arguments)
        if not self._found and not self._problems:
            self._problems.append(
                "no call found anything, so that nothing is known of it; store items that it should find."
            )
        return TriedPattern(self._pattern.name, calls, self._found, tuple(dict.fromkeys(self._problems)))

    # -------------------------------------------------------------------------------------------- the arguments

    def _calls(self, key: tuple[object, ...], operation: Any) -> Iterator[dict[str, Any]]:
        """Arguments of stored entities: all from one, so that something is found, then mixed, so that less is. What must be
        more or less than an argument, or another, is not found by its own: there they are those next to it as well."""
        fixed = {n: c for n, c in zip(self._pattern.parameters.names, key, strict=True) if c in (True, False, None)}
        candidates = self._candidates(operation)
        tests = [leaf for r in reads_in(operation) for c in (*r.conditions, *r.filters) for leaf in c.leaves()]
        turns = [candidates[position] for position in _turns(candidates, tests)]
        known: list[dict[str, Any]] = []
        beside = [(0, True)] if any(map(_apart, tests)) else []
        for away, past in [(0, False), *beside, *((away, False) for away in range(1, _MIXED + 1))]:
            most = len(known) + (1 if away else _OWN)
            for position, one in enumerate(turns):
                if len(known) == most:
                    break
                other = turns[(position + away) % len(turns)]
                arguments = {**fixed, **self._arguments(tests, one, other, past=past)}
                if arguments not in known and self._allowed(arguments):
                    known.append(arguments)
                    yield arguments

    def _candidates(self, operation: Any) -> list[Entity]:
        """Entities that a read could be about, of each kind that it reads in turn."""
        kinds = []
        for read in reads_in(operation):
            constant = [c for c in (*read.conditions, *read.filters) if not _asks(c)]
            found = [e for e in self._data if type(e) is read.entity]
            kinds.append([e for e in found if all(holds(c, e) for c in constant)] or found)
        turns = zip_longest(*kinds)
        return list({id(e): e for turn in turns for e in turn if e is not None}.values())

    def _allowed(self, arguments: Mapping[str, Any]) -> bool:
        """Whether all parameters have an argument, of the type that they say."""
        return all(
            name in arguments and (arguments[name] is None or _fits(arguments[name], annotation))
            for name, annotation in self._pattern.parameters.annotations.items()
        )

    def _arguments(self, tests: Sequence[Test], one: Entity, other: Entity, *, past: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for position, test in enumerate(sorted(tests, key=lambda test: not isinstance(one, test.owner))):
            owner = one if position == 0 or type(one) is not type(other) else other
            if not isinstance(owner, test.owner):
                owner = next((e for e in self._data if isinstance(e, test.owner)), owner)
            value = value_at(owner, test.path)
            if value is None:
                continue
            if past and _apart(test):
                value = self._beside(test, value)
            match test:
                case Between(_, _, low, high):
                    second = value_at(one, test.path)
                    bounds = sorted([value, value if second is None else second])
                    pairs = [(low, bounds[0]), (high, bounds[1])]
                case StartsWith(_, _, prefix):
                    pairs = [(prefix, value[: max(1, len(value) // 2)])]
                case Contains(_, _, member):
                    pairs = [(member, value[:1] if isinstance(value, str) else next(iter(value), None))]
                case IsIn(_, _, values):
                    pairs = [(values, list(dict.fromkeys([value, value_at(one, test.path)])))]
                    pairs += [(v, value) for v in values if is_symbol(v)] if type(values) is tuple else []
                case _:
                    pairs = [(operand, value) for operand in test.operands()]
            for operand, argument in pairs:
                if is_symbol(operand) and argument is not None:
                    found.setdefault(operand.name, argument)
        return found

    def _beside(self, test: Compare, value: Any) -> Any:
        """The stored value by which whoever has this one is found; this one, if there is none."""
        held = [v for e in self._data if isinstance(e, test.owner) and (v := value_at(e, test.path)) is not None]
        match test.op:
            case ">":
                return max((v for v in held if v < value), default=value)
            case "<":
                return min((v for v in held if v > value), default=value)
        return next((v for v in held if v != value), value)

    # -------------------------------------------------------------------------------------------- the comparison

    def _call(self, operation: Any, arguments: Mapping[str, Any]) -> None:
        if isinstance(operation, Get):
            meeting = len(matching(operation, arguments, self._data))
            if meeting > 1:
                self._problems.append(f"it gets one item, and {meeting} meet its conditions.")
                return
        try:
            result = self._db.run(self._pattern, **arguments)
            got = result.all() if isinstance(operation, Query | Mixed) else result
        except TablewrightError as error:
            self._problems.append(f"it failed: {error.message}")
            return
        compiled = operation.compiled
        match operation:
            case Get():
                self._compare_one(operation, arguments, got)
            case Collection():
                self._compare_collection(operation, compiled, arguments)
            case _:
                self._compare_many(operation, compiled, arguments, got)

    def _compare_one(self, operation: Get[Any], arguments: Mapping[str, Any], got: Any) -> None:
        expected = matching(operation, arguments, self._data)
        if not expected:
            if got is not None:
                self._problems.append("it found an item where none meets its conditions.")
        elif got is None:
            self._problems.append("it found nothing where an item meets its conditions.")
        elif not _alike(got, expected[0]):
            self._problems.append("it found another item than the one that meets its conditions.")
        else:
            self._found += 1

    def _compare_many(
        self, operation: Any, compiled: QueryPlan | MixedPlan, arguments: Mapping[str, Any], got: list[Any]
    ) -> None:
        expected = [e for read in reads_in(operation) for e in matching(read, arguments, self._data)]
        problem = self._difference(compiled, got, expected)
        if problem is None:
            self._found += len(got)
        else:
            self._problems.append(f"it {problem}.")

    def _difference(self, compiled: QueryPlan | MixedPlan, got: list[Any], expected: list[Entity]) -> str | None:
        """What is wrong with a list; where the sort key does not tell items apart, any order of them is right."""
        left = in_order(self._plan, compiled, expected)
        skipped = False
        for item in got:
            position = next((i for i, e in enumerate(left) if _alike(item, e)), None)
            if position is None:
                return "found an item that does not meet its conditions, or one item twice"
            skipped |= any(not same_place(self._plan, compiled, left[position], e) for e in left[:position])
            del left[position]
        if left:  # what is left out was skipped as well
            return f"left out {len(left)} of {len(expected)} items that meet its conditions"
        return "found items in another order than that of its sort key" if skipped else None

    def _compare_collection(
        self, operation: Collection[Any], compiled: CollectionPlan, arguments: Mapping[str, Any]
    ) -> None:
        """Compares part by part: the object that the caller makes of them is the caller's own."""
        bare = replace(operation, compiled=replace(compiled, make=dict), arguments=arguments)
        got: Mapping[str, Any] = self._db.execute(bare)
        for part, planned in zip(operation.parts, compiled.parts, strict=True):
            expected = matching(part.query, arguments, self._data)
            found = got[part.name]
            if part.many:
                problem = self._difference(planned.query, found, expected)
                count = len(found)
            else:
                first = in_order(self._plan, planned.query, expected)[:1]
                right = found is None if not first else found is not None and _alike(found, first[0])
                problem = None if right else "found another item than the first that meets its conditions"
                count = len(first)
            if problem is None:
                self._found += count
            else:
                self._problems.append(f"its part {part.name!r} {problem}.")


def _turns(candidates: Sequence[Entity], tests: Sequence[Test]) -> list[int]:
    """In which order entities give arguments: from all over the data, and first those that share with most others what is
    asked for first, so that there is an order to keep and something to leave out."""
    step = max(1, len(candidates) // _MIXED)
    spread = sorted(range(len(candidates)), key=lambda position: (position % step, position))
    alike: dict[str, list[int]] = {}
    for position in spread:
        one = candidates[position]
        asked = next((repr(value_at(one, test.path)) for test in tests if isinstance(one, test.owner)), "")
        alike.setdefault(asked, []).append(position)
    crowded = sorted(alike.values(), key=len, reverse=True)
    return [group[turn] for turn in range(len(spread)) for group in crowded if turn < len(group)]


def _apart(test: Test) -> TypeGuard[Compare]:
    """Whether a value does not pass a test whose argument it is."""
    return isinstance(test, Compare) and test.op in ("<", ">", "<>") and is_symbol(test.value)


def _asks(condition: Condition) -> bool:
    """Whether a condition has a parameter in it."""
    return any(is_symbol(value) for leaf in condition.leaves() for given in leaf.operands() for value in _flat(given))


def _flat(value: Any) -> tuple[Any, ...]:
    return value if type(value) is tuple else (value,)


def _fits(value: Any, annotation: Any) -> bool:
    allowed = [choice for kind in members(annotation) if get_origin(kind) is Literal for choice in get_args(kind)]
    return not allowed or value in allowed


def _alike(got: Any, expected: Entity) -> bool:
    """Whether a result is this entity, or a view of it."""
    if type(got) is type(expected):
        return bool(got == expected)
    shared = [name for name in type(got).model_fields if name in type(expected).model_fields]
    return all(_plain(getattr(got, name)) == _plain(getattr(expected, name)) for name in shared)


def _plain(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else value
