"""Codecs for what has named parts: Pydantic models, dataclasses and typed dictionaries, stored as maps."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any, Literal, get_args, get_origin

from msgspec import Struct, field
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from tablewright.compiler.wirecodec import ANYTHING, WireCodec
from tablewright.errors import FieldTypeError, ModelError
from tablewright.model.annotations import field_annotation, is_typed_dict, plain
from tablewright.values.types import AttributeValue
from tablewright.values.wire import from_wire, to_wire

_in_progress: ContextVar[dict[type, WireCodec]] = ContextVar("tablewright_records_in_progress")
NO_DEFAULT = object()


class Part(Struct):
    """One named part. `absent` is the default that is stored by leaving the part out: None, or an empty set."""

    annotation: Any
    codec: WireCodec
    absent: Any
    always: bool
    """Whether it is stored whatever its value."""

    @property
    def literals(self) -> frozenset[Any] | None:
        """The values of a Literal, which can tell records apart."""
        kind = plain(self.annotation)
        return frozenset(get_args(kind)) if get_origin(kind) is Literal else None


class Record(Struct):
    """The parts of a kind of record; filled after it is known, so that a model may contain itself."""

    kind: type
    read: Callable[[Any], Mapping[str, Any]]
    build: Callable[[dict[str, Any]], Any]
    parts: dict[str, Part] = field(default_factory=dict)
    open: bool = False

    @property
    def always(self) -> set[str]:
        """The parts that every stored record has."""
        return {name for name, part in self.parts.items() if part.always}

    def encode(self, value: Any) -> AttributeValue:
        """The map of the parts."""
        if value.__class__ is not self.kind:
            self._refuse_more_parts(value)
        values = self.read(value)
        out: dict[str, AttributeValue] = {}
        for name, part in self.parts.items():
            member = values.get(name, NO_DEFAULT)
            if member is not NO_DEFAULT and not left_out(member, part.absent):
                out[name] = part.codec.encode(member)
        if self.open:
            out.update({name: to_wire(member, allow_float=True) for name, member in (value.model_extra or {}).items()})
        return {"M": out}

    def _refuse_more_parts(self, value: Any) -> None:
        """An instance of a subclass is read back as the declared class, so it must not have more to lose."""
        if not isinstance(value, self.kind):
            raise TypeError("a value of another class")
        more = [name for name in _names(type(value)) if name not in self.parts]
        if more:
            raise FieldTypeError(
                f"it holds a {type(value).__name__}, whose field {more[0]!r} is none of {self.kind.__name__}'s.",
                constraint="class",
                hint=f"Nothing was sent. Declare the field as {type(value).__name__}, or as a union of classes with a "
                "Literal field of different values.",
            )

    def decode(self, av: AttributeValue) -> Any:
        """The record; parts that are not stored get their defaults."""
        stored: Mapping[str, AttributeValue] = av["M"]
        parts = self.parts
        values = {name: part.codec.decode(stored[name]) for name, part in parts.items() if name in stored}
        if self.open:
            values.update({name: from_wire(member) for name, member in stored.items() if name not in parts})
        return self.build(values)


def left_out(value: Any, absent: Any) -> bool:
    """Whether a value is stored by leaving it out, because that default stands for it."""
    if absent is None:
        return value is None
    return absent is not NO_DEFAULT and not value


def absent_for(default: Any) -> Any:
    """The value that may be left out when this is the default: None or an empty set, else none at all."""
    return default if default is None or (isinstance(default, set | frozenset) and not default) else NO_DEFAULT


def is_record(kind: Any) -> bool:
    """Whether a type has named parts."""
    return (isinstance(kind, type) and issubclass(kind, BaseModel) and not kind.__pydantic_root_model__) or (
        isinstance(kind, type) and (dataclasses.is_dataclass(kind) or is_typed_dict(kind))
    )


def record_codec(kind: type, codec_for: Callable[[Any], WireCodec]) -> WireCodec:
    """The codec of a model, dataclass or TypedDict."""
    begun = _in_progress.get(None)
    if begun is None:
        token = _in_progress.set({})
        try:
            return record_codec(kind, codec_for)
        finally:
            _in_progress.reset(token)
    if kind in begun:
        return begun[kind]
    record = Record(dict if is_typed_dict(kind) else kind, _reader(kind), _builder(kind))
    codec = begun[kind] = WireCodec(record.encode, record.decode, "M")
    # All parts first, then their codecs: one of them may be a union of this very record with another.
    for name, annotation, default in _parts(kind, record):
        absent = absent_for(default)
        always = absent is NO_DEFAULT and name not in getattr(kind, "__optional_keys__", ())
        record.parts[name] = Part(annotation, ANYTHING, absent, always)
    for name, part in record.parts.items():
        try:
            part.codec = codec_for(part.annotation)
        except ModelError as error:
            raise ModelError(f"{kind.__name__}.{name}: {error.message}", hint=error.hint) from None
    return codec


def _names(kind: Any) -> list[str]:
    """The fields of a model or dataclass."""
    if issubclass(kind, BaseModel):
        return list(kind.model_fields)
    return [f.name for f in dataclasses.fields(kind) if f.init] if dataclasses.is_dataclass(kind) else []


def _reader(kind: Any) -> Callable[[Any], Mapping[str, Any]]:
    if is_typed_dict(kind):
        return lambda value: value
    if issubclass(kind, BaseModel):
        return lambda value: value.__dict__
    names = _names(kind)
    return lambda value: {name: getattr(value, name) for name in names}


def _builder(kind: Any) -> Callable[[dict[str, Any]], Any]:
    if is_typed_dict(kind):
        return lambda values: values
    if issubclass(kind, BaseModel):
        validate: Callable[[dict[str, Any]], Any] = kind.model_validate
        return validate
    return lambda values: kind(**values)


def _parts(kind: Any, record: Record) -> Iterator[tuple[str, Any, Any]]:
    """Name, annotation and default of each part."""
    if issubclass(kind, BaseModel):
        refuse_aliases(kind)
        record.open = kind.model_config.get("extra") == "allow"
        for name, info in kind.model_fields.items():
            yield name, field_annotation(info), known_default(info)
    elif dataclasses.is_dataclass(kind):
        defaults = {f.name: f.default for f in dataclasses.fields(kind)}
        for name, annotation in _hints(kind).items():
            yield name, annotation, defaults[name] if defaults[name] is None else NO_DEFAULT
    else:
        for name, annotation in _hints(kind).items():
            yield name, annotation, NO_DEFAULT


def known_default(info: Any) -> Any:
    """A Pydantic field's default where it is known without running code of the user's: a constant, or something empty."""
    if info.default_factory in (set, frozenset, list, dict):
        return info.default_factory()
    return NO_DEFAULT if info.default_factory is not None or info.default is PydanticUndefined else info.default


def refuse_aliases(kind: type[BaseModel]) -> None:
    """Values are built by field name, which an alias would forbid."""
    config = kind.model_config
    if config.get("populate_by_name") or config.get("validate_by_name"):
        return
    for name, info in kind.model_fields.items():
        if info.validation_alias is not None or info.alias is not None:
            raise ModelError(
                f"{kind.__name__}.{name} has an alias, so it cannot be built by its name.",
                hint=f"Give {kind.__name__} model_config = ConfigDict(populate_by_name=True), or drop the alias.",
            )


def _hints(kind: Any) -> dict[str, Any]:
    """The annotations of a dataclass or TypedDict, without the words that only say whether a key is required."""
    found = typing.get_type_hints(kind, include_extras=True)
    names = {f.name for f in dataclasses.fields(kind) if f.init} if dataclasses.is_dataclass(kind) else found.keys()
    unwrap = (typing.Required, typing.NotRequired)
    return {n: get_args(a)[0] if get_origin(a) in unwrap else a for n, a in found.items() if n in names}
