"""Whether a view's field can ever take what its entity's field holds. Tried out on samples; doubt counts as yes."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

import pydantic
from pydantic import BaseModel, TypeAdapter

from tablewright.model.annotations import NoneType, describe, field_annotation, marks, members

# Texts in every form that Pydantic would take for something else; whole numbers and fractions; an empty collection.
_SAMPLES: dict[Any, tuple[Any, ...]] = {
    str: ("x", "0", "0.5", "true", "2025-01-01", "2025-01-01T00:00:00Z", "00:00:00", "PT1S", str(UUID(int=0))),
    int: (0, 1, 2),
    float: (0.0, 0.5),
    Decimal: (Decimal(0), Decimal("0.5")),
    bool: (True, False),
    bytes: (b"x", b"0", b"true", b"2025-01-01", b"2025-01-01T00:00:00Z", b"0" * 16, str(UUID(int=0)).encode()),
    datetime: (datetime(2025, 1, 1, tzinfo=UTC),),
    date: (date(2025, 1, 1),),
    time: (time(),),
    timedelta: (timedelta(),),
    UUID: (UUID(int=0),),
    list: ([],),
    tuple: ((),),
    set: (set(),),
    frozenset: (frozenset(),),
    dict: ({},),
}


@lru_cache(maxsize=256)
def misfit(entity: type[BaseModel], view: type[BaseModel]) -> str | None:
    """The first field of a view whose type cannot be read from the entity's, in words; None when all can."""
    if view.__pydantic_decorators__.model_validators:
        return None
    validated = {f for d in view.__pydantic_decorators__.field_validators.values() for f in d.info.fields}
    for name, info in view.model_fields.items():
        if name not in entity.model_fields:  # it takes what the table knows of the item
            continue
        given, wanted = field_annotation(entity.model_fields[name]), field_annotation(info)
        if validated & {name, "*"} or any(True for m in members(wanted) for _ in marks(m)) or any(marks(wanted)):
            continue
        if not _can_fit(given, wanted):
            return f"{name!r} as {describe(wanted)}, but in {entity.__name__} it is {describe(given)}"
    return None


def _can_fit(given: Any, wanted: Any) -> bool:
    if not all(_known(kind) for kind in members(wanted)):
        return True
    validate = TypeAdapter(wanted).validate_python
    return any(_takes(validate, _samples(kind)) for kind in members(given) if kind is not NoneType)


def _known(kind: Any) -> bool:
    """Whether a sample of another type says something about a type: not of models, which may have code of their own."""
    origin = get_origin(kind) or kind
    return (
        origin in _SAMPLES
        or origin is NoneType
        or origin is Literal
        or (isinstance(origin, type) and issubclass(origin, enum.Enum))
    )


def _samples(kind: Any) -> Iterable[Any] | None:
    origin = get_origin(kind) or kind
    if origin is Literal:
        return get_args(kind)
    if isinstance(origin, type) and issubclass(origin, enum.Enum):
        return list(origin)
    if origin is tuple and get_args(kind):
        return None  # how long it is matters
    return _SAMPLES.get(origin)


def _takes(validate: Any, samples: Iterable[Any] | None) -> bool:
    if samples is None:
        return True
    for sample in samples:
        try:
            validate(sample)
        except pydantic.ValidationError:
            continue
        return True
    return False
