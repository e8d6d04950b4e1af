"""What a caller names as the item to work on: an entity, a key, or a read that fixes one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import Struct

from tablewright.client.calls import Call, Steps
from tablewright.client.context import Context
from tablewright.client.fetching import fetch_item
from tablewright.client.writes.base import gone_from_index
from tablewright.client.writes.items import refuse_moved
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.locating import wrong_fields
from tablewright.compiler.reads import SOUGHT, GetPlan, KeyQuery
from tablewright.errors import AmbiguousResultError, ArgumentError, TablewrightError
from tablewright.expressions import ast, evaluate
from tablewright.expressions.builder import all_of
from tablewright.model.entity import Entity, EntityMeta, stored
from tablewright.model.operations import Get
from tablewright.transport.answers import next_start
from tablewright.values.types import Item

E = TypeVar("E", bound=Entity)
E_co = TypeVar("E_co", bound=Entity, covariant=True)


class Key(Struct, Generic[E_co], frozen=True, eq=False):
    """The primary key of an item, by its fields."""

    entity: type[E_co]
    """The class of the item."""
    fields: dict[str, Any]
    """The fields of its primary key, by name."""


def key(entity: type[E], /, **fields: Any) -> Key[E]:
    """The item of an entity with these key fields: `key(Order, username="alice", placed_at=t, order_id="o1")`.

    Raises for a name that is no part of the key, and for one that is missing; the values are checked when it is used."""
    if not isinstance(entity, EntityMeta):
        raise ArgumentError("key() takes an entity class first.", hint='key(Order, order_id="o1")')
    table: Any = getattr(entity, "__table__", None)
    plan: EntityPlan | None = None if table is None else table.plan.entities.get(entity)
    if plan is not None and fields.keys() != plan.key_fields:
        raise wrong_fields(plan.name, plan.fields, plan.key_fields, fields)
    return Key(entity, fields)


Target: TypeAlias = E | Key[E] | Get[E]
_BY_NAME = (Key, Get)


class Resolved(Struct, frozen=True, eq=False):
    """A target, found: its plan, key and key fields. `item` is what an index says of it, `entity` the caller's copy."""

    plan: EntityPlan
    key: Item
    values: dict[str, Any]
    item: Item | None = None
    entity: Entity | None = None
    through: ast.Condition | None = None
    """Where an index led to it: what must hold of the item itself, so that it is the one that was meant."""

    def is_meant(self, item: Item | None) -> bool:
        """Whether this stored item is the one that was named, and not only was it when its index was written."""
        return item is not None and (self.through is None or evaluate(self.through, item))

    def copy(self) -> Item | None:
        """What is known of the stored item without reading it; it may be out of date."""
        if self.item is not None or self.entity is None:
            return self.item
        known = stored(self.entity)
        if known is None or self.plan.seals:  # what is sealed cannot be told from the entity
            return None
        try:
            item = self.plan.encode_fields(self.plan.validated(self.entity))
        except TablewrightError:
            return None  # it was changed in place to something that cannot be stored
        names = self.plan.names
        item.update(self.key)
        for name, text in ((names.created, known.created), (names.updated, known.updated)):
            if text is not None:
                item[name] = {"S": text}
        return item


def target_plan(context: Context, target: Any) -> EntityPlan:
    """The plan of a target's entity, before the item itself is looked for."""
    if isinstance(target, _BY_NAME):  # asked first, since it costs less than to ask for an entity
        return context.plan.of(target.entity)
    if isinstance(target, Entity):
        return context.plan.of(type(target))
    raise ArgumentError(
        f"{type(target).__name__} does not name an item.",
        hint='Pass an entity, key(Order, ...), or a pattern that gets one: order("o1").',
    )


def resolve(context: Context, target: Any) -> Steps[Resolved]:
    """Finds the primary key of a target; only a read through an index costs a request."""
    found = resolve_directly(context, target)
    if found is not None:
        return found
    plan, compiled = target_plan(context, target), context.compiled(target)
    assert isinstance(compiled, GetPlan)
    items = yield from find_through_index(context, compiled, target.arguments)
    item = items[0] if items else None
    if item is not None and compiled.projection:  # a view does not hold all fields of the key
        item = plan.alive((yield from fetch_item(context, plan.key_of_item(item), strong=True)))
    through = None if item is None else led_to(compiled.queries(target.arguments, context.table), item)
    if item is None or through is None:
        raise gone_from_index(plan)
    return Resolved(plan, plan.key_of_item(item), plan.values_in(item, plan.key_fields), item, through=through)


def led_to(queries: Iterable[KeyQuery], item: Item) -> ast.Condition | None:
    """What the query that leads to an item asks of its key; None if none does."""
    return next((keys for q in queries if evaluate(keys := all_of(*q.terms), item)), None)


def resolve_at_once(context: Context, target: Any) -> Resolved:
    """The same for targets that need no request; others are refused."""
    found = resolve_directly(context, target)
    if found is None:
        raise ArgumentError(
            "A read through an index does not fix the primary key.",
            hint="Get the item first, or name it by key(...).",
        )
    return found


def locate_many(context: Context, targets: Iterable[Any]) -> tuple[list[EntityPlan], list[Item]]:
    """The same for several: their plans and their keys."""
    if isinstance(targets, Entity | Key | Get) or not isinstance(targets, Iterable):
        raise ArgumentError(
            f"get_many() was given {type(targets).__name__}, not a list of items to get.",
            hint="Put it into a list, or use get() for one item.",
        )
    plans: list[EntityPlan] = []
    keys: list[Item] = []
    for target in targets:
        if target.__class__ is Key:  # nearly always, and then there is nothing to ask
            plan = context.plan.of(target.entity)
            key = plan.locate(target.fields)[1]
        else:
            found = resolve_at_once(context, target)
            plan, key = found.plan, found.key
        plans.append(plan)
        keys.append(key)
    return plans, keys


def resolve_directly(context: Context, target: Any) -> Resolved | None:
    """A target whose primary key is known; None if an index must be asked."""
    plan = target_plan(context, target)
    if isinstance(target, Key):
        values, key = plan.locate(target.fields)
        return Resolved(plan, key, values)
    if isinstance(target, Entity):
        values = {name: plan.fields[name].accept(target.__dict__.get(name)) for name in plan.key_fields}
        key = plan.key(values)
        refuse_moved(plan, target, key)
        return Resolved(plan, key, values, None, target)
    compiled = context.compiled(target)
    assert isinstance(compiled, GetPlan)
    if compiled.served.path.index is not None:
        return None
    values = compiled.served.values(target.arguments)
    return Resolved(plan, plan.key(values), values)


def find_through_index(context: Context, compiled: GetPlan, arguments: Mapping[str, Any]) -> Steps[list[Item]]:
    """The one item with an index key, or none; two are asked for, so that a second one is noticed."""
    items: list[Item] = []
    for query in compiled.queries(arguments, context.table):
        request = {**query.request(), "Limit": SOUGHT}
        while True:
            response = yield Call("Query", request, True, query.pattern)
            items.extend(response["Items"])
            start = next_start(response)
            if len(items) > 1 or start is None:
                break
            # Fewer than were asked for, and yet more to come: tombstones were hidden.
            request["ExclusiveStartKey"] = start
    if len(items) > 1:
        raise AmbiguousResultError(
            f"More than one {compiled.plan.name} has this index key.",
            hint="Make the fields unique (Keys(unique=...)), or declare the pattern as a query.",
        )
    return items
