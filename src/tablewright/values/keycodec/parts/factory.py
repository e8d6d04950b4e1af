"""From a field's annotation to its part encoder."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NewType, Union, get_args, get_origin
from uuid import UUID

from tablewright.errors import KeyTemplateError
from tablewright.later import later
from tablewright.values.keycodec.parts.base import PartCodec
from tablewright.values.keycodec.parts.text import BytesPart, RawTextPart, TextPart, UuidPart
from tablewright.values.keycodec.style import STRICT, KeyStyle

if TYPE_CHECKING:
    from tablewright.values.keycodec.parts import choices, numbers, times
    from tablewright.values.keycodec.parts.numbers import Number
else:
    later(globals(), "tablewright.values.keycodec.parts", "choices", "numbers", "times")


def part_for(
    annotation: Any,
    *,
    width: int | None = None,
    fraction: int | None = None,
    max_length: int | None = None,
    ge: Number | None = None,
    le: Number | None = None,
    plain_int: bool = False,
    style: KeyStyle = STRICT,
) -> PartCodec:
    """The encoder for a field of this type.

    `width` pads an int, `width` and `fraction` give a Decimal or int a fixed-point form; without them numbers get the
    ordered form of any size. `plain_int` writes an int without width as plain text, unordered, for partition keys.
    Adopted styles write numbers and strings as they are. Raises KeyTemplateError for types that cannot stand in a key.
    """
    kind = bare_type(annotation)
    if get_origin(kind) is Literal:
        return _choices(f"one of {annotation_name(kind)}", [(value, value) for value in get_args(kind)], width, style)
    if not isinstance(kind, type):
        raise _unsupported(annotation)
    if issubclass(kind, Enum):
        return _choices(f"a {kind.__name__}", [(member, member.value) for member in kind], width, style)
    if issubclass(kind, bool):
        _refuse_digits(kind, width, fraction)
        return choices.ChoicePart("a bool", {False: False, True: True}, lambda value: "true" if value else "false")
    if issubclass(kind, (int, Decimal)):
        return _number(kind, width, fraction, ge, le, plain=not style.strict or (plain_int and issubclass(kind, int)))
    _refuse_digits(kind, width, fraction)
    if issubclass(kind, str):
        if style.strict:
            return TextPart(max_length)
        return RawTextPart(max_length, style.separator if style.escape else "")
    if issubclass(kind, datetime):
        return times.DatetimePart()
    if issubclass(kind, date):
        return times.DatePart()
    if issubclass(kind, UUID):
        return UuidPart()
    if issubclass(kind, (bytes, bytearray)):
        return BytesPart(max_length)
    raise _unsupported(annotation)


def bare_type(annotation: Any) -> Any:
    """The type behind Annotated, NewType, a type alias and an optional None."""
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin is Union or origin is UnionType:
            members = [member for member in get_args(annotation) if member is not NoneType]
            if len(members) != 1:
                return annotation
            annotation = members[0]
        elif isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":
            annotation = annotation.__value__
        else:
            return annotation


def annotation_name(annotation: Any) -> str:
    """The annotation as a user wrote it, roughly."""
    if get_origin(annotation) is Literal:
        return ", ".join(map(repr, get_args(annotation)))
    return getattr(annotation, "__name__", str(annotation))


def _number(
    kind: type, width: int | None, fraction: int | None, ge: Number | None, le: Number | None, *, plain: bool
) -> PartCodec:
    whole = issubclass(kind, int)
    if fraction is not None:
        if width is None or whole:
            raise KeyTemplateError(
                f"Digits after the point need a Decimal field and digits before it, not {kind.__name__}.",
                hint="Write {field:8.2} for a Decimal, {field:06} for an int.",
            )
        return numbers.FixedPointPart(width, fraction, ge=ge, le=le)
    if width is not None:
        if not whole:
            raise KeyTemplateError(
                "A Decimal with a width also needs its digits after the point.",
                hint="Write {field:8.2} for eight and two, or {field} for a number of any size.",
            )
        return numbers.PaddedIntPart(width, ge=ge, le=le)
    return (
        numbers.PlainNumberPart(whole=whole, ge=ge, le=le) if plain else numbers.NumberPart(whole=whole, ge=ge, le=le)
    )


def _choices(kind: str, members: list[tuple[Any, Any]], width: int | None, style: KeyStyle) -> PartCodec:
    plain_types = {type(plain) for _, plain in members}
    text_of: Callable[[Any], str]
    if plain_types == {int}:
        text_of = numbers.PlainNumberPart().encode if width is None else numbers.PaddedIntPart(width).encode
    elif plain_types == {bool}:
        text_of = part_for(bool).encode
    elif all(issubclass(plain_type, str) for plain_type in plain_types):
        members = [(member, str.__str__(plain)) for member, plain in members]
        if any(not plain for _, plain in members):
            raise KeyTemplateError(f"{kind} has an empty value, which cannot stand in a key.", hint="Give it a text.")
        text_of = part_for(str, style=style).encode
    else:
        raise KeyTemplateError(
            f"{kind} holds values that a key cannot hold or tell apart.",
            hint="Use only str, only int or only bool values.",
        )
    return choices.ChoicePart(kind, dict(members), text_of)


def _refuse_digits(kind: type, width: int | None, fraction: int | None) -> None:
    if width is not None or fraction is not None:
        raise KeyTemplateError(
            f"A width is for numbers; the field is {kind.__name__}.", hint="Write {field} without digits."
        )


def _unsupported(annotation: Any) -> KeyTemplateError:
    return KeyTemplateError(
        f"A field of type {annotation_name(annotation)} cannot stand in a key.",
        hint="Use str, int, Decimal, bool, datetime, date, UUID, bytes, an Enum or a Literal.",
    )
