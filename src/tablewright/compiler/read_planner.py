"""Compiling reads: from what a pattern describes to a plan, or to the reason why there is none."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from msgspec.structs import replace

from tablewright.compiler.conditions import check_condition
from tablewright.compiler.derived import ShardPlan
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import KeyPlan, TemplateKey
from tablewright.compiler.paths import neighbours
from tablewright.compiler.projections import completing, held_attributes
from tablewright.compiler.queries import serve
from tablewright.compiler.reads import (
    CollectionPart,
    CollectionPlan,
    GetPlan,
    MixedPlan,
    QueryPlan,
    ReadPlan,
    shown_partition,
)
from tablewright.compiler.reasons import Kind, Reason
from tablewright.compiler.selection import select
from tablewright.compiler.served import Served
from tablewright.compiler.sortkeys import TemplateSort
from tablewright.compiler.views import check_view, needs_of, projected_paths, view_plan
from tablewright.errors import ModelError, PatternError, ValidationError
from tablewright.model.conditions import Condition
from tablewright.model.entity import Entity
from tablewright.model.operations import Collection, Get, Mixed, Part, Query
from tablewright.values.keycodec import BoundTemplate, Literal

Entities = Mapping[type, EntityPlan]
Within: TypeAlias = tuple[str | None, ...] | None
"""The indexes that come into question, None among them for the table; all of them, if not said."""


def plan_read(what: str, operation: Any, entities: Entities) -> ReadPlan:
    """Compiles one description of a read; raises PatternError when no key serves it."""
    match operation:
        case Get():
            plan, served = _serve(what, operation, entities, others=entities.values(), whole_key=True)
            if operation.view is None:
                return GetPlan(completing(plan, served.path), served, operation.strong)
            projection = projected_paths(plan, operation.view, served.path)
            return GetPlan(view_plan(plan, operation.view, served.path), served, operation.strong, projection)
        case Query():
            return _plan_query(what, operation, entities, entities.values(), filtering=True)
        case Collection():
            strong = operation.strong or any(p.query.strong for p in operation.parts)
            return _plan_together(what, operation.make, operation.parts, entities, strong=strong)
        case Mixed():
            return _plan_mixed(what, operation, entities)
    raise PatternError(f"{what} is no read.")


def plan_of(what: str, entity: type[Entity], entities: Entities) -> EntityPlan:
    """The plan of an entity of this table."""
    plan = entities.get(entity)
    if plan is None:
        raise ModelError(
            f"{what} reads {entity.__name__}, which is no entity of this table.",
            context={"missing_entity": entity.__name__},
        )
    return plan


def _serve(
    what: str,
    operation: Get[Any] | Query[Any],
    entities: Entities,
    *,
    others: Any,
    whole_key: bool = False,
    within: Within = None,
    filtering: bool = False,
) -> tuple[EntityPlan, Served]:
    plan = plan_of(what, operation.entity, entities)
    if operation.view is not None:
        check_view(what, plan, operation.view)
    selection = select(what, operation.entity, operation.conditions, plan.sources, only_for_keys=False)
    if isinstance(operation, Query):
        selection.order = operation.order
    served = serve(
        what,
        plan,
        selection,
        others,
        via=operation.index,
        strong=operation.strong,
        whole_key=whole_key,
        needs=needs_of(operation.view) if operation.view is not None else None,
        within=within,
        filtering=filtering,
    )
    return plan, served


def _plan_query(
    what: str,
    operation: Query[Any],
    entities: Entities,
    others: Any,
    *,
    within: Within = None,
    filtering: bool = False,
) -> QueryPlan:
    plan, served = _serve(what, operation, entities, others=others, within=within, filtering=filtering)
    for condition in operation.filters:
        _check_filter(what, condition, plan, served)
    view = operation.view
    projection = projected_paths(plan, view, served.path) if view is not None else ()
    return QueryPlan(
        view_plan(plan, view, served.path) if view is not None else completing(plan, served.path),
        served,
        operation.strong,
        operation.descending,
        operation.page_limit,
        operation.filters + served.rest,
        projection,
    )


def _check_filter(what: str, condition: Condition, plan: EntityPlan, served: Served) -> None:
    try:
        check_condition(condition, plan)
    except ValidationError as error:
        raise PatternError(f"{what}: in its filter, {error.message}", hint=error.hint) from None
    keys = {k.attribute.name for k in served.path.pk + served.path.sk}
    held = held_attributes(served.path)
    for leaf in condition.leaves():
        attribute = plan.paths.stored(leaf.path)[0]
        if attribute in keys:
            raise _unserved(
                what,
                "filter-on-key",
                f" filters by {leaf.field!r}, a key attribute of {served.path.name}.",
                "DynamoDB refuses that; make it a condition of the query.",
                leaf.field,
            )
        if held is not None and attribute not in held:
            raise _unserved(
                what,
                "projection",
                f" filters by {leaf.field!r}, which {served.path.name} does not project.",
                "Project it, or filter the result in Python.",
                leaf.field,
            )


def _unserved(what: str, kind: Kind, text: str, hint: str | None = None, *fields: str) -> PatternError:
    """The error for a read that the keys could serve, but not in this way."""
    return PatternError(f"{what}{text}", hint=hint, reasons=[Reason(kind, "", text.lstrip(": "), hint, fields=fields)])


# ------------------------------------------------------------------------------------------------- collections


def _plan_together(
    what: str,
    make: Callable[..., Any],
    parts: Sequence[Part],
    entities: Entities,
    *,
    strong: bool,
    sharded: bool = False,
) -> CollectionPlan:
    """All parts by one key. Each by its best is tried first; where these differ, any that serves them all will do."""

    def planned(within: Within) -> CollectionPlan:
        found = [_plan_part(what, part, entities, strong=strong, within=within) for part in parts]
        return plan_collection(what, make, found, entities, strong=strong, sharded=sharded)

    try:
        return planned(None)
    except PatternError as error:
        if not any(getattr(reason, "kind", None) == "other-partition" for reason in error.reasons):
            raise
        table = plan_of(what, parts[0].query.entity, entities).table
        for index in (None, *table.indexes):
            with suppress(PatternError):
                return planned((index,))
        raise


def _plan_part(what: str, part: Part, entities: Entities, *, strong: bool, within: Within) -> CollectionPart:
    """One part, by a key that can be read as consistently as the whole."""
    name, query = part.name, part.query
    if query.filters:
        raise PatternError(f"{what}: the part {name!r} has a filter.", hint="Filter the result in Python.")
    # Others may lie in a part's range: the items of a collection are told apart by their type.
    described = replace(query, strong=strong)
    served = _plan_query(f"{what}, part {name!r},", described, entities, others=(), within=within)
    return CollectionPart(name, part.many, served)


def plan_collection(
    what: str,
    make: Callable[..., Any],
    parts: Sequence[CollectionPart],
    entities: Entities,
    *,
    strong: bool,
    sharded: bool = False,
) -> CollectionPlan:
    """One query for all parts, or with `sharded` one for each shard; raises PatternError where they cannot be read
    together."""
    first = parts[0].query
    for planned in parts:
        _check_part(what, planned, first, sharded=sharded)
    wanted = {p.query.plan.entity for p in parts}
    others = [o for o in entities.values() if o.entity not in wanted]
    doubtful = tuple(p for p in parts[1:] if not _take_arguments_alike(first.served, p.query.served))
    return CollectionPlan(make, tuple(parts), strong, _over_read(parts, others), doubtful)


def _plan_mixed(what: str, operation: Mixed[Any], entities: Entities) -> MixedPlan:
    for query in operation.queries:
        if query.view is not None:
            raise PatternError(
                f"{what}: only() of one query does not go with others.",
                hint="Read whole items, or each in a query of its own.",
            )
    strong = operation.strong or any(q.strong for q in operation.queries)
    parts = [Part(query.entity.__name__, query, many=True) for query in operation.queries]
    known = _plan_together(what, tuple, parts, entities, strong=strong, sharded=True)
    limit = max((q.page_limit for q in operation.queries if q.page_limit is not None), default=None)
    return MixedPlan(
        known.make,
        known.parts,
        strong,
        known.over_reads,
        known.doubtful,
        skips_unknown=operation.skips_unknown,
        page_limit=limit,
    )


def _check_part(what: str, part: CollectionPart, first: QueryPlan, *, sharded: bool) -> None:
    query = part.query
    shards = _shards(query.served)
    if shards is None or not isinstance(query.served.sort, TemplateSort):
        raise _unserved(what, "other-partition", f": the part {part.name!r} is not one range of one partition.")
    if shards and not sharded:
        raise _unserved(
            what,
            "other-partition",
            f": the part {part.name!r} is spread over shards, and collect() reads one partition.",
            "Join the queries with | instead, which merges shards in order.",
        )
    index = query.served.path.index
    if index is not None and index.projection != "ALL" and query.plan.names.type not in index.include:
        raise _unserved(
            what,
            "projection",
            f": {index.name} does not project {query.plan.names.type!r}, so its items cannot be told apart.",
            f"Add it to the projection of {index.name}.",
        )
    if (query.served.path.index_name, shown_partition(query.served)) != (
        first.served.path.index_name,
        shown_partition(first.served),
    ):
        raise _unserved(
            what,
            "other-partition",
            f": {query.plan.name} lies in another partition than {first.plan.name}.",
            "Only entities that share a partition key can be read together; use two patterns.",
        )
    if shards != _shards(first.served):
        raise _unserved(
            what,
            "other-partition",
            f": {query.plan.name} is not spread over shards as {first.plan.name} is.",
            "Give both as many, Shard(..., of=...), so that each shard holds items of both.",
        )
    if query.descending != first.descending:
        raise _unserved(what, "directions", ": its parts are sorted in different directions.")


def _shards(served: Served) -> list[int] | None:
    """How many shards a read asks, by placeholder; None where something else decides about its partitions."""
    plans = [fan.plan for fan in served.fan_out]
    counts = [plan.of for plan in plans if isinstance(plan, ShardPlan)]
    return counts if len(counts) == len(plans) else None


def _take_arguments_alike(one: Served, other: Served) -> bool:
    """Whether equal arguments give equal partition keys, because the fields are declared alike."""

    def declared(served: Served) -> list[Any]:
        plan = served.path.plan
        return [plan.sources[name].annotation for key in served.path.pk for name in key.fields]

    return declared(one) == declared(other)


def _over_read(parts: Sequence[CollectionPart], others: list[EntityPlan]) -> tuple[str, ...]:
    """Who else may lie between the first and the last key of a collection."""
    if len(parts) == 1 and parts[0].query.served.complete:
        return ()
    path = parts[0].query.served.path
    heads = [_head(p.query.served.sort.key.bound) for p in parts if isinstance(p.query.served.sort, TemplateSort)]
    low, high = min(heads), max(heads)

    def outside(sk: KeyPlan | None) -> bool:
        head = _head(sk.bound) if isinstance(sk, TemplateKey) else ""
        return (head < low and not low.startswith(head)) or (head > high and not head.startswith(high))

    return tuple(sorted({n.name for n in neighbours(path, 0, others) if not outside(n.rival.first)}))


def _head(bound: BoundTemplate) -> str:
    """The literal text that every key of a template begins with."""
    segments = [s.segment for s in bound.segments]
    literals = [
        s.text for s in itertools.takewhile(lambda s: isinstance(s, Literal), segments) if isinstance(s, Literal)
    ]
    text = bound.style.separator.join(literals)
    return text + bound.style.separator if 0 < len(literals) < len(segments) else text
