"""Validating once more what Pydantic takes for valid: models and dataclasses inside a value, which may have been changed
in place.

Each is built again from its own parts, by its own class. Serializers play no part in this: they are made for showing data
(masked, rounded, left out), and what is stored must be the data itself.
"""

from __future__ import annotations

import dataclasses
import typing
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, get_args

import pydantic
from pydantic import BaseModel, TypeAdapter

from tablewright.model.annotations import is_typed_dict, members

_LEAVES = frozenset((str, int, Decimal, bool, type(None), float, bytes, datetime, date))


class InvalidInside(Exception):
    """What Pydantic found in a part of a value, and the steps that lead there. Never leaves the compiler."""

    def __init__(self, error: pydantic.ValidationError) -> None:
        self.error = error
        self.steps: list[str | int] = []


def holds_records(annotation: Any, _seen: frozenset[Any] = frozenset()) -> bool:
    """Whether a value of this type can hold a model or dataclass, which Pydantic does not validate a second time."""
    for member in members(annotation):
        if isinstance(member, type) and (issubclass(member, BaseModel) or dataclasses.is_dataclass(member)):
            return True
        inner = get_args(member)
        if member not in _seen and (is_typed_dict(member) or hasattr(member, "_fields")):
            inner = tuple(typing.get_type_hints(member, include_extras=True).values())
        if any(holds_records(a, _seen | {member} if isinstance(member, type) else _seen) for a in inner):
            return True
    return False


def revalidated(value: Any) -> Any:
    """The value with every model and dataclass in it built again. Raises InvalidInside."""
    kind = value.__class__
    if kind in _LEAVES:
        return value
    if issubclass(kind, BaseModel):
        return _model(kind, value)
    if issubclass(kind, dict):
        return _parts(value)
    if issubclass(kind, list | tuple):
        rebuilt = _elements(value)
        return kind(*rebuilt) if hasattr(kind, "_fields") else rebuilt if issubclass(kind, list) else tuple(rebuilt)
    if dataclasses.is_dataclass(value):
        names = [f.name for f in dataclasses.fields(kind) if f.init]
        given = _parts({name: getattr(value, name) for name in names if hasattr(value, name)})
        return _built(_validator_of(kind), given)
    return value


def _model(kind: type[BaseModel], value: Any) -> Any:
    held = value.__dict__
    fields = kind.__pydantic_fields__
    if kind.__pydantic_root_model__:
        return _built(kind.__pydantic_validator__, revalidated(held.get("root")))
    given = _parts({name: held[name] for name in fields if name in held})
    if value.__pydantic_extra__:
        given.update(_parts(value.__pydantic_extra__))
    return _built(kind.__pydantic_validator__, given)


def _parts(values: dict[Any, Any]) -> dict[Any, Any]:
    out: dict[Any, Any] = {}
    name: Any = None
    try:
        for name, member in values.items():
            out[name] = member if member.__class__ in _LEAVES else revalidated(member)
    except InvalidInside as error:
        error.steps.insert(0, str(name))
        raise
    return out


def _elements(values: list[Any] | tuple[Any, ...]) -> list[Any]:
    out: list[Any] = []
    try:
        for member in values:
            out.append(member if member.__class__ in _LEAVES else revalidated(member))
    except InvalidInside as error:
        error.steps.insert(0, len(out))
        raise
    return out


def _built(validator: Any, given: Any) -> Any:
    try:
        return validator.validate_python(given)
    except pydantic.ValidationError as error:
        raise InvalidInside(error) from None


@lru_cache(maxsize=256)
def _validator_of(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
