"""Writes between validation and storage: a prepared write looks at the stored item and decides what changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.engine.context import Context
from tablewright.engine.keys import Key
from tablewright.engine.legacy import LegacyUpdate
from tablewright.engine.schema import TableSchema
from tablewright.engine.storage import Change, Stored, TableStore, Transaction
from tablewright.engine.validation.expressions import (
    Expressions,
    Kinds,
    check_key_paths,
    check_parameters,
    read_expressions,
)
from tablewright.engine.validation.keys import KeyRefused, check_index_keys, checked_key, item_key
from tablewright.engine.validation.names import required_name
from tablewright.errors import ConditionalCheckFailed, RequestRefused, ValidationError
from tablewright.expressions import UpdateResult
from tablewright.values import MAX_ITEM_SIZE, Item, check_item, dumps, item_size, weigh_item

CONDITION = Kinds(("ConditionExpression",), spare=1)
CONDITION_OR_EXPECTED = Kinds(("ConditionExpression",), ("Expected", "ConditionalOperator"))
UPDATE = Kinds(("UpdateExpression", "ConditionExpression"), spare=1)
UPDATE_OR_ATTRIBUTES = Kinds(
    ("UpdateExpression", "ConditionExpression"), ("AttributeUpdates", "Expected", "ConditionalOperator")
)
TOO_LARGE = "Item size to update has exceeded the maximum allowed size"
_CHANGED = "One or more parameter values were invalid: Cannot update attribute "


class TooDeep(RequestRefused):
    """An update that would nest an attribute of the item too deeply."""


class Write(Struct):
    """A validated write to one item. `plan` may run several times; it changes nothing by itself."""

    table: TableStore
    key: Key
    expressions: Expressions
    return_on_failure: bool

    def plan(self, transaction: Transaction) -> Change:
        """What this write changes, given what is stored; raises ConditionalCheckFailed."""
        transaction.require(self.table)
        old = transaction.get(self.table, self.key)
        condition = self.expressions.condition
        if condition is not None and not condition(old.item if old is not None else None, self.expressions.values):
            raise ConditionalCheckFailed(item=old.item if old is not None and self.return_on_failure else None)
        return self.change(old)

    def change(self, old: Stored | None) -> Change:
        """The change that follows from the stored item; by itself a write only checks."""
        return Change(self.table, self.key, old, None, writes=False)


class Check(Write):
    """A condition check in a transaction."""


class Put(Write):
    """A whole item."""

    item: Item
    size: int
    body: bytes

    def change(self, old: Stored | None) -> Change:
        """The item takes the old one's place."""
        return Change(self.table, self.key, old, self.item, self.size, self.body)


class Delete(Write):
    """The end of an item."""

    def change(self, old: Stored | None) -> Change:
        """The item goes."""
        return Change(self.table, self.key, old, None)


class Update(Write):
    """A changed item. `result` is what the last plan came to."""

    key_item: Item
    result: UpdateResult | None = None

    def change(self, old: Stored | None) -> Change:
        """The item with the update applied; an item that was not there starts with its key alone."""
        base = old.item if old is not None else self.key_item
        schema = self.table.schema
        update = self.expressions.update
        if old is None and update is not None and update.only_removes:
            # The service makes no item to take nothing away from, though it makes one for no update at all.
            self.result = None
            return Change(self.table, self.key, None, None)
        size = old.size if old is not None else item_size(base)
        if update is None:
            item = base
        else:
            try:
                self.result = update.apply(base, self.expressions.values)
            except ValidationError as error:
                # What only the item shows is no fault of the request's form.
                raise RequestRefused(error.message) from error
            item = self.result.item
            touched = self.result.attributes
            if schema.index_keys:
                check_index_keys(schema, item, touched, updating=not isinstance(update, LegacyUpdate))
            if self.expressions.deep or any(len(path) > 1 for path in update.paths):
                _check_depth({name: item[name] for name in touched if name in item})
            # The rest of the item weighs what it weighed.
            size += item_size({name: item[name] for name in touched if name in item})
            size -= item_size({name: base[name] for name in touched if name in base})
        if size > MAX_ITEM_SIZE:
            raise RequestRefused(TOO_LARGE)
        return Change(self.table, self.key, old, item, size, dumps(item))


def prepare_put(context: Context, request: Mapping[str, Any], kinds: Kinds = CONDITION) -> Put:
    """Validate a put; `kinds` are the parameters that may carry its condition."""
    parameters = check_parameters(request, kinds)
    item, size = weigh_item(request["Item"])
    if size > MAX_ITEM_SIZE:
        _check_size(size)
    expressions = read_expressions(request, parameters)
    table = context.table(required_name(request))
    key = item_key(table.schema, item)
    return Put(table, key, _fit(table.schema, expressions), _on_failure(request), item, size, dumps(item))


def prepare_delete(context: Context, request: Mapping[str, Any], kinds: Kinds = CONDITION) -> Delete:
    """Validate a delete; `kinds` are the parameters that may carry its condition."""
    parameters = check_parameters(request, kinds)
    key_item = check_item(request["Key"])
    expressions = read_expressions(request, parameters)
    table = context.table(required_name(request))
    key = checked_key(table.schema, key_item)
    return Delete(table, key, _fit(table.schema, expressions), _on_failure(request))


def prepare_check(context: Context, request: Mapping[str, Any]) -> Check:
    """Validate a condition check."""
    parameters = check_parameters(request, CONDITION)
    key_item = check_item(request["Key"])
    expressions = read_expressions(request, parameters)
    table = context.table(required_name(request))
    key = checked_key(table.schema, key_item)
    return Check(table, key, _fit(table.schema, expressions), _on_failure(request))


def prepare_update(context: Context, request: Mapping[str, Any], kinds: Kinds = UPDATE) -> Update:
    """Validate an update; `kinds` are the parameters that may carry it and its condition."""
    parameters = check_parameters(request, kinds)
    key_item = check_item(request["Key"])
    expressions = read_expressions(request, parameters)
    table = context.table(required_name(request))
    key = checked_key(table.schema, key_item)
    refuse_key_changes(table.schema, expressions)
    return Update(table, key, _fit(table.schema, expressions), _on_failure(request), key_item)


def refuse_key_changes(schema: TableSchema, expressions: Expressions) -> None:
    """Refuse an update that names an attribute of the table's key."""
    if expressions.update is not None:
        for path in expressions.update.paths:
            if path[0] in schema.key_names:
                raise KeyRefused(f"{_CHANGED}{path[0]}. This attribute is part of the key")


def check_action(request: Mapping[str, Any]) -> None:
    """Refuse one action of a transaction for what shows without a look at its table."""
    parameters = check_parameters(request, UPDATE)
    item = request.get("Item")
    if item is not None:
        try:
            _check_size(item_size(check_item(item)))
        except ValidationError as error:
            raise _first_fault(item, error) from error
    read_expressions(request, parameters)
    if item is None:
        check_item(request["Key"])


def _first_fault(item: Mapping[str, Any], error: ValidationError) -> ValidationError:
    """Of two faults in one item: its own names come first, then its depth, then what is inside."""
    if error.constraint == "nesting" and "" in item:
        return ValidationError("Empty attribute name", constraint="name")
    if error.constraint == "name" and "" not in item:
        for name, value in item.items():
            try:
                check_item({name: value})
            except ValidationError as other:
                if other.constraint == "nesting":
                    return other
    return error


def _check_depth(attributes: Item) -> None:
    """A value put deep into a document may pass the limit of nesting, which only the item shows."""
    try:
        check_item(attributes)
    except ValidationError as error:
        raise TooDeep(error.message) from error


def _check_size(size: int) -> None:
    if size > MAX_ITEM_SIZE:
        raise RequestRefused("Item size has exceeded the maximum allowed size")


def _fit(schema: TableSchema, expressions: Expressions) -> Expressions:
    check_key_paths(schema, expressions)
    return expressions


def _on_failure(request: Mapping[str, Any]) -> bool:
    return request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
