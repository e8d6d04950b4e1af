"""Between a field's Python value and its wire form: one codec per annotation, chosen once when the model is compiled.

Encoders trust validated values; decoders trust stored types and fail loudly (KeyError, ValueError) when these differ.
"""

from __future__ import annotations

import enum
import math
import typing
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, TypeAdapter

from tablewright.errors import EmptySetError, KeyValueError, ModelError, NumberError
from tablewright.model.annotations import field_annotation, members, metadata, optional, plain, without_none
from tablewright.model.fields import Epoch
from tablewright.values.numbers import format_number, parse_number
from tablewright.values.types import AttributeValue
from tablewright.values.wire import from_wire, to_wire

Encode = Callable[[Any], AttributeValue]
Decode = Callable[[AttributeValue], Any]


@dataclass(frozen=True, slots=True)
class WireCodec:
    """How values of one annotation travel. `tag` is the wire type where it is always the same."""

    encode: Encode
    decode: Decode
    tag: str | None = None


def codec_for(annotation: Any) -> WireCodec:
    """The codec of an annotation; None inside it becomes NULL."""
    if optional(annotation):
        return _nullable(codec_for(without_none(annotation)))
    epoch = metadata(annotation, Epoch)
    kind = plain(annotation)
    if epoch is not None:
        if kind is not datetime:
            raise ModelError("Epoch() belongs on a datetime.", hint="Write Annotated[datetime, Epoch()].")
        return _EPOCHS[epoch.unit]
    if isinstance(kind, type) and kind in _SCALARS:
        return _SCALARS[kind]
    origin = get_origin(kind)
    if origin is Literal:
        return _choice(get_args(kind), {v: v for v in get_args(kind)})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return _choice([m.value for m in kind], {m.value: m for m in kind}, lambda m: m.value)
    if origin in (list, tuple) and _homogeneous(kind):
        return _list(codec_for(get_args(kind)[0]), origin)
    if origin in (set, frozenset):
        return _set(get_args(kind)[0], origin)
    if origin is dict and plain(get_args(kind)[0]) is str:
        return _map(codec_for(get_args(kind)[1]))
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return _model(kind)
    return WireCodec(to_wire, from_wire) if kind is Any else _validated(annotation)


def format_datetime(value: datetime) -> str:
    """The one clock format: UTC, microseconds, Z."""
    if value.tzinfo is None:
        raise KeyValueError(
            "A datetime without a time zone cannot be stored.", hint="Use datetime.now(UTC), or add tzinfo=UTC."
        )
    return value.astimezone(UTC).isoformat(timespec="microseconds")[:-6] + "Z"


def parse_datetime(text: str) -> datetime:
    """Reads the canonical form and the other ISO forms that older writers left."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


# ------------------------------------------------------------------------------------------------------- scalars

_SAFE_INT = 10**38


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


def _encode_float(value: float) -> AttributeValue:
    if not math.isfinite(value):
        raise NumberError("NaN and infinity cannot be stored.", constraint="finite number")
    return {"N": format_number(Decimal(repr(value)))}


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _epoch(per_second: int) -> WireCodec:
    def encode(value: datetime) -> AttributeValue:
        if value.tzinfo is None:
            raise KeyValueError("A datetime without a time zone cannot be stored.", hint="Use datetime.now(UTC).")
        return {"N": str((value - _EPOCH) // timedelta(microseconds=1_000_000 // per_second))}

    def decode(av: AttributeValue) -> datetime:
        return _EPOCH + timedelta(microseconds=decode_int(av) * (1_000_000 // per_second))

    return WireCodec(encode, decode, "N")


_EPOCHS = {"s": _epoch(1), "ms": _epoch(1000), "us": _epoch(1_000_000)}

_SCALARS: dict[type, WireCodec] = {
    str: WireCodec(lambda v: {"S": v}, lambda av: av["S"], "S"),
    int: WireCodec(encode_int, decode_int, "N"),
    Decimal: WireCodec(lambda v: {"N": format_number(v)}, lambda av: parse_number(av["N"]), "N"),
    float: WireCodec(_encode_float, lambda av: float(av["N"]), "N"),
    bool: WireCodec(lambda v: {"BOOL": v}, lambda av: av["BOOL"], "BOOL"),
    bytes: WireCodec(lambda v: {"B": b64encode(v).decode()}, lambda av: b64decode(av["B"]), "B"),
    datetime: WireCodec(lambda v: {"S": format_datetime(v)}, lambda av: parse_datetime(av["S"]), "S"),
    date: WireCodec(lambda v: {"S": v.isoformat()}, lambda av: date.fromisoformat(av["S"][:10]), "S"),
    time: WireCodec(lambda v: {"S": v.isoformat()}, lambda av: time.fromisoformat(av["S"]), "S"),
    UUID: WireCodec(lambda v: {"S": str(v)}, lambda av: UUID(av["S"]), "S"),
    type(None): WireCodec(lambda v: {"NULL": True}, lambda av: None, "NULL"),
}


def _choice(
    values: typing.Iterable[Any], known: dict[Any, Any], value_of: Callable[[Any], Any] = lambda v: v
) -> WireCodec:
    """Enum members and literals, by value."""
    kinds = {type(v) for v in values}
    inner = _SCALARS[kinds.pop()] if len(kinds) == 1 and kinds <= _SCALARS.keys() else WireCodec(to_wire, from_wire)

    def decode(av: AttributeValue) -> Any:
        value = inner.decode(av)
        if value not in known:
            raise ValueError("a value that is not one of the allowed ones")
        return known[value]

    return WireCodec(lambda v: inner.encode(value_of(v)), decode, inner.tag)


def _nullable(inner: WireCodec) -> WireCodec:
    return WireCodec(
        lambda v: {"NULL": True} if v is None else inner.encode(v),
        lambda av: None if "NULL" in av else inner.decode(av),
    )


# ------------------------------------------------------------------------------------------------- collections


def _homogeneous(kind: Any) -> bool:
    arguments = get_args(kind)
    return len(arguments) == 1 or (len(arguments) == 2 and arguments[1] is Ellipsis)


def _list(inner: WireCodec, origin: type) -> WireCodec:
    encode, decode = inner.encode, inner.decode
    return WireCodec(lambda v: {"L": [encode(m) for m in v]}, lambda av: origin(decode(m) for m in av["L"]), "L")


def _map(inner: WireCodec) -> WireCodec:
    encode, decode = inner.encode, inner.decode
    return WireCodec(
        lambda v: {"M": {k: encode(m) for k, m in v.items()}},
        lambda av: {k: decode(m) for k, m in av["M"].items()},
        "M",
    )


def _set(member: Any, origin: Any) -> WireCodec:
    inner = codec_for(member)
    if inner.tag not in ("S", "N", "B"):
        raise ModelError("A set can hold texts, numbers or bytes only.", hint="Use a list for anything else.")
    item_tag, tag = inner.tag, inner.tag + "S"

    def encode(value: Any) -> AttributeValue:
        if not value:
            raise EmptySetError(
                "DynamoDB has no empty sets.",
                hint="Leave the field out (give it a default), or store None.",
                constraint="not empty",
            )
        return {tag: sorted({inner.encode(m)[item_tag] for m in value})}

    return WireCodec(encode, lambda av: origin(inner.decode({item_tag: m}) for m in av[tag]), tag)


def _model(kind: type[BaseModel]) -> WireCodec:
    """A nested model as a map: fields at None are left out unless they are required."""
    codecs: dict[str, tuple[WireCodec, bool]] = {}  # filled at first use, so that a model may contain itself

    def fill() -> dict[str, tuple[WireCodec, bool]]:
        for name, info in kind.model_fields.items():
            codecs[name] = (codec_for(field_annotation(info)), not info.is_required())
        return codecs

    def encode(value: BaseModel) -> AttributeValue:
        out = {}
        for name, (codec, omit) in (codecs or fill()).items():
            member = getattr(value, name)
            if not (omit and (member is None or (isinstance(member, set | frozenset) and not member))):
                out[name] = codec.encode(member)
        return {"M": out}

    def decode(av: AttributeValue) -> BaseModel:
        stored = av["M"]
        values = {n: codec.decode(stored[n]) for n, (codec, _) in (codecs or fill()).items() if n in stored}
        return kind.model_validate(values)

    return WireCodec(encode, decode, "M")


def _validated(annotation: Any) -> WireCodec:
    """Anything else that Pydantic understands: dumped to plain values, and validated again on the way in."""
    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    simple = all(m in (str, int, Decimal, bool, bytes) for m in members(annotation))
    if simple:
        return WireCodec(to_wire, lambda av: adapter.validate_python(from_wire(av)))

    def encode(value: Any) -> AttributeValue:
        return to_wire(_plain_values(adapter.dump_python(value)), allow_float=True)

    return WireCodec(encode, lambda av: adapter.validate_python(from_wire(av)))


def _plain_values(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain_values(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_values(v) for v in value]
    if isinstance(value, datetime):
        return format_datetime(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, UUID):
        return str(value)
    return value
