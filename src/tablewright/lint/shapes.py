"""The shapes of attributes: how deep they nest, how long their collections may be, how large they may become."""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterator
from typing import Any, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.model.annotations import constraint, field_annotation, is_typed_dict, members, plain

_COLLECTIONS = (list, set, frozenset, tuple, dict)
ENDLESS = 1_000
"""The depth of what holds itself."""


class Held(Struct, frozen=True):
    """A collection somewhere in a field: its path, what it is, and how many members it may have."""

    path: str
    kind: str
    member: Any
    most: int | None


def parts(kind: Any) -> dict[str, Any] | None:
    """The named parts of a model, dataclass or TypedDict; None for anything else."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if kind.__pydantic_root_model__:
            return None
        return {name: field_annotation(info) for name, info in kind.model_fields.items()}
    if (isinstance(kind, type) and dataclasses.is_dataclass(kind)) or is_typed_dict(kind):
        return typing.get_type_hints(kind, include_extras=True)
    return None


def _collection(kind: Any) -> tuple[type, Any] | None:
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin not in _COLLECTIONS:
        return None
    if origin is dict:
        return dict, arguments[1] if arguments else Any
    if origin is tuple and arguments and arguments[-1] is not Ellipsis:
        return None  # as long as it says
    return origin, arguments[0] if arguments else Any


def collections(plan: EntityPlan) -> Iterator[tuple[str, Held]]:
    """The collections in each field that is stored in the item itself, with the field's name."""
    for name, field in plan.fields.items():
        if field.sealing is None:
            for held in _collections(field.annotation, name, ()):
                yield name, held


def _collections(annotation: Any, path: str, above: tuple[Any, ...]) -> Iterator[Held]:
    most = constraint(annotation, "max_length")
    for kind in members(annotation):
        if isinstance(kind, type) and kind in above:
            continue
        found = _collection(kind)
        inner = parts(kind)
        if found is not None:
            yield Held(path, found[0].__name__, found[1], most)
            yield from _collections(found[1], f"{path}[]", above)
        elif inner is not None:
            for name, held in inner.items():
                yield from _collections(held, f"{path}.{name}", (*above, kind))


def depth(annotation: Any, above: tuple[Any, ...] = ()) -> int:
    """How many lists and maps lie within each other at most."""
    deepest = 0
    for kind in members(annotation):
        found, inner = _collection(kind), parts(kind)
        if isinstance(kind, type) and kind in above:
            return ENDLESS
        if found is not None:
            deepest = max(deepest, 1 + depth(found[1], above))
        elif inner is not None:
            deepest = max(deepest, 1 + max((depth(a, (*above, kind)) for a in inner.values()), default=0))
    return deepest


_CHARACTER = 4
"""Bytes that a character takes at most, and lengths are told in characters."""


def largest(annotation: Any, above: tuple[Any, ...] = ()) -> int:
    """Bytes that a value may take by its declared lengths; what says nothing counts as little as it can."""
    most = constraint(annotation, "max_length")
    sizes = [0]
    for kind in members(annotation):
        found, inner = _collection(kind), parts(kind)
        if isinstance(kind, type) and kind in above:
            continue
        if found is not None:
            sizes.append((most or 0) * max(1, largest(found[1], above)))
        elif inner is not None:
            sizes.append(sum(len(name) + largest(held, (*above, kind)) for name, held in inner.items()))
        elif plain(kind) in (str, bytes):
            sizes.append((most or 1) * (_CHARACTER if plain(kind) is str and most else 1))
        else:
            sizes.append(8)
    return max(sizes)


def largest_item(plan: EntityPlan) -> int:
    """Bytes that an item may take by the declared lengths of its fields; what is sealed or kept elsewhere is left out."""
    stored = [field for field in plan.fields.values() if field.sealing is None]
    return sum(len(field.path[-1]) + largest(field.annotation) for field in stored)


_LONG = re.compile(
    r"(.*_)?(body|html|markdown|contents?|transcript|payload|blob|document|snapshot|raw|json|xml|full_text)"
).fullmatch


def endless(plan: EntityPlan) -> list[str]:
    """Fields that may hold anything of any length: bytes, values of any kind, and texts that are called like documents.
    Collections are counted elsewhere, and any other text is taken to be short."""
    keys = plan.key_fields.union(*(binding.sources for binding in plan.bindings))
    return [
        path
        for name, field in plan.fields.items()
        if field.sealing is None and name not in keys
        for path in _endless(field.annotation, name, ())
    ]


def _endless(annotation: Any, path: str, above: tuple[Any, ...]) -> Iterator[str]:
    if constraint(annotation, "max_length") is not None:
        return
    for kind in members(annotation):
        inner = parts(kind)
        if kind in (bytes, Any) or (kind is str and _LONG(path.rpartition(".")[2])):
            yield path
        elif inner is not None and kind not in above:
            for name, held in inner.items():
                yield from _endless(held, f"{path}.{name}", (*above, kind))
