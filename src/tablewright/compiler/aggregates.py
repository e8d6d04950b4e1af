"""Aggregates, compiled: how each level hangs on its parent, and the one query that reads the whole tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

from msgspec import Struct

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.queries import serve
from tablewright.compiler.read_planner import plan_collection
from tablewright.compiler.reads import CollectionPart, CollectionPlan, QueryPlan
from tablewright.compiler.selection import UNKNOWN, Selection, Source
from tablewright.compiler.served import Served
from tablewright.errors import ModelError, PatternError
from tablewright.model.aggregates import Aggregate, Counts, Level
from tablewright.model.annotations import describe, fits, plain, without_none
from tablewright.model.entity import Entity, did_you_mean, with_article

Entities = Mapping[type, EntityPlan]


class BranchPlan(Struct, frozen=True, eq=False):
    """One level of a tree below its root."""

    level: Level
    parent: EntityPlan
    plan: EntityPlan
    link: Mapping[str, str]
    """Which field of the child repeats which field of its parent."""
    known: Mapping[str, str]
    """Which field of the child repeats which key field of the root."""
    branches: tuple[BranchPlan, ...]
    alone: QueryPlan | None
    """The read of one parent's children; None where no key serves it."""
    refusal: str
    """Why not."""

    @property
    def name(self) -> str:
        """The attribute of the parent's node."""
        return self.level.name

    @property
    def counters(self) -> Mapping[str, Counts | None]:
        """The parent's fields that count these children."""
        return self.level.hanging.counts

    def every(self) -> Iterator[BranchPlan]:
        """This level and all below it, parents first."""
        yield self
        for branch in self.branches:
            yield from branch.every()


class AggregatePlan(Struct, frozen=True, eq=False):
    """A whole tree."""

    tree: type[Aggregate[Any]]
    plan: EntityPlan
    branches: tuple[BranchPlan, ...]
    collections: tuple[CollectionPlan, ...]
    """The query for the root alone, for it and its children, and so on down to the whole tree."""

    def every(self) -> Iterator[BranchPlan]:
        """All levels below the root, parents first."""
        for branch in self.branches:
            yield from branch.every()


def plan_aggregate(tree: type[Aggregate[Any]], entities: Entities) -> AggregatePlan:
    """Compiles an aggregate; raises ModelError for one that cannot be read and written as a whole."""
    root = _plan(tree.__name__, tree.__entity__, entities)
    if root.sk is None:
        raise ModelError(f"{tree.__name__}: {root.name} has no sort key, so nothing can lie beside it.")
    known = {name: name for name in root.key_fields}
    branches = _branches(tree.__name__, tree.__levels__, root, known, entities)
    seen: set[type] = {root.entity}
    for branch in (b for top in branches for b in top.every()):
        if branch.plan.entity in seen:
            raise ModelError(
                f"{tree.__name__} has {branch.plan.name} in two places, so a stored item would have two places too.",
                hint="Give each level an entity of its own.",
            )
        seen.add(branch.plan.entity)
    return AggregatePlan(tree, root, branches, tuple(_collections(tree.__name__, root, known, branches, entities)))


def _branches(
    what: str, levels: Mapping[str, Level], parent: EntityPlan, known: Mapping[str, str], entities: Entities
) -> tuple[BranchPlan, ...]:
    if levels and not (parent.options.version or parent.options.timestamps):
        raise ModelError(
            f"{what}: {parent.name} has children, but neither a version nor time stamps.",
            hint="One of them shows that a child was added while somebody else removed the parent.",
        )
    made = []
    for level in levels.values():
        where = f"{what}.{level.name}"
        plan = _plan(where, level.entity, entities)
        link = _link(where, level, parent, plan)
        _check_fields(where, level, parent, plan)
        through = {own: known[theirs] for own, theirs in link.items() if theirs in known}
        below = _branches(level.node.__name__, level.node.__levels__, plan, through, entities) if level.node else ()
        alone, refusal = _alone(where, plan, link, entities)
        made.append(BranchPlan(level, parent, plan, link, through, below, alone, refusal))
    return tuple(made)


def _link(where: str, level: Level, parent: EntityPlan, plan: EntityPlan) -> dict[str, str]:
    given = level.hanging.by
    link = {n: n for n in sorted(parent.key_fields - set(given.values()))} | dict(given)
    for own, theirs in link.items():
        for holder, name in ((plan, own), (parent, theirs)):
            if name not in holder.fields:
                raise ModelError(
                    f"{where}: {with_article(plan.name)} is to hold {parent.name}.{theirs} in {own!r}, but {holder.name} has no field "
                    f"{name!r}.{did_you_mean(name, holder.fields)}",
                    hint=f'Say how they are called: by={{"field of {plan.name}": "field of {parent.name}"}}.',
                )
        mine, original = plan.fields[own].annotation, parent.fields[theirs].annotation
        if not fits(original, mine):
            raise ModelError(
                f"{where}: {plan.name}.{own} is {describe(mine)}, but {parent.name}.{theirs} is {describe(original)}."
            )
    return link


def _check_fields(where: str, level: Level, parent: EntityPlan, plan: EntityPlan) -> None:
    for name in level.hanging.order_by:
        if name not in plan.fields:
            raise ModelError(
                f"{where}: order_by names {name!r}, which {plan.name} does not have.{did_you_mean(name, plan.fields)}"
            )
    for name in level.hanging.counts:
        if name not in parent.fields:
            raise ModelError(
                f"{where}: {parent.name} has no field {name!r} to count in.{did_you_mean(name, parent.fields)}"
            )
        field = parent.fields[name]
        if plain(without_none(field.annotation)) is not int or name in parent.key_fields:
            raise ModelError(f"{where}: {parent.name}.{name} cannot count, since it is no int, or part of the key.")


def _collections(
    what: str, root: EntityPlan, known: Mapping[str, str], branches: tuple[BranchPlan, ...], entities: Entities
) -> Iterator[CollectionPlan]:
    parts = [CollectionPart(root.name, False, _read(what, root, known))]
    level = branches
    while True:
        try:
            yield plan_collection(what, tuple, parts, entities, strong=False)
        except PatternError as error:
            raise ModelError(error.message, hint=error.hint) from None
        if not level:
            return
        parts = parts + [CollectionPart(b.plan.name, True, _read(f"{what}.{b.name}", b.plan, b.known)) for b in level]
        level = tuple(below for b in level for below in b.branches)


def _read(what: str, plan: EntityPlan, known: Mapping[str, str]) -> QueryPlan:
    """The items of one level, by what the root's key says of theirs."""
    in_key = {own: theirs for own, theirs in known.items() if own in plan.key_fields}
    try:
        served = _serve(f"{what}: reading {plan.name} with its root", plan, in_key, others=())
    except PatternError as error:
        raise ModelError(
            error.message,
            hint="Let the child's key begin with the root's: the same partition key, and a sort key that goes on from there.",
        ) from None
    if served.path.index is not None:
        raise ModelError(
            f"{what}: {plan.name} can be read with its root only through {served.path.index_name}.",
            hint="The items of an aggregate share the partition key of the table itself.",
        )
    return QueryPlan(plan, served, False, False, None, ())


def _alone(where: str, plan: EntityPlan, link: Mapping[str, str], entities: Entities) -> tuple[QueryPlan | None, str]:
    try:
        served = _serve(f"{where}: reading the children of one parent", plan, link, others=entities.values())
    except PatternError as error:
        return None, error.message
    return QueryPlan(plan, served, False, False, None, ()), ""


def _serve(what: str, plan: EntityPlan, fields: Mapping[str, str], *, others: Any) -> Served:
    wanted = Selection(equal={own: Source(theirs, UNKNOWN, itemgetter(theirs)) for own, theirs in fields.items()})
    return serve(what, plan, wanted, others)


def _plan(what: str, entity: type[Entity], entities: Entities) -> EntityPlan:
    plan = entities.get(entity)
    if plan is None:
        raise ModelError(
            f"{what} names {entity.__name__}, which is no entity of the same table.",
            context={"missing_entity": entity.__name__},
        )
    if plan.mirrored:
        raise ModelError(f"{what}: {plan.name} has mirrors, which do not lie in the same collection.")
    return plan
