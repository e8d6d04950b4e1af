"""Wire forms of single values: what a codec is, and the ones for texts, numbers, times and choices.

Encoders trust validated values; decoders trust stored types and fail loudly (KeyError, ValueError) when these differ.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from msgspec import Struct, to_builtins

from tablewright.errors import FieldTypeError, ModelError, NumberError
from tablewright.values.numbers import format_number, is_canonical, parse_number
from tablewright.values.types import AttributeValue
from tablewright.values.wire import from_wire, to_wire

Encode = Callable[[Any], AttributeValue]
Decode = Callable[[AttributeValue], Any]


class WireCodec(Struct, frozen=True):
    """How values of one annotation travel. `tag` is the wire type where it is always the same.

    `reading` is the usual case of `decode` as Python source with a place for what stands under the tag, `element` the codec
    of a list's elements; where the source fails, `decode` is asked.
    """

    encode: Encode
    decode: Decode
    tag: str | None = None
    reading: str | None = None
    element: WireCodec | None = None

    @property
    def is_usual(self) -> bool:
        """Whether there is source for the usual case."""
        return self.reading is not None or (self.element is not None and self.element.is_usual)

    def read(self, at: str, under: Callable[[str, str], str]) -> str:
        """The source that reads the value at an expression; `under` says how what stands under a tag is reached."""
        content = under(at, self.tag or "")
        if self.element is not None:
            return f"[{self.element.read('m', under)} for m in {content}]"
        return str(self.reading).format(content)


# ---------------------------------------------------------------------------------------------------------- times

_CLOCK_WIDTH = len("2025-01-31T23:59:59.000000Z")


def format_datetime(value: datetime) -> str:
    """The one clock format: UTC, microseconds, Z."""
    if value.tzinfo is not UTC:
        if value.tzinfo is None:
            raise _naive()
        try:
            value = value.astimezone(UTC)
        except OverflowError:
            raise FieldTypeError(
                "a datetime outside of the years 1 to 9999 in UTC cannot be stored.",
                constraint="year",
                hint="Use datetime.min.replace(tzinfo=UTC) or datetime.max.replace(tzinfo=UTC) for the ends.",
            ) from None
    if value.__class__ is not datetime:
        return value.isoformat(timespec="microseconds")[:-6] + "Z"
    # A tenth of the cost of isoformat; it leaves out microseconds that are zero.
    text: str = to_builtins(value)
    return text if len(text) == _CLOCK_WIDTH else text[:-1] + ".000000Z"


def parse_datetime(text: str) -> datetime:
    """Reads the canonical form and the other ISO forms that older writers left."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _naive() -> FieldTypeError:
    return FieldTypeError(
        "a datetime without a time zone cannot be stored.",
        constraint="aware",
        hint="Use datetime.now(UTC), or add tzinfo=UTC.",
    )


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def _epoch(per_second: int) -> WireCodec:
    unit = timedelta(microseconds=1_000_000 // per_second)

    def encode(value: datetime) -> AttributeValue:
        if value.tzinfo is None:
            raise _naive()
        return {"N": str((value - _EPOCH) // unit)}

    return WireCodec(encode, lambda av: _EPOCH + decode_int(av) * unit, "N")


EPOCHS = {"s": _epoch(1), "ms": _epoch(1000), "us": _epoch(1_000_000)}


def _encode_duration(value: timedelta) -> AttributeValue:
    return {"N": format_number(Decimal(value // _MICROSECOND).scaleb(-6))}


def _decode_duration(av: AttributeValue) -> timedelta:
    return timedelta(microseconds=int(parse_number(av["N"]).scaleb(6)))


# ------------------------------------------------------------------------------------------------------- scalars

_SAFE_INT = 10**38


def encode_text(value: str) -> AttributeValue:
    """S; half a surrogate pair is no text, and DynamoDB refuses it."""
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise FieldTypeError(
                "a lone surrogate is no valid text.", constraint="unicode", hint="Repair or drop that character."
            ) from None
    return {"S": value}


def encode_int(value: int) -> AttributeValue:
    """N, exact."""
    return {"N": str(value) if -_SAFE_INT < value < _SAFE_INT else format_number(value)}


def decode_int(av: AttributeValue) -> int:
    """An int, also from 1E+3 or 2.0; anything with a fraction fails."""
    text: str = av["N"]
    try:
        return int(text)
    except ValueError:
        number = parse_number(text)
        if number != number.to_integral_value():
            raise ValueError("a fraction where a whole number belongs") from None
        return int(number)


def decode_decimal(av: AttributeValue) -> Decimal:
    """A Decimal; the text is nearly always the service's own, which needs no second look."""
    text: str = av["N"]
    return Decimal(text) if is_canonical(text) else parse_number(text)


def _encode_float(value: float) -> AttributeValue:
    if not math.isfinite(value):
        raise NumberError("NaN and infinity cannot be stored.", constraint="finite number")
    return {"N": format_number(Decimal(repr(value)))}


SCALARS: dict[type, WireCodec] = {
    str: WireCodec(encode_text, lambda av: av["S"], "S", "{}"),
    int: WireCodec(encode_int, decode_int, "N", "int({})"),
    Decimal: WireCodec(lambda v: {"N": format_number(v)}, decode_decimal, "N", "Decimal({})"),
    float: WireCodec(_encode_float, lambda av: float(av["N"]), "N", "float({})"),
    bool: WireCodec(lambda v: {"BOOL": v}, lambda av: av["BOOL"], "BOOL", "{}"),
    bytes: WireCodec(lambda v: {"B": b64encode(v).decode()}, lambda av: b64decode(av["B"]), "B", "b64decode({})"),
    datetime: WireCodec(lambda v: {"S": format_datetime(v)}, lambda av: parse_datetime(av["S"]), "S"),
    date: WireCodec(lambda v: {"S": v.isoformat()}, lambda av: date.fromisoformat(av["S"][:10]), "S"),
    time: WireCodec(lambda v: {"S": v.isoformat()}, lambda av: time.fromisoformat(av["S"]), "S"),
    timedelta: WireCodec(_encode_duration, _decode_duration, "N"),
    UUID: WireCodec(lambda v: {"S": str(v)}, lambda av: UUID(av["S"]), "S"),
    type(None): WireCodec(lambda v: {"NULL": True}, lambda av: None, "NULL"),
}
ANYTHING = WireCodec(lambda v: to_wire(v, allow_float=True), from_wire)


def choice(what: str, known: Iterable[tuple[Any, Any]], value_of: Callable[[Any], Any] = lambda v: v) -> WireCodec:
    """Enum members and literals, by value; `known` are pairs of a value and what it stands for."""
    known = list(known)
    kinds = {type(value) for value, _ in known}
    if not kinds <= SCALARS.keys():
        raise ModelError(f"{what} has values that cannot be stored and found again.", hint="Use texts or numbers.")
    codecs = {kind: SCALARS[kind] for kind in kinds}
    by_form: dict[tuple[str, Any], Any] = {}  # 1 and True are one key of a dict, but not in the table
    for value, member in known:
        if by_form.setdefault(_form(codecs[type(value)].encode(value)), member) is not member:
            raise ModelError(f"{what} has two values that are stored alike.", hint="Use values of one type.")

    def decode(av: AttributeValue) -> Any:
        found = by_form.get(_form(av), by_form)
        if found is by_form:
            raise ValueError("a value that is not one of the allowed ones")
        return found

    def encode(member: Any) -> AttributeValue:
        value = value_of(member)
        return codecs[type(value)].encode(value)

    tags = {codec.tag for codec in codecs.values()}
    return WireCodec(encode, decode, tags.pop() if len(tags) == 1 else None)


def _form(av: AttributeValue) -> tuple[str, Any]:
    """A wire value as a key of a dict; numbers that are equal have one form."""
    ((tag, stored),) = av.items()
    return tag, format_number(parse_number(stored)) if tag == "N" else stored


def nullable(inner: WireCodec) -> WireCodec:
    """The same with None as NULL."""
    return WireCodec(
        lambda v: {"NULL": True} if v is None else inner.encode(v),
        lambda av: None if "NULL" in av else inner.decode(av),
    )
