"""Views: reading some fields of an entity into a Pydantic model of the user's, also through a narrow projection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace
from pydantic import BaseModel

from tablewright.compiler.codegen import stored_reader
from tablewright.compiler.entity_plan import NO_FORM, EntityPlan
from tablewright.compiler.keys import KeyPlan
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.projections import STAMPS, held_attribute, stamp_attributes
from tablewright.compiler.viewtypes import misfit
from tablewright.compiler.wirerecords import refuse_aliases
from tablewright.errors import DecodeError, KeyValueError, PatternError
from tablewright.expressions import ast
from tablewright.model.annotations import field_annotation, members
from tablewright.model.entity import Stored, did_you_mean
from tablewright.values.types import Item


def check_view(what: str, plan: EntityPlan, view: type[BaseModel]) -> None:
    """Every field of a view is a field of its entity, and can take what that holds; or it takes a Stored."""
    if not (isinstance(view, type) and issubclass(view, BaseModel)):
        raise PatternError(f"{what}: only= takes a Pydantic model class, not {type(view).__name__}.")
    refuse_aliases(view)
    for name in view.model_fields:
        if name not in plan.fields and name not in told_of(view):
            raise PatternError(
                f"{what}: {view.__name__} has the field {name!r}, which {plan.name} does not have."
                + did_you_mean(name, plan.fields)
            )
    models: tuple[Any, Any] = plan.entity, view
    wrong = misfit(*models)
    if wrong is not None:
        raise PatternError(
            f"{what}: {view.__name__} has {wrong}.", hint="Give it the entity's type, or a validator that converts it."
        )


def told_of(view: type[BaseModel]) -> frozenset[str]:
    """The fields of a view that take what the table knows of an item: its version and times."""
    return frozenset(n for n, info in view.model_fields.items() if Stored in members(field_annotation(info)))


def needs_of(view: type[BaseModel]) -> frozenset[str]:
    """What a view needs of the key that serves it."""
    told = told_of(view)
    return frozenset(view.model_fields) - told | (frozenset((STAMPS,)) if told else frozenset())


def view_plan(plan: EntityPlan, view: type[BaseModel], path: KeyPath) -> EntityPlan:
    """The entity's plan with items decoded as the view."""
    told = told_of(view)
    stamps = stored_reader(plan.options, plan.names)
    readers = {name: stamps if name in told else _reader(plan, name, path) for name in view.model_fields}

    def decode(item: Item) -> Any:
        try:
            return view.model_validate({name: read(item) for name, read in readers.items()})
        except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError, KeyValueError) as error:
            raise DecodeError(
                f"A stored {plan.name} cannot be read as {view.__name__}.",
                hint="A stored field is missing or does not fit the view.",
            ) from error

    return replace(plan, decode=decode, forms=NO_FORM)


def projected_paths(plan: EntityPlan, view: type[BaseModel], path: KeyPath) -> tuple[ast.Path, ...]:
    """What to ask for: the view's fields, the type, and the keys, by which results are ordered and paged."""
    keys = [k.attribute.name for k in _keys(plan, path)]
    held = _stored_there(plan, path)
    fields: list[ast.Path] = [plan.fields[name].path for name in view.model_fields if name in held]
    if told_of(view):
        fields += [(name,) for name in stamp_attributes(plan)]
    elif plan.versions is not None and held_attribute(path, plan.versions.attribute):
        fields.append((plan.versions.attribute,))  # fields of another version are not what they seem
    return tuple(
        dict.fromkeys([*((k,) for k in keys), *_type(plan, path), *_hidden(plan, path), *_expiry(plan, path), *fields])
    )


def _type(plan: EntityPlan, path: KeyPath) -> list[ast.Path]:
    index = path.index
    there = index is None or index.local or index.projection == "ALL" or plan.names.type in index.include
    return [(plan.names.type,)] if there else []


def expiry_attribute(plan: EntityPlan) -> str | None:
    """The attribute that items of an entity expire by."""
    return str(plan.fields[plan.options.ttl].path[0]) if plan.options.ttl is not None else None


def holds_expiry(plan: EntityPlan, path: KeyPath) -> bool:
    """Whether a read through this key sees when its items expire."""
    return plan.options.ttl is not None and plan.options.ttl in _stored_there(plan, path)


def _expiry(plan: EntityPlan, path: KeyPath) -> list[ast.Path]:
    return [(str(expiry_attribute(plan)),)] if holds_expiry(plan, path) else []


def _hidden(plan: EntityPlan, path: KeyPath) -> list[ast.Path]:
    """What tells a tombstone, where there may be some: other indexes need not project it."""
    return [] if plan.hides is None or plan.visible(path.index) is None else [(plan.hides,)]


def _keys(plan: EntityPlan, path: KeyPath) -> list[KeyPlan]:
    return [*path.pk, *path.sk, *(k for k in (plan.pk, plan.sk) if k is not None)]


def _stored_there(plan: EntityPlan, path: KeyPath) -> frozenset[str]:
    """The fields whose attributes a read through this key can get; a local index fetches what it lacks."""
    index = path.index
    if index is None or index.local or index.projection == "ALL":
        return frozenset(plan.fields)
    names = {k.attribute.name for k in _keys(plan, path)} | set(index.include)
    return frozenset(f.name for f in plan.fields.values() if f.path[0] in names)


def _reader(plan: EntityPlan, name: str, path: KeyPath) -> Callable[[Item], Any]:
    if name in _stored_there(plan, path):
        field, told = plan.fields[name], plan.in_key.keys

        def read(item: Item) -> Any:
            if field.default is None and len(field.path) == 1 and (name not in told or field.path[0] in item):
                return field.codec.decode(item[field.path[0]])
            return plan.values_in(item, (name,))[name]

        return read
    key = next(k for k in _keys(plan, path) if name in k.fields)
    attribute = key.attribute.name
    return lambda item: key.decode(item[attribute])[name]
