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
    owns: Callable[[Any], bool]
    reads: Callable[[AttributeValue], bool]

    @property
    def record(self) -> Record | None:
        """The record behind the codec, if it is one."""
        record = getattr(self.codec.encode, "__self__", None)
        return record if isinstance(record, Record) else None


def union_codec(annotation: Any, codec_for: Callable[[Any], WireCodec]) -> WireCodec:
    """The codec of a union; raises ModelError when a stored value would not tell which member it was."""
    found = [_member(m, codec_for(m)) for m in alternatives(annotation)]
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
        known = exact.get(type(value)) or next((m for m in found if m.owns(value)), None)
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


def _member(annotation: Any, codec: WireCodec) -> Member:
    kind = plain(annotation)
    origin = get_origin(kind) or kind
    if codec.tag is None:
        raise ModelError(f"{describe(annotation)} cannot be part of a union.", hint="Use one type for the field.")
    return Member(annotation, codec, _owner(kind, origin), _reader(codec, kind))


def _owner(kind: Any, origin: Any) -> Callable[[Any], bool]:
    if origin is Literal:
        allowed = [(type(a), a) for a in get_args(kind)]
        return lambda value: (type(value), value) in allowed
    if is_typed_dict(origin):
        return lambda value: isinstance(value, dict)
    return lambda value: isinstance(value, origin)


def _reader(codec: WireCodec, kind: Any) -> Callable[[AttributeValue], bool]:
    tag = codec.tag
    record = getattr(codec.encode, "__self__", None)
    if isinstance(record, Record):
        return lambda av: "M" in av and _fits(record, av["M"])
    if kind in _FORMS:
        matches = _FORMS[kind].fullmatch
        return lambda av: tag in av and matches(av[tag]) is not None
    if get_origin(kind) is Literal or (isinstance(kind, type) and issubclass(kind, enum.Enum)) or tag == "L":
        return lambda av: tag in av and _decodes(codec, av)
    return lambda av: tag in av


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
    if tag != other.codec.tag or tag in ("SS", "NS", "BS"):
        return True
    if one.record is not None and other.record is not None:
        return _records_apart(one.record, other.record)
    if tag == "S":
        return all(k in _FORMS for k in kinds) or _all_of(kinds, str)
    if tag == "N":
        return set(kinds) == {int, Decimal} or _all_of(kinds, int)
    if tag == "L":
        return all((get_origin(k) or k) is list for k in kinds)
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
