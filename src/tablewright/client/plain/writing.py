"""Writes of plain items: each checked and made a request before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

from tablewright.client.plain.conditions import Conditions, plain_condition
from tablewright.client.plain.reading import PlainItem
from tablewright.client.plain.shape import TableShape
from tablewright.client.writes.action import Action
from tablewright.client.writes.changes import named_changes
from tablewright.errors import ArgumentError, ImmutableFieldError, ItemTooLargeError
from tablewright.expressions import ast
from tablewright.model import change as model
from tablewright.values.sizes import MAX_ITEM_SIZE, item_size
from tablewright.values.types import Item
from tablewright.values.wire import to_wire, to_wire_item

OldValues: TypeAlias = Literal["NONE", "ALL_OLD"]
ReturnValues: TypeAlias = Literal["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]
_ALLOWED: Mapping[str, tuple[str, ...]] = {
    "Put": ("NONE", "ALL_OLD"),
    "Delete": ("NONE", "ALL_OLD"),
    "Update": ("NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"),
}


def checked_return(kind: str, wanted: str) -> str:
    """What a write is to return, if it can."""
    if not isinstance(wanted, str) or wanted not in _ALLOWED[kind]:
        raise ArgumentError(
            f"{kind.lower()}() cannot return what return_values says.",
            constraint="return_values",
            hint=f"DynamoDB knows {', '.join(_ALLOWED[kind])} here.",
        )
    return wanted


def put_action(shape: TableShape, item: PlainItem, when: Conditions) -> Action:
    """A whole item, over whatever was there."""
    if not isinstance(item, Mapping):
        raise ArgumentError(f"put() takes a dict, not {type(item).__name__}.", hint='put({"PK": ..., "name": ...})')
    wire = to_wire_item(item)
    key = shape.key_of(item)
    for index in shape.indexes.values():
        _check_index_keys(index.attributes, wire)
    size = item_size(wire)
    if size > MAX_ITEM_SIZE:
        raise ItemTooLargeError(
            f"The item takes {size:,} bytes; DynamoDB allows {MAX_ITEM_SIZE:,}.", constraint=f"{MAX_ITEM_SIZE} bytes"
        )
    return Action("Put", key, item=wire, condition=plain_condition(when, "when"))


def _check_index_keys(attributes: Iterable[Any], item: Item) -> None:
    for attribute in attributes:
        value = item.get(attribute.name)
        if value is not None and (attribute.tag not in value or value[attribute.tag] == ""):
            raise ArgumentError(
                f"{attribute.name!r} is a key attribute of an index and takes a non-empty {attribute.tag}.",
                field=attribute.name,
                constraint=attribute.tag,
                hint="Leave it out to keep the item out of the index.",
            )


def update_action(shape: TableShape, key: Mapping[str, Any], changes: Mapping[str, Any], when: Conditions) -> Action:
    """Changes of some attributes."""
    actions = [_change(shape, c) for c in named_changes(**changes)]
    if not actions:
        raise ArgumentError("update() was given nothing to change.", hint="Name the changes: set={...}, add={...}, ...")
    return Action("Update", shape.key(key), update=ast.Update(tuple(actions)), condition=plain_condition(when, "when"))


def _change(shape: TableShape, change: model.Action) -> ast.UpdateAction:
    path: ast.Path = change.path
    if path[0] in {a.name for a in shape.table.attributes}:
        raise ImmutableFieldError(f"{path[0]!r} is part of the primary key.", field=str(path[0]))
    match change:
        case model.Assign(_, value):
            return ast.SetAction(path, ast.Value(to_wire(value)))
        case model.Increment(_, amount):
            number = to_wire(amount)
            if "N" not in number:
                raise ArgumentError(f"add= counts {path[0]!r} by something that is no number.", field=str(path[0]))
            return ast.AddAction(path, ast.Value(number))
        case model.Append(_, members):
            start = ast.IfNotExists(path, ast.Value({"L": []}))
            return ast.SetAction(path, ast.ListAppend(start, ast.Value(to_wire(list(members)))))
        case model.Include(_, members):
            return ast.AddAction(path, ast.Value(to_wire(set(members))))
        case model.Discard(_, members):
            return ast.DeleteAction(path, ast.Value(to_wire(set(members))))
        case model.Remove():
            return ast.RemoveAction(path)


def delete_action(shape: TableShape, key: Mapping[str, Any], when: Conditions) -> Action:
    """An item's end."""
    return Action("Delete", shape.key(key), condition=plain_condition(when, "when"))


def check_action(shape: TableShape, key: Mapping[str, Any], when: Conditions) -> Action:
    """A condition on an item, for a transaction; without one, it must be there."""
    condition = plain_condition(when, "when") or ast.AttributeExists((shape.table.pk[0].name,))
    return Action("ConditionCheck", shape.key(key), condition=condition)
