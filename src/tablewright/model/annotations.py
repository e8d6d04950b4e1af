"""Reading type annotations: what is optional, what is inside, and whether one type can stand for another."""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

NoneType = type(None)


def plain(annotation: Any) -> Any:
    """The type behind Annotated, NewType and named aliases."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif isinstance(annotation, typing.NewType):
            annotation = annotation.__supertype__
        elif type(annotation).__name__ == "TypeAliasType":  # Python 3.12's `type X = ...`, or typing_extensions'
            annotation = annotation.__value__
        else:
            return annotation


def members(annotation: Any) -> tuple[Any, ...]:
    """The members of a union, or the annotation alone."""
    annotation = plain(annotation)
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(m for a in get_args(annotation) for m in members(a))
    return (annotation,)


def alternatives(annotation: Any) -> tuple[Any, ...]:
    """The members of a union with the markers that stand on each, or the annotation alone."""
    inner = plain(annotation)
    if get_origin(inner) in (Union, types.UnionType):
        return tuple(m for a in get_args(inner) for m in alternatives(a))
    return (annotation,)


def is_typed_dict(kind: Any) -> bool:
    """Whether this is a TypedDict, of whichever module: typing's own test does not know typing_extensions' ones."""
    return isinstance(kind, type) and issubclass(kind, dict) and hasattr(kind, "__required_keys__")


def optional(annotation: Any) -> bool:
    """Whether None is allowed."""
    return NoneType in members(annotation)


def without_none(annotation: Any) -> Any:
    """The annotation when the value is not None; metadata of Annotated is kept where it stands on the whole."""
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        stripped = without_none(inner)
        return Annotated[(stripped, *metadata)] if stripped is not Any else stripped
    if get_origin(annotation) in (Union, types.UnionType):
        rest = [a for a in get_args(annotation) if a is not NoneType]
        return rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007 - built at run time
    return annotation


def marks(annotation: Any) -> Iterator[Any]:
    """Everything that stands in Annotated[...] on this type, or on the one type beside None."""
    if get_origin(annotation) is Annotated:
        inner, *found = get_args(annotation)
        for mark in found:
            yield from mark.metadata if isinstance(mark, FieldInfo) else (mark,)
        yield from marks(inner)
    elif get_origin(annotation) in (Union, types.UnionType):
        rest = [a for a in get_args(annotation) if a is not NoneType]
        if len(rest) == 1:
            yield from marks(rest[0])


def metadata(annotation: Any, kind: type) -> Any:
    """The first marker of this kind; None if there is none."""
    return next((mark for mark in marks(annotation) if isinstance(mark, kind)), None)


def constraint(annotation: Any, name: str) -> Any:
    """A declared constraint such as max_length, ge or to_lower; None if there is none."""
    return next((found for mark in marks(annotation) if (found := getattr(mark, name, None)) is not None), None)


def count_of_values(annotation: Any) -> int | None:
    """How many values a type allows, None left out, where they can be counted: of a Literal, an Enum or a bool."""
    total = 0
    for kind in members(annotation):
        if kind is bool:
            total += 2
        elif get_origin(kind) is Literal:
            total += len(get_args(kind))
        elif isinstance(kind, type) and issubclass(kind, enum.Enum):
            total += len(kind)
        elif kind is not NoneType:
            return None
    return total


def member_annotation(annotation: Any, step: str | int) -> Any:
    """The annotation of a part of a value: a model's field, a map's value, a list's element; None if there is none."""
    for candidate in members(annotation):
        origin, arguments = get_origin(candidate), get_args(candidate)
        if isinstance(step, str):
            if isinstance(candidate, type) and issubclass(candidate, BaseModel):
                # A root model is stored as what it holds, so that its one field is no part of it.
                field = None if candidate.__pydantic_root_model__ else candidate.model_fields.get(step)
                if field is not None:
                    return field_annotation(field)
            elif (dataclasses.is_dataclass(candidate) and isinstance(candidate, type)) or is_typed_dict(candidate):
                hints = typing.get_type_hints(candidate, include_extras=True)
                if step in hints:
                    found = hints[step]
                    return get_args(found)[0] if get_origin(found) in (typing.Required, typing.NotRequired) else found
            elif origin is dict:
                return arguments[1]
            elif candidate is dict or candidate is Any:
                return Any
        elif origin is tuple and arguments[-1] is not Ellipsis:
            if step < len(arguments):
                return arguments[step]
        elif origin in (list, tuple):
            return arguments[0]
        elif candidate in (list, tuple) or candidate is Any:
            return Any
    return None


def place_of(annotation: Any, step: str | int) -> str | int:
    """A step of a path as far as it matters to types: free keys of maps are all one, and so are positions in lists."""
    for candidate in members(annotation):
        origin, arguments = get_origin(candidate) or candidate, get_args(candidate)
        if isinstance(step, str) and origin in (dict, Any):
            return "*"
        if isinstance(step, int) and origin is tuple and arguments and arguments[-1] is not Ellipsis:
            return step
    return step if isinstance(step, str) else 0


def field_annotation(field: Any) -> Any:
    """A Pydantic field's annotation with its markers put back, which Pydantic keeps apart."""
    return Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation


_WIDER: dict[type, tuple[type, ...]] = {int: (float, Decimal), bool: (int,)}


def fits(given: Any, expected: Any) -> bool:
    """Whether a value annotated `given` can be compared with one annotated `expected`. Doubt counts as yes."""
    return any(_fits(g, e) for g in members(given) if g is not NoneType for e in members(expected) if e is not NoneType)


def _fits(given: Any, expected: Any) -> bool:
    if given is Any or expected is Any or isinstance(given, typing.TypeVar):
        return True
    if get_origin(given) is Literal:
        if get_origin(expected) is Literal:
            return bool(set(get_args(given)) & set(get_args(expected)))
        return any(_fits(type(v), expected) for v in get_args(given))
    if get_origin(expected) is Literal:
        return any(_fits(given, type(v)) for v in get_args(expected))
    given_class, expected_class = get_origin(given) or given, get_origin(expected) or expected
    if isinstance(given_class, type) and isinstance(expected_class, type):
        if {given_class, expected_class} == {date, datetime}:
            return False
        return (
            issubclass(given_class, expected_class)
            or issubclass(expected_class, given_class)
            or expected_class in _WIDER.get(given_class, ())
            or (issubclass(expected_class, enum.Enum) and any(isinstance(m.value, given_class) for m in expected_class))
        )
    return True


def describe(annotation: Any) -> str:
    """An annotation as a person would write it."""
    parts = []
    for member in members(annotation):
        if member is NoneType:
            parts.append("None")
        elif get_origin(member) is not None:
            parts.append(str(member).replace("typing.", ""))
        else:
            parts.append(getattr(member, "__name__", str(member)))
    return " | ".join(parts)
