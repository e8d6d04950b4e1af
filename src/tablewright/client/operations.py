"""A session's write operations as steps: what both sessions do when they are told to create, put, update or delete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from tablewright.client import hooks
from tablewright.client.calls import Call, Steps
from tablewright.client.context import Context
from tablewright.client.entities import entity_from
from tablewright.client.locking import checked_lock, lock_of
from tablewright.client.performing import perform, read_current, why_refused, why_unmet
from tablewright.client.refusals import explained
from tablewright.client.targets import Key, Resolved, Target, resolve, resolve_at_once, target_plan
from tablewright.client.unsaid import UNSET, Expectation, Lock, Unset
from tablewright.client.writes.base import Write
from tablewright.client.writes.changes import Checked, check_changes, named_changes
from tablewright.client.writes.claim import Claim
from tablewright.client.writes.create import Create
from tablewright.client.writes.delete import Check, Delete
from tablewright.client.writes.items import check_size, full_item, refuse_moved, remember
from tablewright.client.writes.prepared import Shape, prepare_update, prepared_create, prepared_update
from tablewright.client.writes.put import Put
from tablewright.client.writes.tombstone import Bury, Purge, Unbury
from tablewright.client.writes.update import Update
from tablewright.compiler.changes import refuse_frozen_changes
from tablewright.compiler.conditions import conjunction, to_expression
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import (
    ArgumentError,
    ChangeError,
    ConditionalCheckFailed,
    DecodeError,
    NotFoundError,
    OutcomeUnknownError,
    RequestRefused,
    TablewrightError,
)
from tablewright.expressions import ast
from tablewright.model.change import Action, Change
from tablewright.model.conditions import Condition, as_condition
from tablewright.model.entity import Entity, Stored, stored, with_article
from tablewright.values.types import Item

E = TypeVar("E", bound=Entity)


class Changes(Struct, frozen=True):
    """The keywords of update(): what to do to which fields."""

    set: Mapping[str, Any] | None = None
    add: Mapping[str, Any] | None = None
    remove: Iterable[str] = ()
    append: Mapping[str, Iterable[Any]] | None = None
    include: Mapping[str, Iterable[Any]] | None = None
    discard: Mapping[str, Iterable[Any]] | None = None

    def shape(self) -> Shape | None:
        """The fields that are set, where nothing else is done."""
        given = self.set
        if given.__class__ is not dict or not given or self.remove:
            return None
        if any(c is not None for c in (self.add, self.append, self.include, self.discard)):
            return None
        return tuple(given)

    def given(self) -> list[Action] | None:
        """As actions on field paths; None when none are named."""
        named = (self.set, self.add, self.append, self.include, self.discard)
        return self.actions() if self.remove or any(c is not None for c in named) else None

    def actions(self) -> list[Action]:
        """As actions on field paths."""
        if not self.remove and all(c is None for c in (self.set, self.add, self.append, self.include, self.discard)):
            raise ArgumentError(
                "update() was given nothing to change.",
                hint="Name the changes: set={...}, add={...}, ...; put() stores a whole entity, edit() what was changed in it.",
            )
        return named_changes(
            set=self.set,
            add=self.add,
            remove=self.remove,
            append=self.append,
            include=self.include,
            discard=self.discard,
        )


class Order(Struct, frozen=True):
    """What is to be done to an item that may still have to be found: checked before anything is sent."""

    plan: EntityPlan
    condition: ast.Condition | None
    expected: Lock
    changes: Checked | None = None
    change: str | None = None
    """The declared change that it is."""

    def locked(self, found: Resolved) -> Lock:
        """The version to expect: the given one, or that of an entity which was read before."""
        return lock_of(self.plan, found.entity)[0] if isinstance(self.expected, Unset) else self.expected


def born(found: Resolved) -> str | None:
    """When an entity that was read before was created, if it has a version to lock."""
    return lock_of(found.plan, found.entity)[1]


def own_condition(plan: EntityPlan, when: object) -> ast.Condition | None:
    """The caller's condition (or several) on the stored item."""
    if when is None:
        return None
    listed: Sequence[object] = when if isinstance(when, list | tuple) else [when]
    conditions: list[Condition] = [as_condition(c, "when") for c in listed]
    for leaf in (leaf for c in conditions for leaf in c.leaves()):
        if not issubclass(plan.entity, leaf.owner):
            raise ArgumentError(
                f"The condition is on {leaf.owner.__name__}, but the item is {with_article(plan.name)}."
            )
    return conjunction([to_expression(c, plan.paths) for c in conditions])


# --------------------------------------------------------------------------------------------------- planning


def plan_create(context: Context, entity: Entity) -> Create:
    """A create, validated."""
    plan = context.plan.of(type(entity))
    if plan.hooks is not None:
        hooks.before_create(plan.hooks, entity)
    values = plan.validated(entity)
    return Create(plan, plan.key(values), values=values)


def plan_put(context: Context, entity: Entity, when: object = None, wanted: Expectation = UNSET) -> Put:
    """A put, validated; an entity with a version that was read before is locked, by that or by the one that is wanted."""
    plan = context.plan.of(type(entity))
    if plan.hooks is not None:
        hooks.before_put(plan.hooks, entity)
    values = plan.validated(entity)
    key, known = plan.key(values), stored(entity)
    refuse_moved(plan, entity, key)
    expected, born = lock_of(plan, entity)
    if not isinstance(wanted, Unset):
        expected, born, known = checked_lock(plan, wanted), None, None
    return Put(plan, key, own_condition(plan, when), expected, born, values=values, known=known)


def order_update(
    context: Context, target: Any, actions: Iterable[Action], when: object = None, expected: Expectation = UNSET
) -> Order:
    """The order for an update."""
    plan = target_plan(context, target)
    if plan.hooks is not None:
        actions = hooks.before_update(plan.hooks, actions)
    actions = list(actions)
    refuse_frozen_changes(plan, actions)
    return Order(plan, own_condition(plan, when), checked_lock(plan, expected), check_changes(plan, actions))


def order_change(
    context: Context, change: Change[Any, ...], target: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Order:
    """The order for a declared change with these arguments."""
    if not isinstance(change, Change):
        raise ArgumentError(
            f"apply() was given {type(change).__name__}, which is no change.", hint="Declare it with @table.change."
        )
    plan = target_plan(context, target)
    if plan.entity is not change.entity:
        raise ChangeError(
            f"{change.name}() changes {change.entity.__name__}, but the item is {with_article(plan.name)}."
        )
    planned = change.plan(*args, **kwargs)
    order = order_update(context, target, planned.actions, list(planned.conditions) or None)
    return replace(order, change=change.name)


def order_delete(context: Context, target: Any, when: object = None, expected: Expectation = UNSET) -> Order:
    """The order for a delete, or for a check."""
    plan = target_plan(context, target)
    return Order(plan, own_condition(plan, when), checked_lock(plan, expected))


def plan_update(order: Order, found: Resolved) -> Update:
    """An update of an item that was found."""
    return Update(
        order.plan,
        found.key,
        order.condition,
        order.locked(found),
        born(found),
        found.through,
        changes=order.changes or Checked(),
        values=found.values,
        copy=found.copy,
        change=order.change,
    )


def plan_delete(order: Order, found: Resolved) -> Delete | Bury:
    """A delete of an item that was found."""
    if order.plan.hooks is not None:
        hooks.before_delete(order.plan.hooks, found.values)
    kind = Delete if order.plan.hides is None else Bury
    return kind(order.plan, found.key, order.condition, order.locked(found), born(found), found.through)


def plan_check(order: Order, found: Resolved) -> Check:
    """A condition on an item, for a transaction."""
    return Check(order.plan, found.key, order.condition, order.locked(found), born(found), found.through)


# -------------------------------------------------------------------------------------------------- performing


def create(context: Context, entity: E) -> Steps[E]:
    """Stores a new item; returns the entity, which now knows its version and times."""
    plan = context.plan.of(type(entity))
    prepared = prepared_create(plan)
    if prepared is not None:
        return (yield from _create_prepared(context, plan, entity, prepared))
    write = plan_create(context, entity)
    outcome = yield from perform(context, write)
    remember(entity, write.becomes(outcome.now), write.key)
    return entity


def bring_back(context: Context, entity: Entity, was: Stored) -> Steps[None]:
    """Stores an item that had been stored before, with the version and times that it had. A version that began anew could be
    one that somebody still holds of other values."""
    write = plan_create(context, entity)
    write.was = was
    outcome = yield from perform(context, write)
    remember(entity, write.becomes(outcome.now), write.key)


def _create_prepared(context: Context, plan: EntityPlan, entity: E, prepared: Mapping[str, Any]) -> Steps[E]:
    """The same where the item is all that there is to it."""
    values = plan.validated(entity)
    write, now = Create(plan, plan.key(values), values=values), context.now()
    known = write.becomes(now)
    item = full_item(plan, values, write.key, now, known)
    try:
        request = {"TableName": context.table, "Item": item, **prepared}
        yield Call("PutItem", request, form=context.form(plan), entity=plan.name)
    except ConditionalCheckFailed as failed:
        raise why_refused(write, failed.item) or failed from failed
    except RequestRefused as error:
        raise explained(error, [plan]) from error
    remember(entity, known, write.key)
    return entity


def put(
    context: Context, entity: E, when: object, expected: Expectation = UNSET, returns: str = "new"
) -> Steps[E | None]:
    """Stores the whole entity; returns it, knowing its version and times, or what was there before."""
    check_returns("put", returns, "new", "old", "none")
    write = plan_put(context, entity, when, expected)
    if returns == "old":
        return (yield from put_over(context, entity, write))
    wanted = "ALL_NEW" if write.blind and returns == "new" else "NONE"
    outcome = yield from perform(context, write, returning=wanted)
    known = write.becomes(outcome.now)
    if write.blind and outcome.attributes is not None:
        known = stored(_decoded(write.plan, outcome.attributes, "The item was written")) or known
    if not write.blind or returns == "new":
        remember(entity, known, write.key)
    return entity if returns == "new" else None


def put_over(context: Context, entity: E, write: Put) -> Steps[E | None]:
    """A put that returns what was there before."""
    write.exact = True
    outcome = yield from perform(context, write, returning="ALL_OLD")
    before = write.seen(outcome.attributes or (outcome.current if write.needs_current else None))
    write.met_before(before)
    remember(entity, write.becomes(outcome.now), write.key)
    return None if before is None else _decoded(write.plan, before, "The item was written")


def update(
    context: Context,
    target: Target[E],
    changes: Changes,
    when: object,
    expected: Expectation,
    returns: str = "new",
) -> Steps[Any]:
    """Changes fields of an existing item; returns the entity as it is now, or what `returns` says."""
    check_returns("update", returns, "new", "old", "new_fields", "old_fields", "none")
    plain = returns == "new" and isinstance(target, Key) and when is None and expected is UNSET
    shape = changes.shape() if plain else None
    if shape is not None:
        updated = yield from _update_prepared(context, target, shape, changes.set or {})
        if updated is not None:
            return _decoded(target_plan(context, target), updated, "The change was written")
    order = order_update(context, target, changes.actions(), when, expected)
    found = yield from resolve(context, target)
    write = plan_update(order, found)
    if shape is not None:
        prepare_update(write, shape)
    entity: Any
    if returns == "none":
        yield from perform(context, write)
        return None
    if returns.startswith("old"):
        write.exact = True
        outcome = yield from perform(context, write, returning="ALL_OLD")
        before = outcome.attributes or outcome.current
        if before is None:  # nothing was changed, so that it still is what it was
            before = yield from read_back(context, write)
        entity = _decoded(write.plan, before, "The change was written")
    else:
        entity = yield from _update(context, write)
    return {n: getattr(entity, n) for n in sorted(write.touched)} if returns.endswith("fields") else entity


def _update_prepared(context: Context, target: Any, shape: Shape, given: Mapping[str, Any]) -> Steps[Item | None]:
    """The item after an update whose request was made before; None where it is to be planned, with nothing written."""
    plan = target_plan(context, target)
    prepared = prepared_update(plan, shape)
    if prepared is None:
        return None
    found = resolve_at_once(context, target)
    request = prepared.request(plan, context.table, found.key, given, context.now())
    if request is None:
        return None
    try:
        response = yield Call("UpdateItem", request, form=context.form(plan), entity=plan.name)
    except ConditionalCheckFailed as failed:
        write = plan_update(order_update(context, target, Changes(given).actions()), found)
        error = yield from why_unmet(context, write, failed)
        if error is None:
            return None
        raise error from failed
    except RequestRefused as error:
        raise explained(error, [plan]) from error
    attributes: Item = response["Attributes"]
    if attributes.__class__ is dict:  # records are of small items
        check_size(plan, attributes)
    return attributes


def check_returns(what: str, given: object, *allowed: str) -> None:
    """Refuses what a write cannot return."""
    if given not in allowed:
        raise ArgumentError(
            f"{what}(returns=...) is {' or '.join(repr(a) for a in allowed)}.",
            field="returns",
            constraint=", ".join(allowed),
        )


def apply(
    context: Context, change: Change[E, ...], target: Target[E], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Steps[E]:
    """Makes a declared change; returns the entity as it is now."""
    order = order_change(context, change, target, args, kwargs)
    found = yield from resolve(context, target)
    entity: E = yield from _update(context, plan_update(order, found))
    return entity


def apply_only(
    context: Context, change: Change[E, ...], target: Target[E], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Steps[None]:
    """Makes a declared change; nothing comes back."""
    order = order_change(context, change, target, args, kwargs)
    found = yield from resolve(context, target)
    yield from perform(context, plan_update(order, found))


def _update(context: Context, write: Update) -> Steps[Any]:
    outcome = yield from perform(context, write, returning="ALL_NEW")
    return (yield from written(context, write, outcome.attributes))


def written(context: Context, write: Write, attributes: Item | None) -> Steps[Any]:
    """The entity after a write, from what it answered with."""
    if attributes is None:  # it went as a transaction, which returns nothing
        attributes = yield from read_back(context, write)
    check_size(write.plan, attributes)
    return _decoded(write.plan, attributes, "The change was written")


def read_back(context: Context, write: Write) -> Steps[Item]:
    """The item after a write that returned nothing."""
    try:
        attributes = yield from read_current(context, write)
    except TablewrightError as error:
        # Raised as it is, it would look like a refusal of the write, and the write be made again.
        raise OutcomeUnknownError(
            f"This {write.plan.name} was changed, but could not be read back.",
            hint="The change is made; do not repeat it. Read the item when the table answers again.",
        ) from error
    if attributes is None:
        raise NotFoundError(
            f"This {write.plan.name} was changed, and deleted by somebody else at once.",
            key=write.plan.told_by_key(write.key),
            context={"entity": write.plan.name},
        )
    return attributes


def claim_unique(context: Context, target: Any) -> Steps[None]:
    """Writes the markers of an item's unique values."""
    plan = target_plan(context, target)
    if not plan.uniques:
        raise ArgumentError(f"{plan.name} has no unique fields.", hint='Declare them: Keys(..., unique=["email"]).')
    found = yield from resolve(context, target)
    yield from perform(context, Claim(plan, found.key))


def delete(
    context: Context, target: Target[E], when: object, expected: Expectation, returns: str = "old"
) -> Steps[E | None]:
    """Deletes an item; returns what it was, or None if there was none."""
    check_returns("delete", returns, "old", "none")
    order = order_delete(context, target, when, expected)
    found = yield from resolve(context, target)
    write = plan_delete(order, found)
    outcome = yield from perform(context, write, returning="ALL_OLD" if returns == "old" else "NONE")
    if returns == "none":
        return None
    attributes = outcome.attributes or (outcome.current if write.needs_current else None)
    return _decoded(write.plan, attributes, "The item was deleted") if attributes else None


def undelete(context: Context, target: Target[E]) -> Steps[E]:
    """Brings a deleted item back."""
    plan = soft_plan(context, target, "undelete")
    write = plan_undelete(plan, resolve_at_once(context, target))
    yield from perform(context, write)
    assert write.made is not None
    entity: E = _decoded(plan, write.made, "The item was brought back")
    return entity


def plan_undelete(plan: EntityPlan, found: Resolved) -> Unbury:
    """The return of a deleted item."""
    return Unbury(plan, found.key)


def purge(context: Context, target: Target[E]) -> Steps[None]:
    """Deletes an item or its tombstone for good."""
    plan = soft_plan(context, target, "purge")
    found = resolve_at_once(context, target)
    if plan.hooks is not None:
        hooks.before_delete(plan.hooks, found.values)
    yield from perform(context, Purge(plan, found.key))


def soft_plan(context: Context, target: Any, what: str) -> EntityPlan:
    """The plan of a target whose deleted items leave tombstones; others are refused."""
    plan = target_plan(context, target)
    if plan.hides is None:
        raise ArgumentError(
            f"{what}() was given {with_article(plan.name)}, whose deleted items leave no tombstones.",
            hint=f"Declare it: class {plan.name}(..., soft_delete=SoftDelete(...)).",
        )
    return plan


def _decoded(plan: EntityPlan, attributes: Item, done: str) -> Any:
    """The item that a write answered with; if it cannot be read, the error still says what happened."""
    try:
        return entity_from(plan, attributes)
    except DecodeError as error:
        raise DecodeError(f"{done}, but the item cannot be read: {error.message}", hint=error.hint) from error
