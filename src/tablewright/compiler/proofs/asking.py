"""A read by one key, tried out on made-up items: with which arguments it asks for one, and what else it brings then."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from msgspec import Struct

from tablewright.compiler.keys import KeyPlan
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.predicates import compile_predicate
from tablewright.compiler.proofs.matching import Chosen, chosen_values, completions
from tablewright.compiler.proofs.samples import Choices
from tablewright.compiler.queries import serve_by
from tablewright.compiler.reads import KeyQuery, QueryPlan
from tablewright.compiler.reasons import Refusal
from tablewright.compiler.selection import UNKNOWN, Selection
from tablewright.compiler.served import Served
from tablewright.errors import TablewrightError
from tablewright.expressions.ast import And
from tablewright.expressions.evaluating import evaluate
from tablewright.values.types import Item

_MOST = 60
"""How many items are tried."""
_MOST_ARGUMENTS = 100
"""How many arguments are tried for each of them."""


class Attempt(Struct, frozen=True, eq=False):
    """A read by one key, as far as it comes when nobody else is there."""

    path: KeyPath
    selection: Selection
    needs: frozenset[str] | None
    chosen: bool
    strong: bool
    whole_key: bool

    def served(self) -> Served | None:
        """The read itself; None where the key cannot serve it for another reason."""
        found = self.tried()
        return None if isinstance(found, Refusal) else found

    def tried(self) -> Served | Refusal:
        """The read itself, or why the key cannot serve it."""
        try:
            return serve_by(
                self.path,
                self.selection,
                (),
                self.needs,
                chosen=self.chosen,
                strong=self.strong,
                whole_key=self.whole_key,
                filtering=True,
            )
        except Refusal as no:
            return no

    def choices(self) -> Choices:
        """What the fields of an item that it asks for can be."""
        fixed = {name: list(values) for name, values in self.selection.possible.items()}
        found = Choices(self.path.plan, fixed, self._fits)
        for name, tests in self.selection.ranges.items():
            constants = [s.constant for test in tests for s in test.operands if s.constant is not UNKNOWN]
            around = [value for constant in constants for value in _around(constant)]
            found.prefer(name, around)
            if not found.of(name):
                # Nothing lies in the range, but somewhere its request looks.
                found.allow(name, around)
        return found

    def _fits(self, name: str, value: Any) -> bool:
        """Whether a value lies in the range of constants that is asked for."""
        facts = (fact for test in self.selection.ranges.get(name, ()) for fact in test.facts(name))
        return all(compile_predicate(fact)({name: value}) for fact in facts)


def _around(value: Any) -> list[Any]:
    match value:
        case str():
            return [value, f"{value}a", ""]
        case date():
            return [value, value + timedelta(days=1), value - timedelta(days=1)]
        case int() | Decimal() if not isinstance(value, bool):
            return [value, value + 1, value - 1]
    return [value]


def _least(value: Any) -> list[Any]:
    """About the least value of its type: a range from there leaves nothing out."""
    match value:
        case datetime():
            return [datetime(1, 1, 2, tzinfo=UTC)]
        case date():
            return [date.min]
        case int() | Decimal() if not isinstance(value, bool):
            return [0, -99, -(10**6)]
        case str():
            return ["0"]
    return []


def _greatest(value: Any) -> list[Any]:
    match value:
        case datetime():
            return [datetime(9999, 12, 30, tzinfo=UTC)]
        case date():
            return [date.max]
        case int() | Decimal() if not isinstance(value, bool):
            return [99, 10**6]
        case str():
            return ["~", "\U0010fffd"]
    return []


class Reader:
    """A read that this key would serve if nobody else were there."""

    def __init__(self, served: Served, selection: Selection, choices: Choices) -> None:
        self._served = served
        self._selection = selection
        self._choices = choices

    def asking(self, chosen: Chosen) -> Iterator[tuple[Chosen, Item, dict[str, Any]]]:
        """Items with these values that it asks for: all their values, their key there, and the arguments."""
        path = self._served.path
        for values in itertools.islice(completions(path.plan, path.binding, chosen, self._choices), _MOST):
            key = encoded((*path.pk, *path.sk), values)
            if key is not None:
                for arguments in self._arguments(values):
                    if self.reads(arguments, key):
                        yield values, key, arguments

    def anyhow(self, chosen: Chosen) -> Iterator[dict[str, Any]]:
        """Arguments with these values, whether or not there can be an item that is asked for with them."""
        open_ranges = {
            n for n, t in self._selection.ranges.items() if any(s.constant is UNKNOWN for r in t for s in r.operands)
        }
        names = self._selection.equal.keys() | self._selection.among.keys() | open_ranges
        for values in itertools.islice(chosen_values(sorted(names), chosen, self._choices), _MOST):
            yield from self._arguments(values)

    def _arguments(self, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Arguments with which the read asks for these values; for ranges some that may hold them."""
        return itertools.islice(self._every_arguments(values), _MOST_ARGUMENTS)

    def _every_arguments(self, values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        selection = self._selection
        found = {s.name: values[n] for n, s in selection.equal.items() if s.constant is UNKNOWN}
        found |= {listed.name: [values[n]] for n, listed in selection.among.items()}
        ranged: dict[str, list[Any]] = {}
        for name, tests in selection.ranges.items():
            for test in tests:
                for position, source in enumerate(test.operands):
                    if source.constant is UNKNOWN:
                        lower = test.operator in (">", ">=") or (test.operator == "between" and position == 0)
                        widest = _least(values[name]) if lower else _greatest(values[name])
                        ranged[source.name] = [*_around(values[name]), *widest, *self._choices.of(name)[:4]]
        for combination in itertools.product(*ranged.values()):
            yield {**found, **dict(zip(ranged, combination, strict=True))}

    def reads(self, arguments: Mapping[str, Any], key: Item) -> bool:
        """Whether the request for these arguments brings an item with this key."""
        served = self._served
        try:
            for spot in served.spots(arguments):
                if all(key.get(name) == value for name, value in spot.partition.items()):
                    for terms in served.sort.conditions(arguments, spot.values):
                        if not terms or evaluate(And(tuple(terms)), key):
                            return True
        except TablewrightError:
            return False
        return False

    def request(self, arguments: Mapping[str, Any], key: Item) -> KeyQuery | None:
        """The request that brings an item with this key."""
        plan, table = self._served.path.plan, self._served.path.plan.table
        read = QueryPlan(plan, self._served, strong=False, descending=False, page_limit=None, filters=())
        return next((q for q in read.queries(arguments, table.name) if evaluate(And(q.terms), key)), None)


def encoded(keys: tuple[KeyPlan, ...], values: Mapping[str, Any]) -> Item | None:
    """The key attributes of these values; None where a key cannot hold them."""
    try:
        return {key.attribute.name: key.encode(values) for key in keys}
    except (TablewrightError, KeyError):
        return None
