"""Steps of paths that are keys of maps: read as the map's key type, and written as a whole value would store them."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any, get_args, get_origin

import pydantic
from msgspec import Struct
from pydantic import BaseModel

from tablewright.compiler.wirecodec import WireCodec
from tablewright.errors import FieldTypeError, ValidationError
from tablewright.model.annotations import field_annotation, is_typed_dict, member_annotation, members

_FAILURES = (ValidationError, LookupError, ValueError, TypeError, ArithmeticError, AttributeError)


class MapKeys(Struct, frozen=True, eq=False):
    """The keys of one map: how they are validated, and how they are stored."""

    validator: Any
    codec: WireCodec

    def text(self, step: str) -> str:
        """The key as it is stored. Raises what the validator or the codec raises."""
        tag = str(self.codec.tag)
        try:  # as it is stored already
            if self._stored(self.codec.decode({tag: step})) == step:
                return step
        except _FAILURES:  # Pydantic's error is a ValueError
            pass
        return self._stored(step)

    def _stored(self, key: Any) -> str:
        text: str = self.codec.encode(self.validator.validate_python(key))[str(self.codec.tag)]
        if not text:
            raise ValueError("an empty key")
        return text


def key_type(annotation: Any, step: str) -> Any:
    """The type of the keys that a step is one of; None where it is the name of a part, or may be any text."""
    holder = next((m for m in members(annotation) if member_annotation(m, step) is not None), None)
    return get_args(holder)[0] if get_origin(holder) is dict else None


def refused_key(entity: str, path: str, error: Exception) -> FieldTypeError:
    """What is wrong with a step that is no key of its map."""
    if isinstance(error, pydantic.ValidationError):
        found = error.errors(include_url=False, include_input=False, include_context=False)[0]
        what, constraint = found["msg"], found["type"]
    else:
        what, constraint = "This cannot be a key of the map", "key"
    return FieldTypeError(
        f"{entity}.{path}: {what}.",
        field=path,
        constraint=constraint,
        hint="Nothing was written; give a key that the map can hold.",
    )


def has_typed_keys(annotation: Any, configured: bool, seen: frozenset[Any] = frozenset()) -> bool:
    """Whether a value of this type can hold a map whose keys are not just any text. `configured` is whether the model
    that it is in says something of all texts."""
    for member in members(annotation):
        origin, inner = get_origin(member), get_args(member)
        if origin is dict and (inner[0] is not str or configured):
            return True
        within = configured
        if isinstance(member, type) and member not in seen:
            seen |= {member}
            if issubclass(member, BaseModel):
                within = bool(member.model_config)
                inner = tuple(field_annotation(f) for f in member.model_fields.values())
            elif dataclasses.is_dataclass(member) or is_typed_dict(member):
                inner = tuple(typing.get_type_hints(member, include_extras=True).values())
        if any(has_typed_keys(a, within, seen) for a in inner):
            return True
    return False
