"""What a caller names as the item to work on: an entity, a key, or a read that fixes one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from tablewright.client.calls import Call, Steps
from tablewright.client.context import Context
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.reads import GetPlan
from tablewright.errors import (
    AmbiguousResultError,
    ArgumentError,
    MissingKeyPartError,
    NotFoundError,
    UnknownFieldError,
)
from tablewright.model.entity import STORED, Entity, did_you_mean
from tablewright.model.operations import Get
from tablewright.values.types import Item

E = TypeVar("E", bound=Entity)


@dataclass(frozen=True, slots=True, eq=False)
class Key(Generic[E]):
    """The primary key of an item, by its fields."""

    entity: type[E]
    fields: dict[str, Any]


def key(entity: type[E], /, **fields: Any) -> Key[E]:
    """The item of an entity with these key fields: `key(Order, username="alice", placed_at=t, order_id="o1")`."""
    return Key(entity, fields)


Target: TypeAlias = E | Key[E] | Get[E]


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """A target, found: its plan, key and key fields; `guess` is what the caller's copy or an index says of the item."""

    plan: EntityPlan
    key: Item
    values: dict[str, Any]
    guess: Item | None = None
    entity: Entity | None = None


def resolve(context: Context, target: Any) -> Steps[Resolved]:
    """Finds the primary key of a target; only a read through an index costs a request."""
    if isinstance(target, Get):
        compiled = context.plan.read(target)
        assert isinstance(compiled, GetPlan)
        if compiled.served.path.index is not None:
            return (yield from _through_index(context, compiled, target))
        values = compiled.served.values(target.arguments)
        return Resolved(compiled.plan, compiled.plan.key(values), values)
    return resolve_at_once(context, target)


def resolve_at_once(context: Context, target: Any) -> Resolved:
    """The same for targets that need no request."""
    if isinstance(target, Entity):
        return _entity(context, target)
    if isinstance(target, Key):
        return _key(context, target)
    raise ArgumentError(
        f"{type(target).__name__} does not name an item.",
        hint='Pass an entity, key(Order, ...), or a pattern that gets one: order("o1").',
    )


def key_values(plan: EntityPlan, fields: dict[str, Any]) -> dict[str, Any]:
    """Validated key fields; all of them and no others."""
    for name in fields:
        if name not in plan.fields:
            raise UnknownFieldError(
                f"{plan.name} has no field {name!r}.{did_you_mean(name, plan.key_fields)}", field=name
            )
        if name not in plan.key_fields:
            raise ArgumentError(
                f"{plan.name}.{name} is no part of the primary key.",
                field=name,
                hint=f"The key is made of {', '.join(sorted(plan.key_fields))}.",
            )
    missing = sorted(plan.key_fields - fields.keys())
    if missing:
        raise MissingKeyPartError(
            f"{plan.name}: the key needs {', '.join(missing)}.",
            field=missing[0],
            constraint="required",
            hint="Give it.",
        )
    return {name: plan.fields[name].accept(value) for name, value in fields.items()}


def _entity(context: Context, target: Entity) -> Resolved:
    plan = context.plan.of(type(target))
    values = {name: plan.fields[name].accept(getattr(target, name)) for name in plan.key_fields}
    guess = None
    if STORED in target.__dict__:
        guess = plan.encode_fields({n: getattr(target, n) for n in plan.fields})
    return Resolved(plan, plan.key(values), values, guess, target)


def _key(context: Context, target: Key[Any]) -> Resolved:
    plan = context.plan.of(target.entity)
    values = key_values(plan, target.fields)
    return Resolved(plan, plan.key(values), values)


def _through_index(context: Context, compiled: GetPlan, target: Get[Any]) -> Steps[Resolved]:
    plan = compiled.plan
    items = yield from find_through_index(context, compiled, target.arguments)
    if not items:
        raise NotFoundError(
            f"There is no such {plan.name}.",
            hint="An index follows its table with a short delay; an item written just now may be missing from it.",
        )
    item = items[0]
    return Resolved(plan, plan.key_of_item(item), plan.values_in(item, plan.key_fields), item)


def find_through_index(context: Context, compiled: GetPlan, arguments: Mapping[str, Any]) -> Steps[list[Item]]:
    """The one item with an index key, or none; two are asked for, so that a second one is noticed."""
    items: list[Item] = []
    for query in compiled.queries(arguments, context.table):
        response = yield Call("Query", {**query.request(), "Limit": 2}, repeatable=True)
        items.extend(response["Items"])
    if len(items) > 1:
        raise AmbiguousResultError(
            f"More than one {compiled.plan.name} has this index key.",
            hint="Make the fields unique (Keys(unique=...)), or declare the pattern as a query.",
        )
    return items
