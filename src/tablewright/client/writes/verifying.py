"""Changes inside a field that cannot be judged by themselves. Such a field is read, changed as the update will change it,
and validated as a whole; the guard makes sure that what was read is still there when the change is written."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, PlainValidator, WrapValidator

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import DecodeError, FieldTypeError, TablewrightError
from tablewright.model.annotations import NoneType, is_typed_dict, marks, members, plain
from tablewright.model.change import Action, Append, Assign, Discard, Include, Increment, Remove
from tablewright.model.conditions import FieldPath
from tablewright.values.types import Item

_VALIDATORS = (AfterValidator, BeforeValidator, PlainValidator, WrapValidator)


def fields_to_verify(plan: EntityPlan, changes: Iterable[Action]) -> frozenset[str]:
    """The fields whose new value only shows when the change is made to the stored one. A rule of the entity's own is about
    all of them."""
    if _has_rules(plan.entity):
        return frozenset(plan.fields)
    return frozenset(str(c.path[0]) for c in changes if _must_look(plan, c))


def verify(plan: EntityPlan, names: Iterable[str], after: Item) -> None:
    """Validates fields of an item as it would be; raises before anything is written."""
    name = ""
    try:
        for name in sorted(names):
            plan.fields[name].accept(plan.values_in(after, {name})[name])
        if _has_rules(plan.entity):
            plan.validated(plan.decode(after))
    except DecodeError:
        raise FieldTypeError(
            f"{plan.name}.{name} would not fit its type any more.",
            field=name,
            constraint="type",
            hint="Nothing was written; the change does not fit what is stored. Set the field as a whole.",
        ) from None
    except TablewrightError as error:
        error.hint = "Nothing was written; correct the change."
        raise


def _must_look(plan: EntityPlan, change: Action) -> bool:
    path = change.path
    if len(path) == 1 and isinstance(change, Assign | Remove):
        return False  # a whole value was validated by itself
    own = plan.paths.annotation(path)
    if any(_judges(plan, path[:depth]) for depth in range(1, len(path))):
        return True
    match change:
        case Increment() | Append():
            return _validated(plan, path)
        case Include() | Discard():
            return _validated(plan, path) or _has_length(own)
    return False


def _judges(plan: EntityPlan, path: FieldPath) -> bool:
    """Whether what stands at this path has rules about its parts together, or takes several forms."""
    annotation = plan.paths.annotation(path)
    forms = [m for m in members(annotation) if m is not NoneType]
    return len(forms) > 1 or _validated(plan, path) or _has_length(annotation) or _has_rules(forms[0])


def _has_rules(form: Any) -> bool:
    origin = get_origin(form) or form
    if origin is tuple:
        return True
    if origin is dict:
        arguments = get_args(form)
        return bool(arguments) and plain(arguments[0]) is not arguments[0]
    if isinstance(form, type) and issubclass(form, BaseModel):
        decorators = form.__pydantic_decorators__
        return bool(decorators.model_validators or decorators.root_validators)
    return dataclasses.is_dataclass(form) and hasattr(form, "__post_init__") and not is_typed_dict(form)


def _has_length(annotation: Any) -> bool:
    return any(getattr(mark, rule, None) is not None for mark in marks(annotation) for rule in _LENGTHS)


_LENGTHS = ("min_length", "max_length")


def _validated(plan: EntityPlan, path: FieldPath) -> bool:
    """Whether a function of the user's judges the value at this path."""
    if any(isinstance(mark, _VALIDATORS) for mark in marks(plan.paths.annotation(path))):
        return True
    return any(
        path[-1] in d.info.fields or "*" in d.info.fields
        for owner in _owners(plan, path)
        for d in owner.__pydantic_decorators__.field_validators.values()
    )


def _owners(plan: EntityPlan, path: FieldPath) -> Iterator[type[BaseModel]]:
    """The models that a path's last step is a field of."""
    holders = members(plan.paths.annotation(path[:-1])) if len(path) > 1 else (plan.entity,)
    for holder in holders:
        if isinstance(holder, type) and issubclass(holder, BaseModel):
            yield holder
