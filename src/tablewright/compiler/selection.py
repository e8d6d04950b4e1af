"""What a read asks for, field by field: equalities and ranges, each with where its value comes from."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, TypeGuard, get_args, get_origin

from msgspec import Struct, field

from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.predicates import check_predicate
from tablewright.errors import ArgumentError, FieldTypeError, ModelError, PatternError, ValidationError
from tablewright.model.annotations import members, plain
from tablewright.model.conditions import (
    Between,
    Compare,
    Condition,
    Exists,
    IsIn,
    StartsWith,
    Test,
    conjuncts,
    listed_argument,
    path_text,
)
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.symbols import Symbol, has_symbols

Arguments = Mapping[str, Any]
UNKNOWN: Any = object()
RangeOperator: TypeAlias = Literal["<", "<=", ">", ">=", "between", "begins_with"]


class Source(Struct, frozen=True, eq=False):
    """Where a value comes from: a constant of the pattern, or one of its parameters."""

    name: str
    constant: Any
    get: Callable[[Arguments], Any]
    possible: tuple[Any, ...] | None = None
    """All values that it can have, when they are few and known."""


def source_of(value: Any, plan: FieldPlan, *, accept: Callable[[Any], Any] | None = None) -> Source:
    """The source of a value that is compared with a field; it is validated as the field says."""
    check = accept or plan.accept
    if type(value) is Symbol:
        name = value.name
        listed = listed_of(value.annotation)
        only = listed if get_origin(plain(value.annotation)) is Literal else None

        def get(arguments: Arguments) -> Any:
            argument = arguments[name]
            if only is not None and argument not in only:
                raise ArgumentError(f"The argument {name!r} is not one that its annotation allows.", field=name)
            try:
                return check(argument)
            except FieldTypeError as error:
                raise FieldTypeError(
                    f"The argument {name!r} does not fit {error.message}",
                    field=name,
                    constraint=error.constraint,
                    hint=error.hint,
                ) from None

        return Source(name, UNKNOWN, get, _accepted(listed, check))
    constant = check(value)
    if accept is None:
        plan.encode(constant)  # what cannot be stored cannot be found either
    return Source(plan.name, constant, lambda _: constant, (constant,))


def _listed_values(values: Any, plan: FieldPlan) -> Listed:
    if type(values) is Symbol:
        name = values.name
        one = source_of(Symbol(name, Any), plan)

        def get(arguments: Arguments) -> list[Any]:
            return [one.get({name: value}) for value in listed_argument(arguments[name])]

        return Listed(name, get)
    constants = [source_of(value, plan).constant for value in values]
    return Listed(plan.name, lambda _: constants, tuple(constants))


def listed_of(annotation: Any) -> tuple[Any, ...] | None:
    """The values of a Literal or an Enum; None where it is neither."""
    kind = plain(annotation)
    if get_origin(kind) is Literal:
        return get_args(kind)
    if len(members(kind)) == 1 and isinstance(kind, type) and issubclass(kind, enum.Enum):
        return tuple(kind)
    return None


def _accepted(listed: tuple[Any, ...] | None, check: Callable[[Any], Any]) -> tuple[Any, ...] | None:
    """Listed values as the field will hold them; None when the field does not take them all."""
    try:
        return None if listed is None else tuple(check(value) for value in listed)
    except FieldTypeError:
        return None


class Range(Struct, frozen=True, eq=False):
    """One test of a range on a field: an operator and its operands."""

    operator: RangeOperator
    operands: tuple[Source, ...]

    def facts(self, name: str) -> Iterator[Test]:
        """What its constants tell of a field."""
        low, high = self.operands[0].constant, self.operands[-1].constant
        if self.operator == "begins_with":
            yield from () if low is UNKNOWN else (StartsWith(object, (name,), low),)
        elif self.operator == "between":
            yield from () if low is UNKNOWN else (Compare(object, (name,), ">=", low),)
            yield from () if high is UNKNOWN else (Compare(object, (name,), "<=", high),)
        elif low is not UNKNOWN:
            yield Compare(object, (name,), self.operator, low)


class Listed(Struct, frozen=True, eq=False):
    """Several values that a field may have: constants of the pattern, or those that a parameter brings."""

    name: str
    get: Callable[[Arguments], list[Any]]
    possible: tuple[Any, ...] | None = None
    """All of them, when they are constants."""


class Selection(Struct, eq=False):
    """The conditions of one read, sorted out."""

    equal: dict[str, Source] = field(default_factory=dict)
    ranges: dict[str, list[Range]] = field(default_factory=dict)
    among: dict[str, Listed] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    """Fields that the items must be sorted by, as far as the read relies on it."""
    said: dict[str, list[Condition]] = field(default_factory=dict)
    """The conditions on each of these fields, as they were written."""
    others: list[Condition] = field(default_factory=list)
    """Conditions that no key takes; a sparse index may hold just the items that meet them."""

    @property
    def fields(self) -> set[str]:
        """Every field that is asked for."""
        return self.equal.keys() | self.ranges.keys() | self.among.keys()

    @property
    def possible(self) -> dict[str, tuple[Any, ...]]:
        """Fields whose value, or few possible values, are known while the pattern is compiled."""
        every: Mapping[str, Source | Listed] = {**self.equal, **self.among}
        return {n: s.possible for n, s in every.items() if s.possible is not None}

    @property
    def all_facts(self) -> list[Condition]:
        """What is known of every item that is asked for, whatever the arguments are."""
        return [*self.others, *self.facts(self.fields)]

    def facts(self, names: Iterable[str]) -> Iterator[Condition]:
        """The same of some of its fields alone."""
        possible = self.possible
        for name in sorted(self.fields.intersection(names)):
            few = possible.get(name)
            yield Exists(object, (name,)) if few is None else IsIn(object, (name,), few)
            for ranged in self.ranges.get(name, ()):
                yield from ranged.facts(name)

    def bounds(self, name: str) -> tuple[Source, Source] | None:
        """The lower and the upper bound of a field, when it has both."""
        low = high = None
        for test in self.ranges.get(name, ()):
            if test.operator in (">=", ">", "between"):
                low = test.operands[0]
            if test.operator in ("<=", "<", "between"):
                high = test.operands[-1]
        return (low, high) if low is not None and high is not None else None


def select(
    what: str,
    entity: type[Entity],
    conditions: Iterable[Condition],
    fields: Mapping[str, FieldPlan],
    *,
    only_for_keys: bool = True,
) -> Selection:
    """Sorts the conditions of a read; refuses those that no key could ever serve, unless others may be among them."""
    selection = Selection()
    for test in (part for condition in conditions for part in conjuncts(condition)):
        if not _for_keys(test):
            if only_for_keys:
                raise not_for_keys(what)
            selection.others.append(_other(what, entity, test, fields))
            continue
        plan = _field(what, entity, test, fields)
        selection.said.setdefault(test.field, []).append(test)
        try:
            if isinstance(test, Compare) and test.op == "=":
                if test.field in selection.equal:
                    raise PatternError(f"{what} has two conditions on {test.field!r}.", hint="Keep one.")
                selection.equal[test.field] = source_of(test.value, plan)
            elif isinstance(test, IsIn):
                if test.field in selection.among:
                    raise PatternError(f"{what} has two conditions on {test.field!r}.", hint="Keep one.")
                selection.among[test.field] = _listed_values(test.values, plan)
            else:
                selection.ranges.setdefault(test.field, []).append(_range(what, test, plan))
        except ValidationError as error:
            raise PatternError(f"{what}: {error.message}", hint=error.hint) from None
    kinds = [set(kind) for kind in (selection.equal, selection.ranges, selection.among)]
    for one, other in itertools.combinations(kinds, 2):
        for name in one & other:
            raise PatternError(f"{what} fixes {name!r} and gives a range for it.", hint="Keep one of the two.")
    for name, tests in selection.ranges.items():
        sides = [s for t in tests for s in _sides(t.operator)]
        if len(sides) != len(set(sides)):
            raise PatternError(f"{what} has two conditions on the same side of {name!r}.", hint="Keep one.")
    return selection


def _field(what: str, entity: type[Entity], test: Test, fields: Mapping[str, FieldPlan]) -> FieldPlan:
    if not issubclass(entity, test.owner):
        raise PatternError(
            f"{what} reads {entity.__name__}, but has a condition on {test.owner.__name__}.{test.field}.",
            hint=f"Write {entity.__name__}.{test.field}.",
        )
    if len(test.path) > 1:
        raise PatternError(
            f"{what}: {path_text(test.path)} lies inside {test.field!r}, and no key can select by it.",
            hint=f"Give {entity.__name__} a field of its own for it, or use .filter(...).",
        )
    if test.field not in fields:
        raise PatternError(
            f"{what}: {entity.__name__} has no field {test.field!r}.{did_you_mean(test.field, fields)}",
            hint="created() and updated() need an entity with timestamps.",
        )
    return fields[test.field]


def not_for_keys(what: str) -> PatternError:
    """The error for a condition that no key takes."""
    return PatternError(
        f"{what}: keys can select by ==, <, <=, >, >=, between(), starts_with() and is_in() only.",
        hint="Move other conditions into .filter(...), which reads and then drops items.",
    )


def _for_keys(condition: Condition) -> TypeGuard[Test]:
    compared = isinstance(condition, Compare) and condition.op != "<>"
    return compared or isinstance(condition, Between | StartsWith | IsIn)


def _other(what: str, entity: type[Entity], condition: Condition, fields: Mapping[str, FieldPlan]) -> Condition:
    """A condition that no key takes, with its constants as the fields hold them."""
    leaves = list(condition.leaves())
    if any(has_symbols(value) for leaf in leaves for value in leaf.operands()):
        raise not_for_keys(what)
    for leaf in leaves:
        _field(what, entity, leaf, fields)
    try:
        return check_predicate(entity.__name__, condition, fields)
    except ModelError:
        raise not_for_keys(what) from None


def _range(what: str, test: Test, plan: FieldPlan) -> Range:
    match test:
        case Compare(_, _, "<" | "<=" | ">" | ">=" as op, value):
            return Range(op, (source_of(value, plan),))
        case Between(_, _, low, high):
            return Range("between", (source_of(low, plan), source_of(high, plan)))
        case StartsWith(_, _, prefix):
            return Range("begins_with", (source_of(prefix, plan, accept=plan.prefix),))
    raise PatternError(f"{what}: {type(test).__name__} is no range.")


def _sides(operator: RangeOperator) -> tuple[str, ...]:
    return {">": ("low",), ">=": ("low",), "<": ("high",), "<=": ("high",)}.get(operator, ("low", "high"))
