"""A session's write operations as steps: what both sessions do when they are told to create, put, update or delete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.performing import perform, read_current
from tablewright.client.targets import Resolved, Target, resolve
from tablewright.client.writes.base import UNSET, Expectation
from tablewright.client.writes.changes import check_changes, named_changes
from tablewright.client.writes.create import Create
from tablewright.client.writes.delete import Check, Delete
from tablewright.client.writes.items import remember
from tablewright.client.writes.put import Put
from tablewright.client.writes.update import Update
from tablewright.compiler.conditions import conjunction, to_expression
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, ChangeError, NotFoundError
from tablewright.expressions import ast
from tablewright.model.change import Action, Change
from tablewright.model.conditions import Condition, as_condition
from tablewright.model.entity import Entity, stored
from tablewright.values.types import Item

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True)
class Changes:
    """The keywords of update(): what to do to which fields."""

    set: Mapping[str, Any] | None = None
    add: Mapping[str, Any] | None = None
    remove: Iterable[str] = ()
    append: Mapping[str, Iterable[Any]] | None = None
    include: Mapping[str, Iterable[Any]] | None = None
    discard: Mapping[str, Iterable[Any]] | None = None

    def actions(self) -> list[Action]:
        """As actions on field paths."""
        return named_changes(
            set=self.set,
            add=self.add,
            remove=self.remove,
            append=self.append,
            include=self.include,
            discard=self.discard,
        )


def own_condition(plan: EntityPlan, when: object) -> ast.Condition | None:
    """The caller's condition (or several) on the stored item."""
    if when is None:
        return None
    listed: Sequence[object] = when if isinstance(when, list | tuple) else [when]
    conditions: list[Condition] = [as_condition(c, "when") for c in listed]
    for leaf in (leaf for c in conditions for leaf in c.leaves()):
        if not issubclass(plan.entity, leaf.owner):
            raise ArgumentError(f"The condition is on {leaf.owner.__name__}, but the item is a {plan.name}.")
    return conjunction([to_expression(c, plan.paths) for c in conditions])


# --------------------------------------------------------------------------------------------------- planning


def plan_create(context: Context, entity: Entity) -> Create:
    """A create, validated."""
    plan = context.plan.of(type(entity))
    values = plan.validated(entity)
    return Create(plan, plan.key(values), values=values)


def plan_put(context: Context, entity: Entity, when: object = None) -> Put:
    """A put, validated; an entity with a version that was read before is locked."""
    plan = context.plan.of(type(entity))
    values = plan.validated(entity)
    known = stored(entity)
    expected: Expectation = known.version if known is not None and plan.options.version else UNSET
    return Put(plan, plan.key(values), own_condition(plan, when), expected, values=values, known=known)


def plan_update(
    context: Context, found: Resolved, actions: Iterable[Action], when: object = None, expected: Expectation = UNSET
) -> Update:
    """An update, validated; an entity with a version that was read before is locked."""
    plan = found.plan
    if isinstance(expected, type(UNSET)):
        expected = _lock(found)
    return Update(
        plan,
        found.key,
        own_condition(plan, when),
        expected,
        changes=check_changes(plan, actions),
        values=found.values,
        copy=found.guess,
    )


def plan_delete(context: Context, found: Resolved, when: object = None, expected: Expectation = UNSET) -> Delete:
    """A delete, validated; an entity with a version that was read before is locked."""
    if isinstance(expected, type(UNSET)):
        expected = _lock(found)
    return Delete(found.plan, found.key, own_condition(found.plan, when), expected)


def plan_check(context: Context, found: Resolved, when: object) -> Check:
    """A condition on an item, for a transaction."""
    return Check(found.plan, found.key, own_condition(found.plan, when))


def change_actions(
    change: Change[Any, ...], found: Resolved, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Any, Any]:
    """The actions and conditions of a declared change with these arguments."""
    if found.plan.entity is not change.entity:
        raise ChangeError(f"{change.name}() changes {change.entity.__name__}, but the item is a {found.plan.name}.")
    planned = change.plan(*args, **kwargs)
    return planned.actions, list(planned.conditions) or None


def _lock(found: Resolved) -> Expectation:
    if found.entity is None or not found.plan.options.version:
        return UNSET
    known = stored(found.entity)
    return known.version if known is not None else UNSET


# -------------------------------------------------------------------------------------------------- performing


def create(context: Context, entity: E) -> Steps[E]:
    """Stores a new item; returns the entity, which now knows its version and times."""
    write = plan_create(context, entity)
    now = context.now()
    yield from perform(context, write, now=now)
    remember(entity, write.stored(now))
    return entity


def put(context: Context, entity: E, when: object) -> Steps[E]:
    """Stores the whole entity; returns it, knowing its version and times."""
    write = plan_put(context, entity, when)
    now = context.now()
    fresh = write.known is None and (write.plan.options.version or write.plan.options.timestamps)
    attributes = yield from perform(context, write, now=now, returning="ALL_NEW" if fresh else "NONE")
    if fresh and attributes is None:
        attributes = yield from read_current(context, write)
    known = stored(write.plan.decode(attributes)) if fresh and attributes is not None else write.stored(now)
    if known is not None:
        remember(entity, known)
    return entity


def update(
    context: Context, target: Target[E], actions: Iterable[Action], when: object, expected: Expectation
) -> Steps[E]:
    """Changes fields of an existing item; returns the entity as it is now."""
    found = yield from resolve(context, target)
    entity: E = yield from _update(context, plan_update(context, found, actions, when, expected))
    return entity


def apply(
    context: Context, change: Change[E, ...], target: Target[E], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Steps[E]:
    """Makes a declared change; returns the entity as it is now."""
    found = yield from resolve(context, target)
    actions, when = change_actions(change, found, args, kwargs)
    entity: E = yield from _update(context, plan_update(context, found, actions, when))
    return entity


def _update(context: Context, write: Update) -> Steps[Any]:
    attributes: Item | None = yield from perform(context, write, returning="ALL_NEW")
    if attributes is None:  # it went as a transaction, which returns nothing
        attributes = yield from read_current(context, write)
        if attributes is None:
            raise NotFoundError(f"This {write.plan.name} was changed, and deleted by somebody else at once.")
    return write.plan.decode(attributes)


def delete(context: Context, target: Target[E], when: object, expected: Expectation) -> Steps[E | None]:
    """Deletes an item; returns what it was, or None if there was none."""
    found = yield from resolve(context, target)
    write = plan_delete(context, found, when, expected)
    attributes = yield from perform(context, write, returning="ALL_OLD")
    return write.plan.decode(attributes) if attributes else None
