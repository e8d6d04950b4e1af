"""Which keys a SELECT asks for: its condition taken apart into ranges of partitions, as far as keys are concerned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tablewright.engine.keys import KeyAttribute
from tablewright.engine.partiql.limits import MAX_READS
from tablewright.engine.partiql.messages import OVERLAPPING, TOO_MANY_READS, refuse
from tablewright.engine.validation.keys import KeyRefused
from tablewright.expressions import KeySchema, reduce_key_condition
from tablewright.expressions.ast import (
    And,
    Attribute,
    BeginsWith,
    Between,
    Compare,
    Condition,
    In,
    Not,
    Operand,
    Or,
    Value,
    ValueRef,
    paths_of,
)
from tablewright.values import AttributeValue

_MOST_BRANCHES = 1000
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_KEY_TAGS = frozenset({"S", "N", "B"})


@dataclass(frozen=True, slots=True)
class KeyTest:
    """What a condition asks of one key attribute."""

    key: KeyAttribute
    operator: str
    values: tuple[AttributeValue, ...]


@dataclass(slots=True)
class Bounds:
    """A range of encoded sort keys."""

    low: bytes | None = None
    low_open: bool = False
    high: bytes | None = None
    high_open: bool = False

    def narrow(self, test: KeyTest) -> None:
        """Keep to what a test on the sort key allows."""
        first = test.key.encode(test.values[0][test.key.type])
        match test.operator:
            case "=":
                self._from(first, is_open=False)
                self._to(first, is_open=False)
            case "<" | "<=":
                self._to(first, is_open=test.operator == "<")
            case ">" | ">=":
                self._from(first, is_open=test.operator == ">")
            case "between":
                self._from(first, is_open=False)
                self._to(test.key.encode(test.values[1][test.key.type]), is_open=False)
            case _:
                self._from(first, is_open=False)
                stripped = first.rstrip(b"\xff")
                if stripped:
                    self._to(stripped[:-1] + bytes((stripped[-1] + 1,)), is_open=True)

    def _from(self, low: bytes, *, is_open: bool) -> None:
        if self.low is None or low > self.low or (low == self.low and is_open):
            self.low, self.low_open = low, is_open

    def _to(self, high: bytes, *, is_open: bool) -> None:
        if self.high is None or high < self.high or (high == self.high and is_open):
            self.high, self.high_open = high, is_open

    @property
    def is_empty(self) -> bool:
        """Whether no key lies within."""
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    @property
    def is_point(self) -> bool:
        """Whether exactly one key lies within."""
        return self.low is not None and self.low == self.high and not self.low_open and not self.high_open

    def reaches(self, following: Bounds) -> bool:
        """Whether a range that begins at or behind this one's beginning begins before this one's end."""
        if self.high is None or following.low is None:
            return True
        if following.low == self.high:
            return not self.high_open and not following.low_open
        return following.low < self.high


@dataclass(slots=True)
class Branch:
    """One range of one partition, and what else its items must satisfy. No partition means that it has two."""

    partition: bytes | None
    value: AttributeValue | None
    bounds: Bounds
    filters: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class _Spread:
    """One alternative of a condition: tests on keys, and the rest."""

    tests: tuple[KeyTest, ...] = ()
    filters: tuple[Condition, ...] = ()

    def with_(self, other: _Spread) -> _Spread:
        return _Spread(self.tests + other.tests, self.filters + other.filters)


@dataclass(slots=True)
class KeyFinder:
    """Looks for tests on the keys of a table or index in conditions with these values."""

    hash: KeyAttribute
    range: KeyAttribute | None
    schema: KeySchema
    values: Mapping[str, AttributeValue]
    _found: list[KeyTest] = field(default_factory=list)

    # ------------------------------------------------------------------------------------------ one item for writes

    def equalities(self, node: Condition) -> Iterator[tuple[str, AttributeValue]]:
        """Key attributes that a condition sets equal to a value, whatever else it asks."""
        terms = node.terms if isinstance(node, And) else (node,)
        for term in terms:
            if isinstance(term, And):
                yield from self.equalities(term)
            elif (test := self._test(term)) is not None and test.operator == "=":
                yield test.key.name, test.values[0]

    # --------------------------------------------------------------------------------------------- ranges for reads

    def branches(self, node: Condition) -> list[Branch] | None:
        """Ranges that hold every item of a condition and do not overlap, in order; None when it takes a scan."""
        if not self._pins(node):
            return None
        spreads = self._spread(node)
        for test in self._found:
            self._check_types(test)
        if spreads is None or len(spreads) > MAX_READS:
            refuse(TOO_MANY_READS)
        if len(spreads) > 1 and any(map(self._is_negative, (f for spread in spreads for f in spread.filters))):
            return None
        found = list(map(self._branch, spreads))
        if any(branch.partition is None for branch in found):
            return None
        found = [branch for branch in found if not branch.bounds.is_empty]
        found.sort(key=lambda branch: (branch.partition or b"", branch.bounds.low or b"", branch.bounds.low_open))
        _check_overlap(found)
        return found

    def _pins(self, node: Condition) -> bool:
        """Whether a condition leaves a known set of partitions only."""
        match node:
            case And(terms):
                return any(map(self._pins, terms))
            case Or(terms):
                return all(map(self._pins, terms))
            case _:
                test = self._test(node)
                return test is not None and test.key is self.hash and test.operator in ("=", "in")

    def _spread(self, node: Condition) -> list[_Spread] | None:
        """The alternatives of a condition; None when there are too many to be worth counting."""
        match node:
            case And(terms):
                spreads = [_Spread()]
                for term in terms:
                    inner = self._spread(term)
                    if inner is None or len(spreads) * len(inner) > _MOST_BRANCHES:
                        return None
                    spreads = [left.with_(right) for left in spreads for right in inner]
                return spreads
            case Or(terms) if self._names_key(node):
                found: list[_Spread] = []
                for term in terms:
                    inner = self._spread(term)
                    if inner is None or len(found) + len(inner) > _MOST_BRANCHES:
                        return None
                    found.extend(inner)
                return found
            case _:
                test = self._test(node)
                if test is None or not self._is_range(test):
                    return [_Spread(filters=(node,))]
                self._found.append(test)
                if test.operator == "in":
                    return [_Spread((KeyTest(test.key, "=", (value,)),)) for value in test.values]
                return [_Spread((test,))]

    def _names_key(self, node: Condition) -> bool:
        match node:
            case And(terms) | Or(terms):
                return any(map(self._names_key, terms))
            case _:
                test = self._test(node)
                return test is not None and self._is_range(test)

    def _is_range(self, test: KeyTest) -> bool:
        return test.key is not self.hash or test.operator in ("=", "in")

    def _is_negative(self, node: Condition) -> bool:
        """Whether a filter turns down keys rather than choosing some: alternatives are then not kept apart."""
        negative = isinstance(node, Not) or (isinstance(node, Compare) and node.op == "<>")
        return negative and any(path[0] in self.schema.names for path in paths_of(node))

    def _branch(self, spread: _Spread) -> Branch:
        partition: bytes | None = None
        value: AttributeValue | None = None
        bounds, conflict = Bounds(), False
        for test in spread.tests:
            if test.key is self.hash:
                encoded = test.key.encode(test.values[0][test.key.type])
                conflict = conflict or (partition is not None and partition != encoded)
                partition, value = encoded, test.values[0]
            else:
                bounds.narrow(test)
        return Branch(None if conflict else partition, value, bounds, spread.filters)

    # ------------------------------------------------------------------------------------------------- single tests

    def _test(self, node: Condition) -> KeyTest | None:
        """A condition as a test on one key attribute with constants, or None."""
        match node:
            case Compare(op, Attribute((str() as name,)), right) if op != "<>":
                return self._of(name, op, (right,))
            case Compare(op, left, Attribute((str() as name,))) if op != "<>":
                return self._of(name, _MIRRORED[op], (left,))
            case Between(Attribute((str() as name,)), low, high):
                return self._of(name, "between", (low, high))
            case BeginsWith(Attribute((str() as name,)), prefix):
                return self._of(name, "begins_with", (prefix,))
            case In(Attribute((str() as name,)), options):
                return self._of(name, "in", options)
            case _:
                return None

    def _of(self, name: str, operator: str, operands: Sequence[Operand]) -> KeyTest | None:
        for key in (self.hash, self.range):
            if key is not None and key.name == name:
                constants = [operand for operand in operands if isinstance(operand, ValueRef)]
                if len(constants) == len(operands):
                    return KeyTest(key, operator, tuple(self.values[one.name] for one in constants))
        return None

    def _check_types(self, test: KeyTest) -> None:
        for value in test.values:
            check_key_type(test.key, value)
            if test.operator in ("=", "in") and test.key is self.hash and "" in value.values():
                # Empty keys are refused as in a Query.
                reduce_key_condition(Compare("=", Attribute((test.key.name,)), Value(value)), self.schema)


def check_key_type(key: KeyAttribute, value: AttributeValue) -> None:
    """Refuse a value that cannot be a key, or not this one."""
    (tag,) = value
    if tag not in _KEY_TAGS:
        raise KeyRefused(f"Key value must be of type S, N, or B. Key name: {key.name}, Key type: {tag}")
    if tag != key.type:
        raise KeyRefused(f"Key attribute's data type should match its data type in table's schema: Key {key.name}")


def _check_overlap(found: Sequence[Branch]) -> None:
    for branch, following in pairwise(found):
        if branch.partition == following.partition and branch.bounds.reaches(following.bounds):
            refuse(OVERLAPPING)
