"""Between Python values and wire values, and between wire values and JSON bytes. Touches neither models nor keys."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Set
from decimal import Decimal
from enum import Enum
from typing import Any

import msgspec

from tablewright.errors import EmptySetError, FieldTypeError, NumberError, ValidationError
from tablewright.values.checks import MAX_NESTING, NESTING_MESSAGE
from tablewright.values.numbers import format_number
from tablewright.values.types import AttributeValue, Item


def to_wire(value: object, *, allow_float: bool = False) -> AttributeValue:
    """The wire form of a plain Python value.

    str → S, int and Decimal → N, bytes → B, bool → BOOL, None → NULL, list and tuple → L, mappings → M, sets → SS, NS
    or BS (sorted, so that equal values give equal requests). A float is refused, because most floats are not the
    decimal they print as; with `allow_float` a finite one is stored as exactly the decimal that it prints as.
    """
    return _to_wire(value, allow_float, 0)


def to_wire_item(item: Mapping[str, object], *, allow_float: bool = False) -> Item:
    """The wire form of a whole item; errors name the attribute."""
    out: Item = {}
    for name, value in item.items():
        try:
            out[_name(name)] = _to_wire(value, allow_float, 0)
        except ValidationError as error:
            if error.field is None:
                error.field = name
            raise
    return out


def _to_wire(value: Any, allow_float: bool, depth: int) -> AttributeValue:
    kind = value.__class__
    if kind is str:
        return {"S": value if value.isascii() else _checked_text(value)}
    if kind is int or kind is Decimal:
        return {"N": format_number(value)}
    if kind is bool:
        return {"BOOL": value}
    if value is None:
        return {"NULL": True}
    if isinstance(value, Enum):
        return _to_wire(value.value, allow_float, depth)
    if isinstance(value, str):
        return {"S": _checked_text(str.__str__(value))}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"B": b64encode(value).decode("ascii")}
    if isinstance(value, (int, Decimal)):
        return {"N": format_number(value)}
    if isinstance(value, float):
        return {"N": _float_text(value, allow_float)}
    if isinstance(value, (list, tuple)):
        _check_depth(depth)
        return {"L": [_to_wire(element, allow_float, depth + 1) for element in value]}
    if isinstance(value, Mapping):
        _check_depth(depth)
        return {"M": {_name(name): _to_wire(element, allow_float, depth + 1) for name, element in value.items()}}
    if isinstance(value, Set):
        return _set_to_wire(value, allow_float)
    raise FieldTypeError(
        f"A {kind.__name__} has no DynamoDB form.",
        constraint="type",
        hint="Use str, int, Decimal, bytes, bool, None, list, dict or a set of str, number or bytes.",
    )


def _set_to_wire(members: Set[Any], allow_float: bool) -> AttributeValue:
    if not members:
        raise EmptySetError("DynamoDB has no empty sets.", constraint="non-empty", hint="Leave the attribute out.")
    if all(isinstance(m, str) for m in members):
        return {"SS": sorted(_checked_text(str.__str__(m)) for m in members)}
    if all(isinstance(m, (int, Decimal, float)) and not isinstance(m, bool) for m in members):
        texts = {_float_text(m, allow_float) if isinstance(m, float) else format_number(m) for m in members}
        return {"NS": sorted(texts, key=Decimal)}
    if all(isinstance(m, (bytes, memoryview)) for m in members):
        return {"BS": [b64encode(m).decode("ascii") for m in sorted(bytes(m) for m in members)]}
    raise FieldTypeError(
        "A set must hold only strings, only numbers or only bytes.",
        constraint="set of one type",
        hint="Use a list for mixed values.",
    )


def _float_text(value: float, allowed: bool) -> str:
    if not allowed:
        raise NumberError(
            "A float is not an exact number.",
            constraint="exact number",
            hint="Write Decimal(str(value)), which is the number that it prints as. Only a field of an entity can be a float.",
        )
    return format_number(Decimal(repr(float(value))))


def _checked_text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise FieldTypeError(
            "A string holds a lone surrogate, which UTF-8 cannot carry.",
            constraint="utf-8",
            hint="Decode the text with its right encoding before storing it.",
        ) from None
    return text


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise FieldTypeError("Attribute names must be strings.", constraint="name", hint="Convert the keys to str.")
    if not name:
        raise FieldTypeError("Empty attribute name", constraint="name", hint="Give the attribute a name.")
    return name if name.isascii() else _checked_text(name)


def _check_depth(depth: int) -> None:
    if depth >= MAX_NESTING:
        raise FieldTypeError(NESTING_MESSAGE, constraint=f"{MAX_NESTING} levels", hint="Flatten or split the value.")


# ------------------------------------------------------------------------------------------------ reading back


def from_wire(av: AttributeValue) -> Any:
    """The plain Python value of a wire value: N becomes int when its text is integral, else Decimal; B becomes bytes;
    sets become sets."""
    for tag, value in av.items():
        return _READERS[tag](value)
    raise FieldTypeError("An attribute value is empty.", constraint="one tag", hint="Check the item with check_item.")


def from_wire_item(item: Mapping[str, AttributeValue]) -> dict[str, Any]:
    """The plain Python values of an item."""
    return {name: _READERS[tag](value) for name, av in item.items() for tag, value in av.items()}


def read_number(text: str) -> int | Decimal:
    """int for integral number text, else Decimal."""
    try:
        return int(text)
    except ValueError:
        return Decimal(text)


def _same(value: Any) -> Any:
    return value


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "S": _same,
    "N": read_number,
    "B": b64decode,
    "BOOL": _same,
    "NULL": lambda _: None,
    "L": lambda value: [from_wire(element) for element in value],
    "M": from_wire_item,
    "SS": set,
    "NS": lambda value: set(map(read_number, value)),
    "BS": lambda value: set(map(b64decode, value)),
}


# ------------------------------------------------------------------------------------------------------- JSON

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder()


def dumps(obj: object) -> bytes:
    """JSON bytes of a wire item, request or response."""
    try:
        return _encoder.encode(obj)
    except UnicodeEncodeError:
        raise FieldTypeError("A string holds a lone surrogate, which UTF-8 cannot carry.", constraint="utf-8") from None


def loads(data: bytes | bytearray | memoryview | str) -> Any:
    """The object in JSON bytes; raises FieldTypeError for malformed JSON or UTF-8."""
    try:
        return _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FieldTypeError(f"This is not valid JSON: {error}", constraint="json") from None
