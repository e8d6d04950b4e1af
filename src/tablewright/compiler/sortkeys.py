"""Conditions on a sort key, worked out for given arguments: closed ranges of template keys, or native comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from tablewright.compiler.keys import NativeKey, TemplateKey
from tablewright.compiler.selection import UNKNOWN, Arguments, Range, Source
from tablewright.compiler.showing import ShownTerm, shown_equal, shown_segments, shown_value
from tablewright.expressions import ast
from tablewright.values.keycodec import BoundField, KeyRange, after_prefix, field_range, past, subtree, through
from tablewright.values.ordering import sort_bytes
from tablewright.values.sizes import text_size

Known = Mapping[str, Source]


class NoSort(Struct, frozen=True, eq=False):
    """The key has no sort part."""

    complete: ClassVar[bool] = True

    def conditions(self, arguments: Arguments, values: Mapping[str, Any]) -> list[list[ast.Condition]]:
        """One alternative without any condition."""
        return [[]]

    def terms(self, known: Known) -> list[ShownTerm]:
        """For people: nothing."""
        return []


class TemplateSort(Struct, frozen=True, eq=False):
    """The first `count` segments are fixed; then perhaps a range on the next field."""

    key: TemplateKey
    count: int
    ranged: str | None
    tests: tuple[Range, ...]
    below: bool = False
    """Whether somebody else's item may stand exactly at the fixed segments, and must not be read."""

    @property
    def complete(self) -> bool:
        """Whether the whole key is fixed."""
        return self.count == len(self.key.bound.segments)

    def ranges(self, arguments: Arguments, values: Mapping[str, Any]) -> KeyRange:
        """The keys that are asked for."""
        return _within(self._ranges(arguments, values), self.key.bound.limit)

    def _ranges(self, arguments: Arguments, values: Mapping[str, Any]) -> KeyRange:
        bound, known = self.key.bound, self.key.with_derived(values) if self.key.derived else values
        if self.complete:
            text = bound.encode(known)
            return KeyRange(text, text)
        if self.ranged is None:
            return self._subtree(known)
        found: KeyRange | None = None
        for test in self.tests:
            operands = [source.get(arguments) for source in test.operands]
            part = field_range(bound, known, self.ranged, test.operator, *operands)
            found = part if found is None else _both(found, part)
        assert found is not None
        return found

    def _subtree(self, values: Mapping[str, Any]) -> KeyRange:
        bound, style = self.key.bound, self.key.bound.style
        if self.count and (self.below or not style.strict):
            # Every key of this template goes on with the separator, so what merely begins alike stays outside.
            start = bound.prefix(values, self.count)
            prefix = start + style.separator
            return KeyRange(prefix, start + style.bound) if style.strict else KeyRange(prefix, None, prefix=prefix)
        return subtree(bound, values, self.count)

    def conditions(self, arguments: Arguments, values: Mapping[str, Any]) -> list[list[ast.Condition]]:
        """The alternatives to ask for: usually one, none for an empty range."""
        keys = self.ranges(arguments, values)
        return [] if keys.empty else [_range_condition(ast.Attribute((self.key.attribute.name,)), keys)]

    def terms(self, known: Known) -> list[ShownTerm]:
        """For people: the condition with its parameters by name."""
        if self.complete:
            return [shown_equal(self.key, known)]
        term = self._term(known)
        return [] if term is None else [ShownTerm(self.key.attribute.name, self.key.attribute.tag, *term)]

    def _term(self, known: Known) -> tuple[str, tuple[str, ...]] | None:
        bound = self.key.bound
        separator, end = bound.style.separator, bound.style.bound
        start = shown_segments(bound, bound.segments[: self.count], known)
        if self.ranged is None:
            if not start:
                return None
            if not bound.style.strict:
                return "begins_with", (f"{start}{separator}",)
            return "BETWEEN", (f"{start}{separator if self.below else ''}", f"{start}{end}")
        place = bound.places[self.ranged]
        lead = (start + separator if start else "") + place.lead
        low, high = lead, after_prefix(lead) if lead else ""
        for test in self.tests:
            if test.operator == "begins_with":
                (prefix,) = test.operands
                beginning = lead + (shown_value(prefix, place.codec) if prefix.constant else "")
                return ("begins_with", (beginning,)) if beginning else None
            values = [lead + shown_value(s, place.codec) for s in test.operands]
            if test.operator in (">=", "between"):
                low = values[0]
            if test.operator in ("<=", "between"):
                high = through(bound, place, values[-1])
            if test.operator == ">":
                low = past(bound, place, values[0])
            if test.operator == "<" and place.follow:
                high = values[0]
            elif test.operator == "<":
                before = lead + _shown_before(test.operands[0], place)
                high = through(bound, place, before) if place.codec.discrete else before
        if low and high:
            return ("BETWEEN", (low, high)) if low != high else ("=", (low,))
        return (">=", (low,)) if low else ("<=", (high,))


def _shown_before(source: Source, place: BoundField) -> str:
    """The last value before a bound that does not belong to the range, or the last text, which is filled up to the greatest
    length."""
    if not place.codec.discrete:
        return f"{{the last text before {source.name if source.constant is UNKNOWN else source.constant}}}"
    if source.constant is UNKNOWN:
        return f"{{the one before {source.name}}}"
    smaller = place.codec.before(source.constant)
    return "" if smaller is None else place.codec.encode(smaller)


class NativeSort(Struct, frozen=True, eq=False):
    """Attributes in their own types: equalities from the left, then perhaps one range."""

    fixed: tuple[NativeKey, ...]
    ranged: NativeKey | None
    test: Range | None
    complete: bool

    def conditions(self, arguments: Arguments, values: Mapping[str, Any]) -> list[list[ast.Condition]]:
        """One alternative, or none for an empty range, which DynamoDB would refuse."""
        terms: list[ast.Condition] = [
            ast.Compare("=", ast.Attribute((k.attribute.name,)), ast.Value(k.encode(values))) for k in self.fixed
        ]
        if self.ranged is None or self.test is None:
            return [terms]
        ranged, operator = self.ranged, self.test.operator
        attribute = ast.Attribute((ranged.attribute.name,))
        arguments_of = [source.get(arguments) for source in self.test.operands]
        if operator == "begins_with":
            if arguments_of[0]:  # every text begins with the empty one
                terms.append(ast.BeginsWith(attribute, ast.Value({"S": arguments_of[0]})))
            return [terms]
        operands = [ast.Value(ranged.encode({ranged.field.name: a})) for a in arguments_of]
        if operator == "between":
            if sort_bytes(operands[0].wire) > sort_bytes(operands[1].wire):
                return []
            terms.append(ast.Between(attribute, operands[0], operands[1]))
        else:
            terms.append(ast.Compare(operator, attribute, operands[0]))
        return [terms]

    def terms(self, known: Known) -> list[ShownTerm]:
        """For people."""
        found = [shown_equal(k, known) for k in self.fixed]
        everything = (
            self.test is not None and self.test.operator == "begins_with" and self.test.operands[0].constant == ""
        )
        if self.ranged is not None and self.test is not None and not everything:
            attribute, shown = self.ranged.attribute, tuple(shown_value(s) for s in self.test.operands)
            operator = "BETWEEN" if self.test.operator == "between" else self.test.operator
            found.append(ShownTerm(attribute.name, attribute.tag, operator, shown))
        return found


SortPlan = NoSort | TemplateSort | NativeSort


def _both(one: KeyRange, other: KeyRange) -> KeyRange:
    """The keys in both ranges."""
    low = max((b for b in (one.low, other.low) if b is not None), default=None)
    high = min((b for b in (one.high, other.high) if b is not None), default=None)
    empty = one.empty or other.empty or (low is not None and high is not None and low > high)
    return KeyRange(low, high, empty=empty, exact=one.exact and other.exact)


_LAST_OF_BYTES = ("", "\x7f", "\u07ff", "\uffff")
"""The last text of so many bytes."""


def _within(keys: KeyRange, limit: int | None) -> KeyRange:
    """The same keys by bounds that DynamoDB takes: it refuses one that is longer than a key can be."""
    if limit is None or all(text_size(b) <= limit for b in (keys.low, keys.high) if b is not None):
        return keys
    if keys.prefix is not None and text_size(keys.prefix) > limit:
        return replace(keys, empty=True)
    low, high = keys.low, keys.high
    while low is not None and text_size(low) > limit:
        # No key begins with the cut bound and comes after the whole one, so the first one is past the cut.
        low = after_prefix(_cut(low, limit))
    if high is not None and text_size(high) > limit:
        high = _cut(high, limit)
        high += _LAST_OF_BYTES[limit - text_size(high)]
    empty = keys.empty or (low is not None and high is not None and low > high)
    return replace(keys, low=low, high=high, empty=empty)


def _cut(text: str, limit: int) -> str:
    return text.encode()[:limit].decode(errors="ignore")


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
