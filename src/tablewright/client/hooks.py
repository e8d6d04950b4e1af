"""Running an entity's hooks: before a write is planned, and after it was made. Without hooks this is never entered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tablewright.client.writes.base import Write
from tablewright.client.writes.create import Create
from tablewright.client.writes.delete import Delete
from tablewright.client.writes.put import Put
from tablewright.client.writes.tombstone import Bury, Purge, Unbury
from tablewright.client.writes.update import Update
from tablewright.client.writes.upsert import Upsert
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import DecodeError, HookError
from tablewright.model.change import Action
from tablewright.model.entity import Entity
from tablewright.model.hooks import Changing, Deleting, Hooks, Kind, Written
from tablewright.values.types import Item


def before_create(hooks: Hooks, entity: Entity) -> None:
    """An entity is about to be created."""
    for hook in hooks.before_create:
        hook(entity)


def before_put(hooks: Hooks, entity: Entity) -> None:
    """An entity is about to be put."""
    for hook in hooks.before_put:
        hook(entity)


def before_update(hooks: Hooks, actions: Iterable[Action]) -> Sequence[Action]:
    """Fields are about to be changed; returns the changes as the hooks leave them."""
    changing = Changing(actions)
    for hook in hooks.before_update:
        hook(changing)
    return changing.actions


def before_delete(hooks: Hooks, key: dict[str, Any]) -> None:
    """An item is about to be deleted."""
    deleting = Deleting(key)
    for hook in hooks.before_delete:
        hook(deleting)


def after(writes: Iterable[tuple[Write, Item | None, Item | None]]) -> None:
    """Writes were made; each comes with the item that it was planned on and the attributes that came back."""
    for write, current, attributes in writes:
        hooks = write.plan.hooks
        if hooks is not None and hooks.after_write:
            told = _written(write, current, attributes)
            if told is not None:
                tell(write.plan, hooks, told)


def tell(plan: EntityPlan, hooks: Hooks, written: Written[Any]) -> None:
    """Runs the hooks after one write; a failure says that the write itself was made."""
    for hook in hooks.after_write:
        try:
            hook(written)
        except Exception as error:
            raise HookError(
                f"The {plan.name} was {written.kind}, but a hook after it failed.",
                hint="The write is made; do not repeat it. Read the item again before you go on with it.",
                context={"entity": plan.name, "kind": written.kind},
            ) from error


def _written(write: Write, current: Item | None, attributes: Item | None) -> Written[Any] | None:
    plan = write.plan
    match write:
        case Create(values=values) | Upsert(creating=Create(values=values), made={}):
            kind: Kind = "created"
        case Put(values=values):
            kind = "put"
        case Update() | Upsert() | Unbury():
            update = write.changing if isinstance(write, Upsert) else write
            fields = update.touched if isinstance(update, Update) else frozenset[str]()
            return Written("updated", _key(write), _decoded(plan, attributes), fields)
        case Delete() | Bury() | Purge():
            # A soft delete answers with the tombstone, so that only what it was planned on tells of the item.
            before = attributes if isinstance(write, Delete) and attributes else current
            return Written("deleted", _key(write), _decoded(plan, before))
        case _:
            return None
    entity = plan.entity.model_construct(**values)
    return Written(kind, {name: values[name] for name in plan.key_fields}, entity)


def _decoded(plan: EntityPlan, item: Item | None) -> Any:
    try:
        return None if item is None else plan.decode(item)
    except DecodeError:
        return None


def _key(write: Write) -> dict[str, Any]:
    """The fields of the primary key, from the key itself."""
    return key_fields(write.plan, write.key)


def key_fields(plan: EntityPlan, key: Item) -> dict[str, Any]:
    """The fields that a primary key is made of."""
    values: dict[str, Any] = {}
    for part in (plan.pk, plan.sk):
        if part is not None:
            values.update(part.decode(key[part.attribute.name]))
    return {name: values[name] for name in plan.key_fields if name in values}
