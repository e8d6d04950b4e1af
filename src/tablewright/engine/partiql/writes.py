"""INSERT, UPDATE, DELETE and EXISTS on the engine: statements become its own prepared writes."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from tablewright.engine.context import Context
from tablewright.engine.keys import Key
from tablewright.engine.partiql.branches import KeyFinder, check_key_type
from tablewright.engine.partiql.messages import DUPLICATE_ITEM, EXISTS_SHAPE, KEY_EQUALITY, NESTING, refuse
from tablewright.engine.partiql.statements import Checking, Deleting, Inserting, Updating, Where
from tablewright.engine.storage import Change, Stored, TableStore, Transaction
from tablewright.engine.validation.expressions import NO_EXPRESSIONS, Expressions
from tablewright.engine.validation.keys import KeyRefused, checked_key, item_key
from tablewright.engine.writes import Check, Delete, Put, TooDeep, Update, Write, refuse_key_changes
from tablewright.errors import DuplicateItem, RequestRefused
from tablewright.expressions import CompiledCondition, CompiledUpdateExpression, check_scalar_keys
from tablewright.expressions.ast import And, AttributeExists, AttributeNotExists, Condition, Or, paths_of
from tablewright.expressions.resolve import fixed
from tablewright.values import MAX_ITEM_SIZE, Item, dumps, item_size, loads


class Insert(Put):
    """A whole item that must not be there yet."""

    def plan(self, transaction: Transaction) -> Change:
        """What this write changes, given that nothing is stored; raises DuplicateItem."""
        transaction.require(self.table)
        if transaction.get(self.table, self.key) is not None:
            raise DuplicateItem(DUPLICATE_ITEM)
        return self.change(None)


class Rewrite(Update):
    """An update that tells of too deep a document in the words of statements."""

    def change(self, old: Stored | None) -> Change:
        """The item with the update applied."""
        try:
            return Update.change(self, old)
        except TooDeep:
            refuse(NESTING)


class Prepared(Struct):
    """A write statement that only waits for the stored item."""

    write: Write
    returning: str | None = None

    def returned(self, change: Change) -> Item | None:
        """What RETURNING asks for, or None where there is nothing of it."""
        match self.returning:
            case "ALL OLD":
                return change.old.item if change.old is not None else None
            case "ALL NEW":
                return loads(change.body)  # type: ignore[no-any-return]
            case "MODIFIED OLD" | "MODIFIED NEW" if isinstance(self.write, Update) and self.write.result is not None:
                result = self.write.result
                part = result.updated_old() if self.returning == "MODIFIED OLD" else result.updated_new()
                # What is new may share parts with the request.
                return loads(dumps(part)) if part else None
            case _:
                return None


def prepare_insert(context: Context, statement: Inserting, *, in_transaction: bool = False) -> Prepared:
    """An INSERT as a put. In a transaction, keys are refused in the words of TransactWriteItems."""
    table = context.table(statement.place.table)
    item = statement.item
    if not in_transaction:
        for key in (table.schema.hash, table.schema.range):
            if key is not None:
                if key.name not in item:
                    refuse(f"Key attribute should be present in the item: Key {key.name}")
                check_key_type(key, item[key.name])
    try:
        encoded = item_key(table.schema, item)
    except RequestRefused as error:
        raise KeyRefused(error.message) from None
    size = item_size(item)
    if size > MAX_ITEM_SIZE:
        refuse("Item size has exceeded the maximum allowed size")
    return Prepared(Insert(table, encoded, NO_EXPRESSIONS, False, item, size, dumps(item)))


def prepare_update(
    context: Context, statement: Updating, *, on_failure: bool, in_transaction: bool = False
) -> Prepared:
    """An UPDATE as an update of an item that is there."""
    table = context.table(statement.place.table)
    key, key_item = _key(table, statement.where, in_transaction=in_transaction)
    exists = And((AttributeExists((table.schema.hash.name,)), statement.where.condition))
    expressions = _expressions(exists, statement.where, statement.update)
    refuse_key_changes(table.schema, expressions)
    return Prepared(Rewrite(table, key, expressions, on_failure, key_item), statement.returning)


def prepare_delete(
    context: Context, statement: Deleting, *, on_failure: bool, in_transaction: bool = False
) -> Prepared:
    """A DELETE; where there is no item, there is nothing that could fail."""
    table = context.table(statement.place.table)
    key, _ = _key(table, statement.where, in_transaction=in_transaction)
    missing = Or((AttributeNotExists((table.schema.hash.name,)), statement.where.condition))
    expressions = _expressions(missing, statement.where)
    return Prepared(Delete(table, key, expressions, on_failure), statement.returning)


def prepare_exists(context: Context, statement: Checking, *, on_failure: bool) -> Prepared:
    """An EXISTS as a condition check."""
    reading = statement.reading
    table = context.table(reading.place.table)
    where = reading.where
    if where is None:
        refuse(EXISTS_SHAPE)
    finder = _finder(table, where)
    found: dict[str, Any] = {}
    for name, value in finder.equalities(where.condition):
        found.setdefault(name, value)
    terms = where.condition.terms if isinstance(where.condition, And) else (where.condition,)
    if found.keys() != set(table.schema.key_names) or len(list(finder.equalities(where.condition))) == _leaves(terms):
        refuse(EXISTS_SHAPE)
    key = checked_key(table.schema, found)
    exists = And((AttributeExists((table.schema.hash.name,)), where.condition))
    return Prepared(Check(table, key, _expressions(exists, where), on_failure))


def _leaves(terms: tuple[Condition, ...]) -> int:
    return sum(_leaves(term.terms) if isinstance(term, And) else 1 for term in terms)


def _finder(table: TableStore, where: Where) -> KeyFinder:
    return KeyFinder(table.schema.hash, table.schema.range, table.schema.key_schema, where.values)


def _key(table: TableStore, where: Where, *, in_transaction: bool) -> tuple[Key, Item]:
    """The one item that a write names; refused in the words of TransactWriteItems as part of a transaction."""
    schema = table.schema
    paths = list(paths_of(where.condition))
    if any(len(path) > 1 for path in paths):
        check_scalar_keys(paths, schema.key_names)
        check_scalar_keys(paths, schema.index_keys, "IndexKey")
    found: Item = {}
    for name, value in _finder(table, where).equalities(where.condition):
        if found.setdefault(name, value) != value:
            raise KeyRefused(
                f"Multiple conditions on same key {name}. Only single item Update/Insert/Delete are supported"
            )
    if not in_transaction:
        if found.keys() != set(schema.key_names):
            refuse(KEY_EQUALITY)
        for key in (schema.hash, schema.range):
            if key is not None:
                check_key_type(key, found[key.name])
    try:
        return checked_key(schema, found), schema.key_of(found)
    except RequestRefused as error:
        raise KeyRefused(error.message) from None


def _expressions(condition: Condition, where: Where, update: CompiledUpdateExpression | None = None) -> Expressions:
    compiled = CompiledCondition(fixed("ConditionExpression", condition))
    return Expressions(where.values, condition=compiled, update=update)
