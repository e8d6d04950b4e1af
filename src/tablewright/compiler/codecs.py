"""The codec of a field's annotation: chosen once, when the model is compiled."""

from __future__ import annotations

import enum
import typing
from collections.abc import Generator, Iterable, Iterator, Mapping, MutableMapping, MutableSequence, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic import BaseModel, EncodedBytes, EncodedStr, Json, JsonValue, SecretBytes, SecretStr, TypeAdapter

from tablewright.compiler.revalidating import holds_records
from tablewright.compiler.sealing import refuse_seals_inside
from tablewright.compiler.wirecodec import (
    ANYTHING,
    EPOCHS,
    SCALARS,
    WireCodec,
    choice,
    decode_int,
    encode_int,
    encode_text,
    nullable,
)
from tablewright.compiler.wirerecords import is_record, record_codec
from tablewright.errors import EmptySetError, FieldTypeError, ModelError
from tablewright.later import later
from tablewright.model.annotations import describe, members, metadata, optional, plain, without_none
from tablewright.model.fields import Epoch
from tablewright.values.types import AttributeValue
from tablewright.values.wire import from_wire, to_wire

if TYPE_CHECKING:
    from tablewright.compiler import wireunions
else:
    later(globals(), "tablewright.compiler", "wireunions")


def codec_for(annotation: Any) -> WireCodec:
    """The codec of an annotation; None inside it becomes NULL. Raises ModelError for what cannot be stored."""
    refuse_seals_inside(annotation)
    if annotation is JsonValue or plain(annotation) is Any:
        return ANYTHING
    if optional(annotation) and plain(annotation) is not type(None):
        return nullable(codec_for(without_none(annotation)))
    if len(members(annotation)) > 1:
        return wireunions.union_codec(annotation, codec_for)
    epoch = metadata(annotation, Epoch)
    kind = plain(annotation)
    _refuse_decoders(annotation, kind)
    if epoch is not None:
        if kind is not datetime:
            raise ModelError("Epoch() belongs on a datetime.", hint="Write Annotated[datetime, Epoch()].")
        return EPOCHS[epoch.unit]
    if isinstance(kind, type) and kind in SCALARS:
        return SCALARS[kind]
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    origin = _PLAIN.get(origin, origin)
    if origin is Literal:
        return choice(describe(kind), [(v, v) for v in arguments])
    if isinstance(kind, type) and issubclass(kind, enum.Flag):  # any combination of members, not only the named ones
        return WireCodec(lambda v: encode_int(v.value), lambda av: kind(decode_int(av)), "N")
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return choice(kind.__name__, [(m.value, m) for m in kind], lambda m: m.value)
    if origin in (list, tuple):
        return _sequence(origin, arguments)
    if origin in (set, frozenset):
        return _set(arguments[0] if arguments else Any, origin)
    if origin is dict:
        return _map(*(arguments or (str, Any)))
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        each = _sequence(tuple, tuple(typing.get_type_hints(kind, include_extras=True).values()))
        return WireCodec(each.encode, lambda av: kind(*each.decode(av)), "L")
    if is_record(kind):
        return record_codec(kind, codec_for)
    if isinstance(kind, type) and issubclass(kind, BaseModel) and kind.__pydantic_root_model__:
        inner, build = codec_for(kind.model_fields["root"].annotation), typing.cast(Any, kind)
        return WireCodec(lambda v: inner.encode(v.root), lambda av: build(inner.decode(av)), inner.tag)
    return _dumped(annotation, kind)


_PLAIN: dict[Any, type] = {Sequence: list, MutableSequence: list, Mapping: dict, MutableMapping: dict}


def _refuse_decoders(annotation: Any, kind: Any) -> None:
    """Types whose validation turns one thing into another: what was read could not be validated again."""
    json: Any = Json  # an annotation to type checkers, a class at run time
    if kind is json or metadata(annotation, json) is not None:
        raise ModelError(
            "Json parses what it is given, each time it is validated.",
            hint="Declare what it holds: a model, dict[str, Any] or JsonValue. Parse before you build the entity.",
        )
    for marker, instead in ((EncodedBytes, "bytes, which are stored as binary"), (EncodedStr, "str")):
        if metadata(annotation, marker) is not None:
            raise ModelError(
                f"{describe(annotation)} with {marker.__name__} decodes what it is given, each time it is validated.",
                hint=f"Use {instead}, and decode before you build the entity.",
            )


# ------------------------------------------------------------------------------------------------- collections


def _sequence(origin: Any, arguments: tuple[Any, ...]) -> WireCodec:
    if origin is tuple and arguments and arguments[-1] is not Ellipsis:
        each = [codec_for(a) for a in arguments]
        return WireCodec(
            lambda v: {"L": [c.encode(m) for c, m in zip(each, v, strict=True)]},
            lambda av: tuple(c.decode(m) for c, m in zip(each, av["L"], strict=True)),
            "L",
        )
    inner = codec_for(arguments[0] if arguments else Any)
    encode, decode = inner.encode, inner.decode
    if origin is list:
        return WireCodec(
            lambda v: {"L": [encode(m) for m in v]}, lambda av: [decode(m) for m in av["L"]], "L", element=inner
        )
    return WireCodec(lambda v: {"L": [encode(m) for m in v]}, lambda av: tuple(decode(m) for m in av["L"]), "L")


def _map(key: Any, value: Any) -> WireCodec:
    inner = codec_for(value)
    encode, decode = inner.encode, inner.decode
    if plain(key) is str:
        return WireCodec(
            lambda v: {"M": {_key(k): encode(m) for k, m in v.items()}},
            lambda av: {k: decode(m) for k, m in av["M"].items()},
            "M",
        )
    names = codec_for(key)
    tag = names.tag
    if tag not in ("S", "N"):
        raise ModelError(
            f"A map cannot have {describe(key)} as keys.", hint="Use str, or something with a text of its own."
        )
    return WireCodec(
        lambda v: {"M": {names.encode(k)[tag]: encode(m) for k, m in v.items()}},
        lambda av: {names.decode({tag: k}): decode(m) for k, m in av["M"].items()},
        "M",
    )


def _key(name: str) -> str:
    if not name:
        raise FieldTypeError(
            "a map cannot have an empty key.", constraint="not empty", hint="Nothing was sent; give it a name."
        )
    text: str = encode_text(name)["S"]
    return text


def _set(member: Any, origin: Any) -> WireCodec:
    inner = codec_for(member)
    if inner.tag not in ("S", "N", "B"):
        raise ModelError("A set can hold texts, numbers or bytes only.", hint="Use a list for anything else.")
    item_tag, tag = inner.tag, inner.tag + "S"

    def encode(value: Any) -> AttributeValue:
        if not value:
            raise EmptySetError(
                "DynamoDB has no empty sets.",
                hint="Give the field an empty set or None as default, which is then stored by leaving it out.",
                constraint="not empty",
            )
        return {tag: sorted({inner.encode(m)[item_tag] for m in value})}

    return WireCodec(encode, lambda av: origin(inner.decode({item_tag: m}) for m in av[tag]), tag)


def _dumped(annotation: Any, kind: Any) -> WireCodec:
    """Anything else that Pydantic understands: dumped as for JSON, and validated again on the way in."""
    if isinstance(kind, type) and issubclass(kind, complex):
        raise ModelError(
            "DynamoDB has no complex numbers.",
            hint="Use two fields of float, or a tuple[float, float] of the two parts.",
        )
    if isinstance(kind, type) and issubclass(kind, SecretStr | SecretBytes):
        raise ModelError("A secret would be stored as asterisks.", hint="Declare it as str, or store a reference.")
    if get_origin(kind) in (Iterable, Iterator, Generator):
        raise ModelError(f"{describe(kind)} can be read only once.", hint="Use a list.")
    if holds_records(annotation):  # they would be stored as their serializers show them, which may be masked or rounded
        raise ModelError(f"{describe(kind)} cannot hold models.", hint="Use a list, a tuple or a dict.")
    adapter: TypeAdapter[Any] = TypeAdapter(annotation)
    return WireCodec(
        lambda v: to_wire(adapter.dump_python(v, mode="json"), allow_float=True),
        lambda av: adapter.validate_python(from_wire(av)),
    )
