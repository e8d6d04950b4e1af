"""Deleting a whole item collection: page by page, each item as its own entity deletes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tablewright.client import hooks
from tablewright.client.batches import delete_keys, only_deleted
from tablewright.client.calls import Steps, check_function
from tablewright.client.context import Context
from tablewright.client.operations import Order, plan_delete
from tablewright.client.pages import Partition, QueryReader
from tablewright.client.performing import perform
from tablewright.client.targets import Resolved, resolve_at_once
from tablewright.client.unsaid import UNSET
from tablewright.client.writes.base import holds
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import MARKER_TYPE
from tablewright.compiler.paths import KeyPath
from tablewright.compiler.reads import CollectionPlan, KeyQuery, QueryPlan
from tablewright.errors import ArgumentError, NotFoundError, UnknownEntityTypeError
from tablewright.expressions import ast, evaluate
from tablewright.expressions.builder import all_of
from tablewright.model.operations import Get, Op
from tablewright.values.types import Item

Reach: TypeAlias = Literal["below", "partition"]
PAGE = 100
_Asked: TypeAlias = Callable[[Item], ast.Condition | None]
"""What must still hold of an item that was read, so that it is one of those that were asked for; None: it cannot change."""


class Deleted(Struct, frozen=True):
    """How many items delete_collection() or erase() deleted, and whether none are left."""

    items: int
    """How many items were deleted."""
    done: bool
    """Whether none are left; False where `limit` stopped it."""


def delete_collection(
    context: Context, what: Any, reach: str, limit: int | None, progress: Callable[[int], object] | None
) -> Steps[Deleted]:
    """Reads what is there and deletes it, until nothing is left or enough is deleted."""
    if reach not in ("below", "partition"):
        raise ArgumentError('delete_collection(reach=...) is "below" or "partition".', field="reach")
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise ArgumentError("delete_collection(limit=...) is a number of items, at least one.", field="limit")
    if progress is not None:
        check_function("delete_collection(progress=...)", progress, "Pass a function that takes a number of items.")
    read, asked = _reading(context, what, reach)
    count = 0
    while not read.done:
        items = yield from read.more()
        for item in items:
            _entity_of(context, item)  # an item that nobody knows stops the call before its page is touched
        room = len(items) if limit is None else limit - count
        count += yield from _delete(context, items[:room], asked)
        if progress is not None and items:
            progress(count)
        if count == limit:
            return Deleted(count, read.done and room >= len(items))
    return Deleted(count, True)


def _delete(context: Context, items: Sequence[Item], asked: _Asked) -> Steps[int]:
    """Each item as its entity says; the rest in batches. Returns how many were deleted."""
    plain: list[Item] = []
    stayed = 0
    for item in items:
        plan = _entity_of(context, item)
        key = plan.key_of_item(item)
        through = asked(item)
        if through is None and only_deleted(plan) and plan.hooks is None:
            plain.append(key)
        else:
            if plain:  # in the order of the read: a parent goes last
                yield from delete_keys(context, plain)
                plain = []
            order = Order(plan, None, UNSET)
            values = hooks.key_fields(plan, key) if plan.hooks is not None else {}
            try:
                yield from perform(context, plan_delete(order, Resolved(plan, key, values, through=through)))
            except NotFoundError:  # it was found by what it no longer says
                stayed += 1
    yield from delete_keys(context, plain)
    return len(items) - stayed


def _entity_of(context: Context, item: Item) -> EntityPlan:
    tag = item.get(context.plan.table.names.type, {}).get("S", "")
    plan = context.plan.by_type.get(tag)
    if plan is None:
        raise UnknownEntityTypeError(
            f"delete_collection() met an item of the type {tag!r}, which the model does not know.",
            hint="What was read together with it was not deleted. Define an entity for it, or delete it by db.send().",
            context={"type": tag},
        )
    return plan


# ---------------------------------------------------------------------------------------------------- reading


class _Reading(Struct, eq=False):
    """The items of one partition in a range of sort keys, the last first, so that a parent goes after its children."""

    partition: Partition
    belongs: Callable[[Item], bool]

    @property
    def done(self) -> bool:
        """Whether everything was read."""
        return self.partition.exhausted

    def more(self) -> Steps[list[Item]]:
        """The next items."""
        yield from self.partition.fetch(PAGE)
        return [i for i in self.partition.take() if self.belongs(i)]


def _reading(context: Context, what: Any, reach: str) -> tuple[_Reading | QueryReader, _Asked]:
    if isinstance(what, Op) and not isinstance(what, Get):
        compiled = context.compiled(what)
        if isinstance(compiled, QueryPlan):
            if compiled.projection:
                raise ArgumentError(
                    "delete_collection() needs whole items, and this query reads only some of their attributes.",
                    hint="Leave .only(...) out.",
                )
            return QueryReader(context, compiled, what.arguments), _asked_by(context, compiled, what.arguments)
        if isinstance(compiled, CollectionPlan):
            return _of_collection(context, compiled, what.arguments)
        raise ArgumentError(
            "delete_collection() takes a query, a collection or an item.",
            hint="Delete each kind by a query of its own.",
        )
    return _of_parent(context, resolve_at_once(context, what).key, below=reach == "below"), lambda _: None


def _asked_by(context: Context, compiled: QueryPlan, arguments: Mapping[str, Any]) -> _Asked:
    """An index may tell of an item what is true no longer, and so may a filter; the table's own key stays."""
    if stays(compiled.served.path) and not compiled.filters:
        return lambda _: None
    queries = compiled.queries(arguments, context.table)

    def asked(item: Item) -> ast.Condition | None:
        query = next(q for q in queries if evaluate(all_of(*q.terms), item))
        return all_of(*query.terms) if query.filter is None else all_of(*query.terms, query.filter)

    return asked


def stays(path: KeyPath) -> bool:
    """Whether what a key says of an item is true as long as the item is there: its fields never change, and whatever takes
    its place under the same primary key has them, too."""
    return path.binding is None or path.binding.sources <= path.plan.key_fields


def holding(path: KeyPath, item: Item) -> ast.Condition:
    """That an item still has the key by which it was found."""
    return all_of(*(holds((k.attribute.name,), item[k.attribute.name]) for k in (*path.pk, *path.sk)))


def _of_collection(context: Context, compiled: CollectionPlan, arguments: Mapping[str, Any]) -> tuple[_Reading, _Asked]:
    path = compiled.parts[0].query.served.path
    sort = path.sk[0].attribute.name
    query = replace(compiled.query(arguments, context.table), descending=True)
    parts = [(p.query.plan, keys) for p, keys in zip(compiled.parts, compiled.ranges(arguments), strict=True)]
    staying = {p.query.plan.type_name for p in compiled.parts if stays(p.query.served.path)}

    def belongs(item: Item) -> bool:
        return any(p.owns(item) and item[sort]["S"] in keys for p, keys in parts)

    def asked(item: Item) -> ast.Condition | None:
        if item[context.plan.table.names.type]["S"] in staying:
            return None
        return holding(path, item)

    return _Reading(Partition(query), belongs), asked


def _of_parent(context: Context, key: Item, *, below: bool) -> _Reading:
    table = context.plan.table
    terms: list[ast.Condition] = [
        ast.Compare("=", ast.Attribute((table.pk.name,)), ast.Value(key[table.pk.name])),
    ]
    parent = ""
    if below:
        if table.sk is None or "S" not in key[table.sk.name]:
            raise ArgumentError(
                f"Nothing lies below an item of {table.name}, whose sort key is no text.",
                hint='Say reach="partition", or delete() the item.',
            )
        parent = key[table.sk.name]["S"]
        terms.append(ast.BeginsWith(ast.Attribute((table.sk.name,)), ast.Value({"S": parent})))
    inside = parent + table.key_style.separator

    def belongs(item: Item) -> bool:
        if item.get(table.names.type) == {"S": MARKER_TYPE}:
            return False  # markers of unique values go with the items that hold them
        plan = context.plan.by_type.get(item.get(table.names.type, {}).get("S", ""))
        if plan is not None and plan.alive(item) is None:
            return False  # what is deleted already; an item of another entity may have a field of that name
        text = item[table.sk.name].get("S", "") if table.sk is not None else ""
        return not below or text == parent or text.startswith(inside)  # what merely begins alike stays

    query = KeyQuery(context.table, None, tuple(terms), strong=True, descending=True)
    return _Reading(Partition(query), belongs)
