"""Codecs for unions: by wire type, by form, or by which parts a stored map has. What cannot be told apart is refused."""

from __future__ import annotations

import enum
import itertools
import re
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from msgspec import Struct

from tablewright.compiler.wirecodec import WireCodec
from tablewright.compiler.wirerecords import Record
from tablewright.errors import ModelError
from tablewright.model.annotations import alternatives, describe, is_typed_dict, plain
from tablewright.values.types import AttributeValue


class Member(Struct, frozen=True):
    """One member of a union: its codec, which Python values are its own, and which stored ones can be."""

    annotation: Any
    codec: WireCodec
    exactly: Callable[[Any], bool]
    """Whether a value is of this very type."""
    owns: Callable[[Any], bool]
    """The same, with subclasses."""
    reads: Callable[[AttributeValue], bool]
    elements: tuple[Member, ...] = ()
    """What a list or set may hold."""

    @property
    def record(self) -> Record | None:
        """The record behind the codec, if it is one."""
        return _record(self.codec)


CodecFor = Callable[[Any], WireCodec]


def union_codec(annotation: Any, codec_for: CodecFor) -> WireCodec:
    """The codec of a union; raises ModelError when a stored value would not tell which member it was."""
    found = [_member(m, codec_for) for m in alternatives(annotation)]
    for member in found:
        if member.codec.tag is None:
            raise ModelError(
                f"{describe(member.annotation)} cannot be part of a union.", hint="Use one type for the field."
            )
    for one, other in itertools.combinations(found, 2):
        if not _apart(one, other):
            raise ModelError(
                f"{describe(one.annotation)} and {describe(other.annotation)} cannot be told apart when they are read.",
                hint="Use one type, or models with a Literal field of different values.",
            )
    # The exact type first: True is an int to isinstance, and a datetime a date.
    exact = {plain(m.annotation): m for m in found if isinstance(plain(m.annotation), type)}
    in_order = sorted(found, key=lambda m: plain(m.annotation) in (str, Decimal))  # these read what others read too

    def encode(value: Any) -> AttributeValue:
        known = exact.get(type(value)) or next((m for m in found if m.exactly(value)), None)
        known = known or next((m for m in found if m.owns(value)), None)
        if known is None:
            raise TypeError("a value of none of the declared types")
        return known.codec.encode(value)

    def decode(av: AttributeValue) -> Any:
        for member in in_order:
            if member.reads(av):
                return member.codec.decode(av)
        raise ValueError("a stored value of none of the declared types")

    tags = {m.codec.tag for m in found}
    return WireCodec(encode, decode, tags.pop() if len(tags) == 1 else None)


def _member(annotation: Any, codec_for: CodecFor) -> Member:
    kind, codec = plain(annotation), codec_for(annotation)
    elements: tuple[Member, ...] = ()
    if get_origin(kind) in (list, set, frozenset):
        elements = tuple(_member(m, codec_for) for m in alternatives(get_args(kind)[0]))
    exactly, owns = _owners(kind, codec, elements)
    return Member(annotation, codec, exactly, owns, _reader(codec, kind, elements), elements)


def _record(codec: WireCodec) -> Record | None:
    record = getattr(codec.encode, "__self__", None)
    return record if isinstance(record, Record) else None


Test = Callable[[Any], bool]


def _owners(kind: Any, codec: WireCodec, elements: tuple[Member, ...]) -> tuple[Test, Test]:
    """Whether a value is of a type: of exactly that one, and also of a subclass."""
    origin = get_origin(kind) or kind
    if origin is Literal:
        allowed = [(type(a), a) for a in get_args(kind)]

        def listed(value: Any) -> bool:
            return (type(value), value) in allowed

        return listed, listed
    if is_typed_dict(origin):
        record = _record(codec)

        def shaped(value: Any) -> bool:
            return _is_record(record, value)

        return shaped, shaped
    if elements:
        return (
            lambda value: isinstance(value, origin) and all(any(m.exactly(e) for m in elements) for e in value),
            lambda value: isinstance(value, origin) and all(any(m.owns(e) for m in elements) for e in value),
        )
    if not isinstance(origin, type):  # Any, and whatever else only Pydantic understands
        return lambda value: True, lambda value: True
    return lambda value: type(value) is origin, lambda value: isinstance(value, origin)


def _is_record(record: Record | None, value: Any) -> bool:
    """Whether a dictionary has the keys and literals of a typed one."""
    if record is None or not isinstance(value, dict) or not record.always <= value.keys() <= record.parts.keys():
        return False
    return all(part.literals is None or value.get(name) in part.literals for name, part in record.parts.items())


def _reader(codec: WireCodec, kind: Any, elements: tuple[Member, ...]) -> Callable[[AttributeValue], bool]:
    tag = codec.tag
    record = _record(codec)
    if record is not None:
        return lambda av: "M" in av and _fits(record, av["M"])
    if kind in _FORMS:
        matches = _FORMS[kind].fullmatch
        return lambda av: tag in av and matches(av[tag]) is not None
    if elements and tag == "L":
        return lambda av: "L" in av and all(any(m.reads(e) for m in elements) for e in av["L"])
    if elements and tag is not None:
        one = tag[0]
        return lambda av: tag in av and all(any(m.reads({one: e}) for m in elements) for e in av[tag])
    if get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, enum.Enum)) or tag == "L":
        return lambda av: tag in av and _decodes(codec, av)
    return lambda av: tag is None or tag in av


_FORMS: dict[Any, re.Pattern[str]] = {
    int: re.compile(r"-?\d+"),
    date: re.compile(r"\d{4}-\d\d-\d\d"),
    datetime: re.compile(r"\d{4}-\d\d-\d\d[T ].+"),
    time: re.compile(r"\d\d:.+"),
    UUID: re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}"),
}


def _fits(record: Record, stored: dict[str, AttributeValue]) -> bool:
    """Whether a stored map has every part that is always stored, no unknown one, and allowed literals."""
    if not record.always <= stored.keys() or not (record.open or stored.keys() <= record.parts.keys()):
        return False
    return all(
        _decodes(part.codec, stored[name])
        for name, part in record.parts.items()
        if part.literals is not None and name in stored
    )


def _decodes(codec: WireCodec, av: AttributeValue) -> bool:
    try:
        codec.decode(av)
    except (LookupError, ValueError, TypeError, ArithmeticError):
        return False
    return True


def _apart(one: Member, other: Member) -> bool:
    """Whether a stored value tells which of the two it was, or the two would read it as equal values."""
    tag, kinds = one.codec.tag, (plain(one.annotation), plain(other.annotation))
    if tag is None or other.codec.tag is None:
        return False
    if tag != other.codec.tag or one.codec is other.codec:
        return True
    if one.record is not None and other.record is not None:
        return kinds[0] == kinds[1] or _records_apart(one.record, other.record)
    if tag == "S":
        return all(k in _FORMS for k in kinds) or _all_of(kinds, str)
    if tag == "N":
        return set(kinds) == {int, Decimal} or _all_of(kinds, int)
    if tag in ("L", "SS", "NS", "BS"):  # an empty one is equal to any other
        return bool(one.elements and other.elements) and all(
            _apart(a, b) for a, b in itertools.product(one.elements, other.elements)
        )
    return _all_of(kinds, bool)


def _all_of(kinds: tuple[Any, ...], base: type) -> bool:
    """Whether all are this type, literals of it, or enums that subclass it."""
    return all(
        all(isinstance(a, base) for a in get_args(kind))
        if get_origin(kind) is Literal
        else isinstance(kind, type) and issubclass(kind, base)
        for kind in kinds
    )


def _records_apart(one: Record, other: Record) -> bool:
    for name in one.always & other.always:
        left, right = one.parts[name].literals, other.parts[name].literals
        if left is not None and right is not None and left.isdisjoint(right):
            return True
    if one.open or other.open:
        return False
    return not (one.always | other.always) <= (one.parts.keys() & other.parts.keys())
