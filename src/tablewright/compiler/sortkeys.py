"""Conditions on a sort key, worked out for given arguments: closed ranges of template keys, or native comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tablewright.compiler.keys import NativeKey, TemplateKey
from tablewright.compiler.selection import Arguments, Range
from tablewright.expressions import ast
from tablewright.values.keycodec import KeyRange, field_range, subtree


@dataclass(frozen=True, slots=True, eq=False)
class NoSort:
    """The key has no sort part, or none of it matters."""

    complete: ClassVar[bool] = True

    def conditions(self, arguments: Arguments, values: Mapping[str, Any]) -> list[list[ast.Condition]]:
        """One alternative without any condition."""
        return [[]]

    def shown(self) -> str:
        """For people."""
        return ""


@dataclass(frozen=True, slots=True, eq=False)
class TemplateSort:
    """The first `count` segments are fixed; then perhaps a range on the next field."""

    key: TemplateKey
    count: int
    ranged: str | None
    tests: tuple[Range, ...]
    complete: bool

    def ranges(self, arguments: Arguments, values: Mapping[str, Any]) -> KeyRange:
        """The keys that are asked for."""
        bound, known = self.key.bound, self.key.with_derived(values) if self.key.derived else values
        if self.complete:
            text = bound.encode(known)
            return KeyRange(text, text)
        if not self.tests:
            return subtree(bound, known, self.count)
        assert self.ranged is not None
        found: KeyRange | None = None
        for test in self.tests:
            operands = [source.get(arguments) for source in test.operands]
            part = field_range(bound, known, self.ranged, test.operator, *operands)  # type: ignore[arg-type]
            found = part if found is None else _both(found, part)
        assert found is not None
        return found

    def conditions(self, arguments: Arguments, values: Mapping[str, Any]) -> list[list[ast.Condition]]:
        """The alternatives to ask for: usually one, none for an empty range, two where a key must be read apart."""
        keys = self.ranges(arguments, values)
        if keys.empty:
            return []
        attribute = ast.Attribute((self.key.attribute.name,))
        alternatives = [_range_condition(attribute, keys)]
        if keys.also is not None:
            alternatives.insert(0, [ast.Compare("=", attribute, ast.Value({"S": keys.also}))])
        return alternatives

    def shown(self) -> str:
        """For people: the condition with its parameters by name."""
        name, separator = self.key.attribute.name, self.key.bound.style.separator
        segments = [str(s) for s in self.key.bound.segments]
        start = separator.join(segments[: self.count])
        if self.complete:
            return f"{name} = {start}"
        bound = self.key.bound.style.bound
        if not self.tests:
            return f"{name} BETWEEN {start} AND {start}{bound}" if start else ""
        lead = start + separator if start else ""
        parts = []
        for test in self.tests:
            shown = [lead + s.shown for s in test.operands]
            if test.operator == "begins_with":
                parts.append(f"begins_with({name}, {shown[0]})")
            elif test.operator == "between":
                parts.append(f"{name} BETWEEN {shown[0]} AND {shown[1]}{bound}")
            elif start:
                low, high = (
                    (shown[0], f"{start}{bound}") if test.operator in (">", ">=") else (start, f"{shown[0]}{bound}")
                )
                parts.append(f"{name} BETWEEN {low} AND {high}")
            else:
                parts.append(f"{name} {test.operator} {shown[0]}")
        return " AND ".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class NativeSort:
    """Attributes of a multi-attribute key: equalities from the left, then perhaps one range."""

    fixed: tuple[NativeKey, ...]
    ranged: NativeKey | None
    test: Range | None
    complete: bool

    def conditions(self, arguments: Arguments, values: Mapping[str, Any]) -> list[list[ast.Condition]]:
        """One alternative."""
        terms: list[ast.Condition] = [
            ast.Compare("=", ast.Attribute((k.attribute.name,)), ast.Value(k.encode(values))) for k in self.fixed
        ]
        if self.ranged is not None and self.test is not None:
            ranged = self.ranged
            attribute = ast.Attribute((ranged.attribute.name,))
            operands = [ast.Value(ranged.encode({ranged.field.name: s.get(arguments)})) for s in self.test.operands]
            if self.test.operator == "between":
                terms.append(ast.Between(attribute, operands[0], operands[1]))
            elif self.test.operator == "begins_with":
                terms.append(ast.BeginsWith(attribute, operands[0]))
            else:
                terms.append(ast.Compare(self.test.operator, attribute, operands[0]))  # type: ignore[arg-type]
        return [terms]

    def shown(self) -> str:
        """For people."""
        parts = [f"{k.attribute.name} = {{{k.field.name}}}" for k in self.fixed]
        if self.ranged is not None and self.test is not None:
            name, shown = self.ranged.attribute.name, [s.shown for s in self.test.operands]
            if self.test.operator == "between":
                parts.append(f"{name} BETWEEN {shown[0]} AND {shown[1]}")
            elif self.test.operator == "begins_with":
                parts.append(f"begins_with({name}, {shown[0]})")
            else:
                parts.append(f"{name} {self.test.operator} {shown[0]}")
        return " AND ".join(parts)


SortPlan = NoSort | TemplateSort | NativeSort


def _both(one: KeyRange, other: KeyRange) -> KeyRange:
    """The keys in both ranges."""
    low = max((b for b in (one.low, other.low) if b is not None), default=None)
    high = min((b for b in (one.high, other.high) if b is not None), default=None)
    empty = one.empty or other.empty or (low is not None and high is not None and low > high)
    return KeyRange(low, high, empty=empty, exact=one.exact and other.exact)


def _range_condition(attribute: ast.Attribute, keys: KeyRange) -> list[ast.Condition]:
    def value(text: str) -> ast.Value:
        return ast.Value({"S": text})

    if keys.prefix is not None:
        return [ast.BeginsWith(attribute, value(keys.prefix))]
    if keys.low is not None and keys.high is not None:
        if keys.low == keys.high:
            return [ast.Compare("=", attribute, value(keys.low))]
        return [ast.Between(attribute, value(keys.low), value(keys.high))]
    if keys.low is not None:
        return [ast.Compare(">=", attribute, value(keys.low))]
    if keys.high is not None:
        return [ast.Compare("<=", attribute, value(keys.high))]
    return []
