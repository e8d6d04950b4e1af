"""Ranges of keys: a parent with all its descendants, and conditions on the next field under a parent.

Every range is closed at both ends, for one BETWEEN; an open prefix would read neighbours (`1` would read `10`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias
from typing import Literal as OneOf

from msgspec import Struct

from tablewright.errors import ArgumentError, KeyTemplateError, KeyValueError, UnknownFieldError
from tablewright.values.keycodec.bound import BoundTemplate, Values
from tablewright.values.keycodec.parts.text import RawTextPart, TextPart
from tablewright.values.keycodec.places import BoundField
from tablewright.values.keycodec.proofs import closed_below, order_warning
from tablewright.values.keycodec.style import STRICT, KeyStyle
from tablewright.values.sizes import MAX_SORT_KEY

Operator: TypeAlias = OneOf["=", ">=", ">", "<=", "<", "between", "begins_with"]


_FILL = "\U0010ffff" * (MAX_SORT_KEY // 4)
"""What nothing comes after, in a key that begins alike."""


class KeyRange(Struct, frozen=True):
    """The keys from `low` to `high`, both included; None leaves that side open, where a key has nothing before it.

    With `prefix`, exactly the keys that begin with it (`begins_with`), and `low` is that prefix too. `also` is a
    single key that belongs to the range but must be read apart. An `empty` range holds nothing; its bounds stand at a
    place where strict keys cannot be. `exact` is False when neighbours may lie inside, which only adopted keys allow.
    """

    low: str | None
    high: str | None
    prefix: str | None = None
    also: str | None = None
    empty: bool = False
    exact: bool = True

    def __contains__(self, key: str) -> bool:
        if self.empty:
            return False
        if key == self.also:
            return True
        if self.prefix is not None:
            return key.startswith(self.prefix)
        return (self.low is None or self.low <= key) and (self.high is None or key <= self.high)


def descendants(parent: str, style: KeyStyle = STRICT, *, closed: bool = True) -> KeyRange:
    """A parent key and everything below it.

    For adopted keys `closed` says whether a closed range was proved (see `closed_below`); without that proof what
    stands below is read by its prefix, and the parent apart.
    """
    if closed or style.strict:
        return KeyRange(parent, parent + style.bound)
    prefix = parent + style.separator
    return KeyRange(prefix, None, prefix=prefix, also=parent)


def subtree(template: BoundTemplate, values: Values, count: int) -> KeyRange:
    """The key made of a template's first `count` segments, and everything below it."""
    if count == 0:
        return KeyRange(None, None)
    parent = template.prefix(values, count)
    return descendants(parent, template.style, closed=closed_below(template.segments[:count], template.style))


def field_range(template: BoundTemplate, values: Values, field: str, operator: Operator, *operands: Any) -> KeyRange:
    """The keys of a template whose field meets a condition, where `values` holds every field before it.

    Raises KeyTemplateError, with a remedy, when the field's keys do not sort.
    """
    place = template.places.get(field)
    if place is None:
        raise UnknownFieldError(f'The key "{template.template}" has no field {field}.', field=field)
    if len(operands) != (2 if operator == "between" else 1):
        raise ArgumentError(f"The condition {operator} on {field} has the wrong number of values.", field=field)
    start = _start(template, values, place)
    try:
        if operator == "=":
            return _equal(template, place, start + place.encode(operands[0]))
        if operator == "begins_with":
            return _begins_with(place, start, operands[0])
        return _ordered_range(template, place, start, operator, operands)
    except KeyValueError as error:
        raise template.named(error, field) from None


def _ordered_range(
    template: BoundTemplate, place: BoundField, start: str, operator: Operator, operands: Sequence[Any]
) -> KeyRange:
    if not place.codec.ordered:
        raise KeyTemplateError(
            f'Keys of "{template.template}" do not sort by {place.name}, so {operator} cannot be a range of keys.',
            hint=f"Give it a width, as in {{{place.name}:06}}, or filter on the attribute.",
        )
    low, high = start or None, after_prefix(start) if start else None
    if operator in (">=", "between"):
        low = start + place.encode(operands[0])
    elif operator == ">":
        low = past(template, place, start + place.encode(operands[0]))
    if operator in ("<=", "between"):
        high = through(template, place, start + place.encode(operands[-1]))
    elif operator == "<":
        high = _up_to(template, place, start, operands[0])
        if high is None:
            return _nothing(template, start)
    if low is not None and high is not None and low > high:
        return _nothing(template, start)
    return KeyRange(low, high, exact=order_warning(place, template.style) is None)


def after_prefix(text: str) -> str:
    """The smallest text above everything that begins with this one."""
    code = ord(text[-1]) + 1
    if code > 0x10FFFF:
        raise KeyTemplateError("No text follows U+10FFFF.", hint="End the literal with an ordinary character.")
    return text[:-1] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)


def last_before(text: str) -> str:
    """The greatest text below this one that a sort key can be, which is no longer than DynamoDB allows."""
    last = ord(text[-1])
    if not last:
        return text[:-1]
    return text[:-1] + chr(0xD7FF if last == 0xE000 else last - 1) + _FILL


def _start(template: BoundTemplate, values: Values, place: BoundField) -> str:
    """The key text up to the field's own value."""
    start = template.prefix(values, place.segment) + template.style.separator if place.segment else ""
    fields = template.segments[place.segment].fields
    start += fields[0].lead
    for field in fields[: fields.index(place)]:
        start += field.encode(values[field.name]) + field.follow
    return start


def _equal(template: BoundTemplate, place: BoundField, key: str) -> KeyRange:
    if place.last:
        key += place.follow
        return KeyRange(key, key)
    if template.style.strict:
        return descendants(key)
    # The rest of an adopted key always begins with what follows the field.
    key += place.follow
    return KeyRange(key, None, prefix=key)


def _begins_with(place: BoundField, start: str, text: Any) -> KeyRange:
    if not isinstance(text, str) or not isinstance(place.codec, (TextPart, RawTextPart)):
        raise ArgumentError(f"begins_with on {place.name} needs a string field and a string.", field=place.name)
    # An escape never straddles a character, so the escaped beginning is the beginning of the escaped text.
    key = start + place.codec.encode(text) if text else start
    return KeyRange(key, None, prefix=key) if key else KeyRange(None, None)


def past(template: BoundTemplate, place: BoundField, key: str) -> str:
    """The lowest place above every key that has this value."""
    if template.style.strict:
        return key + template.style.bound
    return key + "\x00" if not place.follow else after_prefix(key + place.follow)


def through(template: BoundTemplate, place: BoundField, key: str) -> str:
    """The highest place that every key with this value stays below or at."""
    if template.style.strict:
        return key + template.style.bound
    if place.last:
        return key + place.follow
    return after_prefix(key + place.follow)


def _up_to(template: BoundTemplate, place: BoundField, start: str, value: Any) -> str | None:
    """The highest place below every key that has this value; None when no value is smaller."""
    text = place.encode(value)
    if place.follow:
        # Real keys go on from here, so the bare value stays below all of them.
        return start + text
    if not place.codec.discrete:
        return last_before(start + text)
    smaller = place.codec.before(value)
    return None if smaller is None else through(template, place, start + place.encode(smaller))


def _nothing(template: BoundTemplate, start: str) -> KeyRange:
    place = (start.removesuffix(template.style.separator) or template.style.separator) + template.style.bound
    return KeyRange(place, place, empty=True)
