"""Whether one condition follows from another, whatever the values are; doubt counts as no.

What is known is taken apart into cases, each a list of tests that hold together: one for each value of a list and for each
value that a field with few of them can have. What follows must hold in every case that can be.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from enum import Flag
from typing import Any, TypeAlias

from msgspec import Struct

from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.predicates import compile_predicate
from tablewright.compiler.selection import listed_of
from tablewright.model.annotations import plain, without_none
from tablewright.model.conditions import (
    AllOf,
    AnyOf,
    Between,
    Compare,
    Condition,
    Exists,
    IsIn,
    Missing,
    Negated,
    StartsWith,
    Test,
)
from tablewright.model.symbols import has_symbols

_MOST_CASES = 1000
Fields: TypeAlias = Mapping[str, FieldPlan]
Known: TypeAlias = tuple[Test, bool]
"""A test, and whether it holds or does not."""
Case: TypeAlias = tuple[Known, ...]


def follows(wanted: Condition, known: Iterable[Condition], fields: Fields) -> bool:
    """Whether every item of which all `known` conditions hold meets the wanted one as well."""
    premises = [*known, *_choices((wanted, *known), fields)]
    if any(has_symbols(value) for leaf in wanted.leaves() for value in leaf.operands()):
        return False
    names = {leaf.field for condition in (wanted, *premises) for leaf in condition.leaves()}
    facts = _Facts(
        frozenset(name for name in names if not fields[name].nullable),
        frozenset(name for name in names if plain(without_none(fields[name].annotation)) is int),
    )
    told = [one for one in (_Told(case, facts) for case in _cases(premises)) if one.possible]
    # What cannot be at all says nothing of what is asked for.
    return bool(told) and all(one.holds(wanted) is True for one in told)


class _Facts(Struct, frozen=True):
    """What is known of fields in every case: which always have a value, and which are whole numbers."""

    present: frozenset[str]
    whole: frozenset[str]


def _choices(conditions: Iterable[Condition], fields: Fields) -> Iterator[Condition]:
    """That a field has one of the few values of its type, or none."""
    for name in sorted({leaf.field for condition in conditions for leaf in condition.leaves()}):
        kind = without_none(fields[name].annotation)
        listed = (True, False) if plain(kind) is bool else listed_of(kind)
        if listed is None or any(isinstance(value, Flag) for value in listed):
            continue
        few: Condition = IsIn(object, (name,), tuple(value for value in listed if value is not None))
        yield AnyOf((few, Missing(object, (name,)))) if fields[name].nullable or None in listed else few


# --------------------------------------------------------------------------------------------------------------- cases


def _cases(conditions: Iterable[Condition]) -> list[Case]:
    """The conditions as cases; what would make too many is left out, which only makes less known."""
    found: list[Case] = [()]
    for condition in sorted((_spread(c, positive=True) for c in conditions), key=len):
        if len(found) * len(condition) <= _MOST_CASES:
            found = [(*one, *more) for one, more in itertools.product(found, condition)]
    return found


def _spread(condition: Condition, *, positive: bool) -> list[Case]:
    match condition:
        case Negated(inner):
            return _spread(inner, positive=not positive)
        case AllOf(parts) | AnyOf(parts):
            if isinstance(condition, AllOf) is positive:
                every = [_spread(part, positive=positive) for part in parts]
                if math.prod(map(len, every)) > _MOST_CASES:
                    return [()]
                return [tuple(itertools.chain.from_iterable(case)) for case in itertools.product(*every)]
            return [case for part in parts for case in _spread(part, positive=positive)]
        case IsIn(owner, path, tuple() as values):
            equal = [(Compare(owner, path, "=", value), positive) for value in values]
            return [(one,) for one in equal] if positive else [tuple(equal)]
        case Compare(owner, path, "<>", value):
            return [((Compare(owner, path, "=", value), not positive),)]
        case Test():
            return [((condition, positive),)]
    return [()]


# --------------------------------------------------------------------------------------------------- what a case tells


class _Told:
    """What the tests of one case tell about each field."""

    def __init__(self, case: Case, facts: _Facts) -> None:
        self._case = case
        self._values: dict[str, Any] = {}
        self._present = set(facts.present)
        self._lows: dict[str, list[tuple[Any, bool]]] = {}
        self._highs: dict[str, list[tuple[Any, bool]]] = {}
        """Bounds, each with whether it is itself among the values; they hold where there is a value."""
        self._prefixes: dict[str, list[str]] = {}
        self._whole = facts.whole
        for test, positive in case:
            if len(test.path) == 1 and not any(has_symbols(value) for value in test.operands()):
                self._learn(test, positive=positive)

    def _learn(self, test: Test, *, positive: bool) -> None:
        name = test.field
        if positive is not isinstance(test, Missing):
            self._present.add(name)
        match test, positive:
            case Compare(_, _, "=", value), True:
                self._values.setdefault(name, value)
            case (Missing(), True) | (Exists(), False):
                self._values.setdefault(name, None)
            case (Compare(_, _, ">" | ">=" as op, value), True) | (Compare(_, _, "<" | "<=" as op, value), False):
                self._lower(name, value, inclusive=op in (">=", "<"))
            case (Compare(_, _, "<" | "<=" as op, value), True) | (Compare(_, _, ">" | ">=" as op, value), False):
                self._upper(name, value, inclusive=op in ("<=", ">"))
            case Between(_, _, low, high), True:
                self._lower(name, low, inclusive=True)
                self._upper(name, high, inclusive=True)
            case StartsWith(_, _, prefix), True:
                self._prefixes.setdefault(name, []).append(prefix)
                self._lower(name, prefix, inclusive=True)
            case _:
                pass

    def _lower(self, name: str, value: Any, *, inclusive: bool) -> None:
        if name in self._whole and not inclusive:
            value, inclusive = value + 1, True
        self._lows.setdefault(name, []).append((value, inclusive))

    def _upper(self, name: str, value: Any, *, inclusive: bool) -> None:
        if name in self._whole and not inclusive:
            value, inclusive = value - 1, True
        self._highs.setdefault(name, []).append((value, inclusive))

    @property
    def possible(self) -> bool:
        """Whether there can be such an item, as far as one test after the other tells."""
        return not any(self.test(test) is (not positive) for test, positive in self._case)

    def holds(self, condition: Condition) -> bool | None:
        """Whether a condition holds, does not, or None where that is not known."""
        match condition:
            case Negated(inner):
                found = self.holds(inner)
                return None if found is None else not found
            case AllOf(parts):
                return _every([self.holds(part) for part in parts])
            case AnyOf(parts):
                return _any([self.holds(part) for part in parts])
            case Test():
                return self.test(condition)
        return None

    def test(self, test: Test) -> bool | None:
        """The same for one test."""
        name = test.field
        if len(test.path) != 1 or any(has_symbols(value) for value in test.operands()):
            return None
        try:
            if name in self._values:
                return bool(compile_predicate(test)(self._values))
            return self._by_bounds(test, name)
        except (TypeError, ArithmeticError):  # values of several types, which have no order among them
            return None

    def _by_bounds(self, test: Test, name: str) -> bool | None:
        present = name in self._present or None
        match test:
            case Exists():
                return present
            case Missing():
                return None if present is None else False
            case Compare(_, _, "=", value):
                return False if self._excludes(name, value) else self._said(test)
            case Compare(owner, path, "<>", value):
                return self.holds(Negated(Compare(owner, path, "=", value)))
            case Compare(_, _, ">" | ">=" as op, value):
                inside, outside = (
                    self._above(name, value, equal=op == ">="),
                    self._below(name, value, equal=op == ">"),
                )
                return _within(present, inside=inside, outside=outside)
            case Compare(_, _, "<" | "<=" as op, value):
                inside, outside = (
                    self._below(name, value, equal=op == "<="),
                    self._above(name, value, equal=op == "<"),
                )
                return _within(present, inside=inside, outside=outside)
            case Between(owner, path, low, high):
                return _every([self.test(Compare(owner, path, ">=", low)), self.test(Compare(owner, path, "<=", high))])
            case IsIn(owner, path, values):
                return _any([self.test(Compare(owner, path, "=", value)) for value in values])
            case StartsWith(_, _, prefix):
                known = self._prefixes.get(name, [])
                inside = any(p.startswith(prefix) for p in known)
                outside = any(not p.startswith(prefix) and not prefix.startswith(p) for p in known)
                return _within(present, inside=inside, outside=outside)
        return self._said(test)

    def _said(self, test: Test) -> bool | None:
        """Whether the case says so in these very words."""
        for said, positive in self._case:
            if type(said) is type(test) and said.path == test.path and said.operands() == test.operands():
                return positive
        return None

    def _above(self, name: str, value: Any, *, equal: bool) -> bool:
        """Whether all that it can be is greater than a value, or `equal` to it."""
        return any(low > value or (low == value and (equal or not own)) for low, own in self._lows.get(name, ()))

    def _below(self, name: str, value: Any, *, equal: bool) -> bool:
        return any(high < value or (high == value and (equal or not own)) for high, own in self._highs.get(name, ()))

    def _excludes(self, name: str, value: Any) -> bool:
        apart = any(not value.startswith(prefix) for prefix in self._prefixes.get(name, ()))
        return apart or self._above(name, value, equal=False) or self._below(name, value, equal=False)


def _within(present: bool | None, *, inside: bool, outside: bool) -> bool | None:
    """A comparison of what is inside or outside of its range; of no value, none holds."""
    return False if outside else True if inside and present else None


def _every(found: list[bool | None]) -> bool | None:
    return False if False in found else None if None in found else True


def _any(found: list[bool | None]) -> bool | None:
    return True if True in found else None if None in found else False
