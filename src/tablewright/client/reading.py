"""Reading single items and collections, as steps without I/O; pages.py reads queries, sweeping.py whole tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel

from tablewright.client.calls import Steps
from tablewright.client.context import Context
from tablewright.client.entities import entity_from, entity_reader
from tablewright.client.expiry import refuse_unseen, shown
from tablewright.client.fetching import fetch_item, fetch_items, fetch_together, namer
from tablewright.client.pages import Partition, QueryReader
from tablewright.client.stumbling import Stumbling
from tablewright.client.targets import find_through_index, locate_many, resolve_at_once
from tablewright.client.unsaid import MAX_BATCH_GET
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.paths import key_paths
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.reads import CollectionPlan, GetPlan, MixedPlan, QueryPlan
from tablewright.compiler.views import check_view, projected_paths, view_plan
from tablewright.expressions import ast
from tablewright.model.operations import Get
from tablewright.values.types import Item


def query_reader(context: Context, compiled: QueryPlan | MixedPlan, arguments: Mapping[str, Any]) -> QueryReader:
    """A reader whose items become entities: those of one kind, or of several, with those that nobody knows."""
    if isinstance(compiled, MixedPlan):
        wanted = compiled.wanted(arguments, context.plan.by_type)
        return QueryReader(context, compiled, arguments, wanted, partial(_decoded, context.plan))
    made = entity_reader(compiled.plan)
    observed = context.options.observe
    if observed is not None and observed.fields is not None:
        made = observed.fields.watching(compiled.pattern, made)
    return QueryReader(context, compiled, arguments, None, made)


def _decoded(plan: TablePlan, item: Item) -> Any:
    """An item as whatever entity it is; it is looked at when the steps of the read are over."""
    with Stumbling("Query", [item]):
        return plan.decode(item)


def get_one(context: Context, compiled: GetPlan, arguments: Mapping[str, Any], *, strong: bool = False) -> Steps[Any]:
    """One entity (or a view of it), or None."""
    key = compiled.key(arguments)
    if key is None:
        if context.options.hide_expired and compiled.plan.options.ttl is not None:
            refuse_unseen(compiled.plan, compiled.served.path)
        items = yield from find_through_index(context, compiled, arguments)
        if not strong or not items:
            return _shown(context, compiled.plan, items[0]) if items else None
        key = compiled.plan.key_of_item(items[0])
    form = None if compiled.projection else context.form(compiled.plan)
    item = yield from fetch_item(
        context,
        key,
        strong=strong or compiled.strong,
        projection=compiled.projection,
        pattern=compiled.pattern,
        form=form,
    )
    found = _shown(context, compiled.plan, item)
    observed = context.options.observe
    if observed is not None and observed.fields is not None and compiled.pattern is not None and found is not None:
        return observed.fields.watched(compiled.pattern, found)
    return found


def _shown(context: Context, plan: EntityPlan, item: Item | None) -> Any:
    if plan.hides is None and not context.options.hide_expired:
        return None if item is None else entity_from(plan, item)
    found = shown(context, plan, item)
    return None if found is None else entity_from(plan, found)


def get_target(context: Context, target: Any, *, strong: bool) -> Steps[Any]:
    """The entity that a target names, or None."""
    if isinstance(target, Get):
        compiled = context.compiled(target)
        assert isinstance(compiled, GetPlan)
        return (yield from get_one(context, compiled, target.arguments, strong=strong))
    found = resolve_at_once(context, target)
    item = yield from fetch_item(context, found.key, strong=strong, form=context.form(found.plan))
    return _shown(context, found.plan, item)


def get_many(
    context: Context,
    targets: Iterable[Any],
    *,
    strong: bool,
    together: bool,
    only: type[BaseModel] | None = None,
    chunk_size: int = MAX_BATCH_GET,
) -> Steps[list[Any]]:
    """One entity, or view of it, or None for each target, in their order; each item is asked for once."""
    plans, keys = locate_many(context, targets)
    kinds = {plan.entity: plan for plan in plans}
    projection: list[ast.Path] = []
    if only is not None:
        for entity, plan in kinds.items():
            check_view("get_many()", plan, only)
            path = next(key_paths(plan))
            projection += projected_paths(plan, only, path)
            kinds[entity] = view_plan(plan, only, path)
        plans = [kinds[plan.entity] for plan in plans]
    projected = tuple(dict.fromkeys(projection))
    form = context.form(plans[0]) if len(kinds) == 1 and only is None and not together else None
    names = list(map(namer(form), keys))
    if together:
        found = yield from fetch_together(context, keys, projection=projected)
    else:
        found = yield from fetch_items(
            context, keys, strong=strong, projection=projected, chunk_size=chunk_size, form=form, names=names
        )
    if form is not None:  # then nothing is hidden
        read = entity_reader(plans[0])
        return [None if (item := found.get(name)) is None else read(item) for name in names]
    return [_shown(context, plan, found.get(name)) for plan, name in zip(plans, names, strict=True)]


def collect(context: Context, compiled: CollectionPlan, arguments: Mapping[str, Any]) -> Steps[Any]:
    """One query over a collection, its items handed to the parts that asked for them."""
    ranges = compiled.ranges(arguments)
    partition = Partition(compiled.query(arguments, context.table))
    while not partition.exhausted and not all(r.empty for r in ranges):
        yield from partition.fetch(None)
    found: dict[str, Any] = {}
    with Stumbling("Query", partition.buffer):
        for part, keys in zip(compiled.parts, ranges, strict=True):
            plan, sort = part.query.plan, part.query.served.path.sk[0].attribute.name
            own = {"S": plan.options.type}
            items = [i for i in partition.buffer if i.get(plan.names.type) == own and i[sort]["S"] in keys]
            entities = [plan.decode(i) for i in items if shown(context, plan, i) is not None]
            found[part.name] = entities if part.many else entities[0] if entities else None
    return compiled.make(**found)
