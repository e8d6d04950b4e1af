"""Changes inside a field that cannot be judged by themselves. Such a field is read, changed as the update will change it,
and validated as a whole; what validation makes of it is written, and the guard makes sure that what was read is still
there then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pydantic
from pydantic import AfterValidator, BaseModel, BeforeValidator, PlainValidator, WrapValidator

from tablewright.client.writes.base import at
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.fields import refused
from tablewright.compiler.revalidating import InvalidInside, revalidated
from tablewright.compiler.rules import has_rules
from tablewright.errors import DecodeError, FieldTypeError, ImmutableFieldError, TablewrightError
from tablewright.expressions import ast
from tablewright.model.annotations import NoneType, marks, members
from tablewright.model.change import Action, Append, Assign, Discard, Include, Increment, Remove
from tablewright.model.conditions import FieldPath
from tablewright.values.types import Item

_VALIDATORS = (AfterValidator, BeforeValidator, PlainValidator, WrapValidator)


def fields_to_verify(plan: EntityPlan, changes: Iterable[Action]) -> frozenset[str]:
    """The fields whose new value only shows when the change is made to the stored one. A rule of the entity's own is about
    all of them."""
    if has_rules(plan.entity):
        return frozenset(plan.fields)
    return frozenset(str(c.path[0]) for c in changes if _must_look(plan, c))


def verified_values(
    plan: EntityPlan, names: Iterable[str], given: Mapping[str, Any], after: Item
) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The values that fields of an item would have, validated and normalised, and what they were before that; raises before
    anything is written. `given` are new values that can only be validated with the others."""
    name = ""
    try:
        values: dict[str, Any] = {}
        if has_rules(plan.entity):
            for name, known in plan.fields.items():
                value = plan.values_in(after, (name,))[name] if name not in given else None
                if value is not None or known.nullable:  # what is not stored, and has no default, is found missing
                    values[name] = value
            held = {n: _wire(plan, n, value) for n, value in values.items()}
            return _validated_whole(plan, {**values, **given}), held
        for name in sorted(names):
            values[name] = plan.fields[name].accept(plan.values_in(after, (name,))[name])
        return values, {}
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


def _validated_whole(plan: EntityPlan, held: dict[str, Any]) -> Mapping[str, Any]:
    """Values of all fields, as create() would validate them."""
    name = ""
    try:
        for name in plan.record_fields:
            if name in held:
                held[name] = revalidated(held[name])
        name = ""
        whole = plan.entity.__pydantic_validator__.validate_python(held)
    except (pydantic.ValidationError, InvalidInside) as error:
        raise refused(plan.name, name, error) from None
    found: Mapping[str, Any] = vars(whole)
    return found


def settled(
    plan: EntityPlan, names: Iterable[str], values: Mapping[str, Any], after: Item
) -> dict[str, ast.UpdateAction]:
    """By field: what stores its validated value, where an item would hold another one. Parts that the model does not know
    are no difference: they stay unless something else must be written."""
    actions: dict[str, ast.UpdateAction] = {}
    for name in sorted(names):
        field, value = plan.fields[name], values[name]
        if field.sealing is not None:  # made anew, it differs each time
            continue
        held, stored = plan.values_in(after, (name,))[name], at(after, field.path)
        if field.absent(value):
            if stored is not None and not field.absent(held):
                actions[name] = ast.RemoveAction(field.path)
            continue
        wire = field.encode(value)
        if held is None or field.absent(held) or wire != field.encode(held) or _lacks(stored, wire):
            actions[name] = ast.SetAction(field.path, ast.Value(wire))
    return actions


def worked_out(
    plan: EntityPlan, names: Iterable[str], values: Mapping[str, Any], held: Mapping[str, Any]
) -> dict[str, ast.UpdateAction]:
    """By field: what stores its value, where rules of the entity made another one of what an item holds."""
    actions: dict[str, ast.UpdateAction] = {}
    for name in sorted(names):
        field, value = plan.fields[name], values[name]
        if name in held and _wire(plan, name, value) == held[name]:
            continue
        gone = field.absent(value)
        actions[name] = (
            ast.RemoveAction(field.path) if gone else ast.SetAction(field.path, ast.Value(field.encode(value)))
        )
    return actions


def refuse_other_key(
    plan: EntityPlan, names: Iterable[str], values: Mapping[str, Any], held: Mapping[str, Any]
) -> None:
    """An item keeps its key: rules must not work out another one from what is changed."""
    for name in sorted(names):
        if name in held and _wire(plan, name, values[name]) != held[name]:
            raise ImmutableFieldError(
                f"With this change, a rule of {plan.name} makes another {name!r} of it, so it would be another item.",
                field=name,
                hint="Nothing was written. Delete the old item and create the new one in a transaction.",
            )


def _wire(plan: EntityPlan, name: str, value: Any) -> Any:
    """A value as it is compared: as it would be stored, unless that is made anew each time."""
    field = plan.fields[name]
    return value if field.sealing is not None or field.absent(value) else field.encode(value)


def _lacks(stored: Any, wire: Any) -> bool:
    """Whether something of a new value is not what is stored."""
    if stored is None or stored.keys() != wire.keys():
        return True
    ((tag, new),) = wire.items()
    old = stored[tag]
    match tag:
        case "M":
            return any(_lacks(old.get(name), part) for name, part in new.items())
        case "L":
            return len(old) != len(new) or any(map(_lacks, old, new))
        case "SS" | "NS" | "BS":
            return set(old) != set(new)
    return bool(old != new)


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
    return len(forms) > 1 or _validated(plan, path) or _has_length(annotation) or has_rules(forms[0])


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
