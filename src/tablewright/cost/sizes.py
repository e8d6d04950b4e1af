"""How large items and their index copies are likely to be, from the types of their fields, where nobody said it."""

from __future__ import annotations

import enum
import typing
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel

from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.entity_plan import EntityPlan, IndexBinding, UniquePlan
from tablewright.compiler.fields import FieldPlan
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.projections import projected_names
from tablewright.model.annotations import constraint, field_annotation, is_typed_dict, members, metadata, plain
from tablewright.model.entity import EntityOptions
from tablewright.model.fields import Epoch
from tablewright.model.indexes import AttributeNames
from tablewright.values.keybuilding.granularity import WIDTHS
from tablewright.values.keycodec import Placeholder

TEXT = 24
"""Characters of a text whose length nobody limits."""
ELEMENTS = 3
"""Elements of a list, set or map that nobody limits."""
_STAMP = len("2026-01-31T12:00:00.000000Z")
_DEPTH = 8
_SCALARS: Mapping[Any, int] = {
    bool: 1,
    int: 4,
    Decimal: 5,
    float: 9,
    datetime: _STAMP,
    date: len("2026-01-31"),
    time: len("12:00:00"),
    timedelta: 6,
    UUID: 36,
    bytes: 64,
}


class Sizes:
    """The likely sizes of one entity. `size` is what was said of a whole item."""

    def __init__(self, plan: EntityPlan, size: int | None = None) -> None:
        self._plan = plan
        self.attributes = _attributes(plan)
        self.said = size
        self.item = size if size is not None else sum(self.attributes.values())

    def copy(self, binding: IndexBinding) -> int:
        """Bytes of what an index holds of an item."""
        names = projected_names(self._plan.table, binding.index)
        if names is None:
            return self.item
        return min(self.item, sum(self.attributes.get(name, 0) for name in names))

    def marker(self, unique: UniquePlan) -> int:
        """Bytes of the marker of a unique value."""
        names, keys = self._plan.names, [self._plan.pk, *([self._plan.sk] if self._plan.sk is not None else [])]
        own = sum(len(key.attribute.name) + _key_size(key, self._plan) for key in unique.keys)
        owner = len(names.owner) + 3 + sum(1 + self.attributes[key.attribute.name] for key in keys)
        return own + len(names.type) + len(unique.type_name) + owner


def typical(annotation: Any, depth: int = 0) -> int:
    """Likely bytes of a value of this type."""
    if metadata(annotation, Epoch) is not None:
        return 6
    limit = constraint(annotation, "max_length")
    kind = next((m for m in members(annotation) if m is not type(None)), Any)
    kind, origin = plain(kind), get_origin(plain(kind))
    if origin is Literal:
        return _mean([len(str(value)) for value in get_args(kind)])
    if origin in (list, tuple, set, frozenset, dict):
        return _collection(origin, [a for a in get_args(kind) if a is not Ellipsis], limit, depth)
    if kind is str:
        return TEXT if limit is None else min(TEXT, limit)
    if kind in _SCALARS:
        return _SCALARS[kind]
    if isinstance(kind, type):
        if issubclass(kind, enum.Enum):
            return _mean([len(str(member.value)) for member in kind])
        if depth < _DEPTH and (parts := _parts(kind)) is not None:
            return 3 + sum(1 + len(name) + typical(part, depth + 1) for name, part in parts.items())
    return 2 * TEXT


def _collection(origin: Any, inner: list[Any], limit: int | None, depth: int) -> int:
    count = ELEMENTS if limit is None else min(ELEMENTS, limit)
    if depth >= _DEPTH:
        return 3
    each = sum(typical(a, depth + 1) for a in inner) if origin is dict else typical((inner or [Any])[0], depth + 1)
    return count * each if origin in (set, frozenset) else 3 + count * (1 + each)


def _parts(kind: type) -> dict[str, Any] | None:
    if issubclass(kind, BaseModel):
        return {name: field_annotation(info) for name, info in kind.model_fields.items()}
    if hasattr(kind, "__dataclass_fields__") or is_typed_dict(kind):
        return typing.get_type_hints(kind, include_extras=True)
    return None


def _mean(lengths: list[int]) -> int:
    return -(-sum(lengths) // max(1, len(lengths)))


def bare_size(names: AttributeNames, options: EntityOptions, fields: Mapping[str, FieldPlan]) -> int:
    """Likely bytes of an item without its keys, for entities that have none yet."""
    return sum(_bare(names, options, fields).values())


def _bare(names: AttributeNames, options: EntityOptions, fields: Mapping[str, FieldPlan]) -> dict[str, int]:
    """Names and likely values of the attributes that an item has beside its keys, what the library adds included."""
    sizes = {names.type: len(names.type) + len(options.type)}
    for stamp in (names.created, names.updated) if options.timestamps else ():
        sizes[stamp] = len(stamp) + _STAMP
    for number in [names.version] * options.version + [names.schema] * (options.schema_version is not None):
        sizes[number] = len(number) + 2
    for field in fields.values():
        value = len(field.path[-1]) + typical(field.annotation)
        if len(field.path) == 1:
            sizes[field.path[0]] = value
        else:
            sizes[field.path[0]] = sizes.get(field.path[0], len(field.path[0]) + 3) + 1 + value
    return sizes


def _attributes(plan: EntityPlan) -> dict[str, int]:
    """The same with the keys."""
    sizes = _bare(plan.names, plan.options, plan.fields)
    for key in (plan.pk, *([plan.sk] if plan.sk is not None else []), *(k for b in plan.bindings for k in b.keys)):
        sizes[key.attribute.name] = len(key.attribute.name) + _key_size(key, plan)
    return sizes


def _key_size(key: KeyPlan, plan: EntityPlan) -> int:
    if not isinstance(key, TemplateKey):
        return typical(key.field.annotation)
    template = key.bound.template
    size = len(template.style.separator) * (len(template.segments) - 1)
    for piece in (p for pieces in template.pieces for p in pieces):
        if not isinstance(piece, Placeholder):
            size += len(piece.text)
        elif piece.field in key.derived:
            derived = key.derived[piece.field]
            size += len(str(derived.of - 1)) if isinstance(derived, ShardPlan) else WIDTHS[derived.by]
        else:
            size += piece.width or typical(plan.sources[piece.field].annotation)
    return size
