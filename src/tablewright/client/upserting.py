"""Writes that make an item where there is none, and writes that count: upsert, save and increment, as steps."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, TypeVar

from tablewright.client import hooks, operations
from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.locking import is_locked
from tablewright.client.performing import perform
from tablewright.client.targets import Target, resolve, target_plan
from tablewright.client.writes.changes import check_changes
from tablewright.client.writes.update import Update
from tablewright.client.writes.upsert import Upsert
from tablewright.compiler.changes import refuse_frozen_changes
from tablewright.errors import ArgumentError
from tablewright.expressions.reading import value_at
from tablewright.model.change import Action, Assign, Increment
from tablewright.model.comparing import field_path
from tablewright.model.conditions import FieldPath
from tablewright.model.entity import Entity, stored, with_article

E = TypeVar("E", bound=Entity)
N = TypeVar("N", int, Decimal, float)


def plan_upsert(context: Context, entity: Entity, actions: Iterable[Action] | None, *, look: bool = False) -> Upsert:
    """An upsert, validated both ways before anything is sent. Without changes, the fields that were set are assigned."""
    creating = operations.plan_create(context, entity)
    plan, values = creating.plan, creating.values
    if actions is None:
        named = sorted(entity.model_fields_set & plan.fields.keys() - plan.key_fields)
        actions = [Assign((name,), values[name]) for name in named]
    else:
        actions = list(actions)
        refuse_frozen_changes(plan, actions)
    if plan.hooks is not None:
        actions = hooks.before_update(plan.hooks, actions)
    changing = Update(
        plan,
        creating.key,
        changes=check_changes(plan, actions),
        values={name: values[name] for name in plan.key_fields},
    )
    return Upsert(plan, creating.key, creating=creating, changing=changing, look=look)


def upsert(context: Context, entity: E, actions: Iterable[Action] | None) -> Steps[E]:
    """Makes the item or changes it; returns the entity as it is now."""
    write = plan_upsert(context, entity, actions)
    outcome = yield from perform(context, write, returning="ALL_NEW")
    found: E = yield from operations.written(context, write, outcome.attributes or write.made)
    return found


def save(context: Context, entity: E) -> Steps[E]:
    """Creates an entity that is new, and puts one that was read, locked."""
    plan = context.plan.of(type(entity))
    if not is_locked(plan):
        raise ArgumentError(
            f"save() was given {with_article(plan.name)}, which has nothing to lock.",
            hint=f"Declare it: class {plan.name}(..., version=True); or say create() or put().",
        )
    if stored(entity) is None:
        return (yield from operations.create(context, entity))
    yield from operations.put(context, entity, None)
    return entity


def increment(context: Context, target: Target[Any], field: N, by: N | int) -> Steps[N]:
    """Adds to a number of an existing item; returns the new one."""
    plan = target_plan(context, target)
    path = _counted(plan.entity, field)
    order = operations.order_update(context, target, [Increment(path, by)])
    found = yield from resolve(context, target)
    write = operations.plan_update(order, found)
    outcome = yield from perform(context, write, returning="UPDATED_NEW" if len(path) == 1 else "ALL_NEW")
    attributes = outcome.attributes
    if attributes is None:
        attributes = yield from operations.read_back(context, write)
    if len(path) == 1:
        return plan.values_in(attributes, (str(path[0]),))[str(path[0])]  # type: ignore[no-any-return]
    return plan.paths.decode(path, value_at(attributes, plan.paths.stored(path)))  # type: ignore[no-any-return]


def _counted(entity: type[Entity], field: object) -> FieldPath:
    found = field_path(field)
    if found is None:
        raise ArgumentError(
            f"increment() was given {type(field).__name__}, not a field.",
            hint="Name it: db.increment(item, Order.parcels).",
        )
    owner, path = found
    if not issubclass(entity, owner):
        raise ArgumentError(
            f"The field is one of {owner.__name__}, but the item is {with_article(entity.__name__)}.",
            hint=f"Nothing was sent; name a field of {entity.__name__}.",
        )
    return path
