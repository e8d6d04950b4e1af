"""A model as it would be, on a copy: compiled again, so that the same proofs say which patterns are still served."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from tablewright.compiler.changes import summarise
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.entity_planner import plan_entity
from tablewright.compiler.plan import TablePlan
from tablewright.compiler.read_planner import plan_read
from tablewright.compiler.reads import ReadPlan, parts_of
from tablewright.compiler.reasons import reasons_of
from tablewright.cost.expecting import expectations_of, with_expectations
from tablewright.cost.what_if.asking import Add, Drop, Expire, Project, Question, Spread, Thin
from tablewright.errors import ArgumentError, TablewrightError
from tablewright.model.entity import Entity
from tablewright.model.indexes import GSI, Index
from tablewright.model.keys import IndexKeys, Keys, Shard
from tablewright.model.table import TableModel
from tablewright.wording import counted

_DAY = 86_400


class Unserved(Struct, frozen=True):
    """A pattern that no key would serve any more."""

    pattern: str
    reason: str


class Tried(Struct, eq=False):
    """A model as it would be. It is a table with its plan, as an estimate takes it."""

    plan: TablePlan
    unserved: tuple[Unserved, ...] = ()
    held: dict[str, dict[str, float]] = field(default_factory=dict)
    """Which share of an entity an index holds, where that is not all."""
    notes: list[str] = field(default_factory=list)


def tried(plan: TablePlan, question: Question, created: Callable[[type[Entity]], float | None]) -> Tried:
    """The model as a question would have it. `created` tells how many items of an entity are made in a second, on average."""
    match question:
        case Drop():
            return _without(plan, question.index)
        case Project():
            return _projected(plan, question)
        case Add():
            return _with(plan, question)
        case Thin():
            return _thinned(plan, question)
        case Spread():
            return _spread(plan, question)
        case Expire():
            return _expiring(plan, question, created(question.entity))
    return Tried(plan)


def _without(plan: TablePlan, name: str) -> Tried:
    table = _copied(plan.table)
    table.indexes = {n: i for n, i in table.indexes.items() if n != name}
    keys: dict[type[Entity], Keys] = {}
    for entity in plan.table.entities.values():
        if name in entity.keys.indexes:
            given = copy.copy(entity.keys)
            given.indexes = {n: k for n, k in given.indexes.items() if n != name}
            keys[entity] = _needed(given)
    found = _compiled(plan, table, keys)
    if plan.table.indexes[name].local:
        found.notes.append("A local index stays as long as its table: leave it out of a new one.")
    return found


def _projected(plan: TablePlan, question: Project) -> Tried:
    old = plan.table.indexes[question.index]
    made = GSI(old.name, projection=question.projection)
    index = Index(old.name, old.pk, old.sk, made.projection, made.include)
    object.__setattr__(index, "local", old.local)
    table = _copied(plan.table)
    table.indexes = {**table.indexes, old.name: index}
    found = _compiled(plan, table, {}, old.name)
    known = {path for p in plan.entities.values() for path in (f.path[0] for f in p.fields.values())}
    for name in (n for n in index.include if n not in known):
        raise ArgumentError(f"No entity of {table.label} stores an attribute {name!r}, which {old.name} would include.")
    found.notes.append(
        "A projection cannot be changed: a new index takes the place of the old one, and is filled at the price of writes."
    )
    return found


def _with(plan: TablePlan, question: Add) -> Tried:
    index = GSI(question.index, sk="default" if question.sk is not None else None, projection=question.projection)
    table = _copied(plan.table)
    table.indexes = {**table.indexes, index.name: index.resolved(table.names)}
    given = copy.copy(question.entity.keys)
    given.indexes = {
        **given.indexes,
        index.name: IndexKeys((question.pk,), () if question.sk is None else (question.sk,)),
    }
    return _compiled(plan, table, {question.entity: given})


def _thinned(plan: TablePlan, question: Thin) -> Tried:
    table = _copied(plan.table)
    said = table.expectations
    for entity in question.entities:
        own = said.of(entity)
        held = math.ceil((own.items or 0) * question.share)
        said.entities[entity] = replace(own, indexed={**own.indexed, question.index: held})
    found = _compiled(plan, table, {})
    found.held = {entity.__name__: {question.index: question.share} for entity in question.entities}
    readers = [f"{name}()" for name, plans in plan.patterns.items() if _reads(plans, question)]
    if readers:
        found.notes.append(f"They must want only what {question.index} then holds: {', '.join(readers)}.")
    return found


def _reads(plans: Mapping[Any, ReadPlan], thin: Thin) -> bool:
    parts = (part for read in plans.values() for part in parts_of(read))
    return any(p.served.path.index_name == thin.index and p.plan.entity in thin.entities for p in parts)


def _spread(plan: TablePlan, question: Spread) -> Tried:
    entity, index = question.entity, question.index
    given: Keys = copy.copy(entity.keys)
    given.derive = dict(given.derive)
    if index is not None and index not in given.indexes:
        raise ArgumentError(f"{entity.__name__} gives no keys for {index}, which could be spread.")
    template = given.pk if index is None else given.indexes[index].pk[0] if given.indexes[index].pk else ""
    if not template:
        raise ArgumentError(f"{index} shares its partitions with the table: spread those of the table.")
    name = next((n for n, d in given.derive.items() if isinstance(d, Shard) and f"{{{n}}}" in template), None)
    if name is None:
        own = plan.of(entity)
        # By what the partition key does not tell: who knows the rest of the key then knows the shard.
        told = own.pk.sources if index is None else _told(own, index)
        by = sorted((own.key_fields - told) or own.key_fields)
        taken = {*given.derive, *entity.model_fields}
        name = next(n for n in ("shard", *(f"shard{i}" for i in range(2, 99))) if n not in taken)
        given.derive[name] = Shard(*by, of=question.of)
        template = f"{template}{plan.table.key_style.separator}{{{name}}}"
    else:
        given.derive[name] = Shard(*given.derive[name].fields, of=question.of)
    if index is None:
        given.pk = template
    else:
        keys = given.indexes[index]
        given.indexes = {**given.indexes, index: replace(keys, pk=(template, *keys.pk[1:]))}
    found = _compiled(plan, _copied(plan.table), {entity: given}, index or "the table's key")
    found.notes.append(
        f"The shard is chosen by {', '.join(given.derive[name].fields)}; items that are there must be moved."
    )
    return found


def _told(plan: EntityPlan, index: str) -> frozenset[str]:
    return frozenset(f for b in plan.bindings if b.index.name == index for key in b.pk for f in key.sources)


def _expiring(plan: TablePlan, question: Expire, created: float | None) -> Tried:
    entity = question.entity
    if created is None:
        raise ArgumentError(
            f"Nobody said how often {entity.__name__} is written, so that nobody knows how many live at one time.",
            hint=f"Say it: expect({entity.__name__}, writes=...).",
        )
    table = _copied(plan.table)
    own = table.expectations.of(entity)
    alive = math.ceil(created * question.days * _DAY)
    items = alive if own.items is None else min(own.items, alive)
    table.expectations.entities[entity] = replace(
        own, items=items, indexed={name: min(count, items) for name, count in own.indexed.items()}
    )
    found = _compiled(plan, table, {})
    if own.items is not None and alive >= own.items:
        found.notes.append(
            f"{counted(alive, 'item')} would be made in that time, which are no fewer than are expected anyway."
        )
    found.notes.append(
        "Deletes by time to live are free; an item stays for some days after its time, and is stored till then."
    )
    return found


# ----------------------------------------------------------------------------------------------------------- the copy


def _copied(table: TableModel) -> TableModel:
    """The table with expectations of its own."""
    return with_expectations(table, expectations_of(table))


def _needed(keys: Keys) -> Keys:
    """The keys without what they derive for templates that are gone."""
    templates = [keys.pk, keys.sk or "", *(t for k in keys.indexes.values() for t in (*k.pk, *k.sk))]
    templates += [rule.key or "" for rule in keys.unique]
    keys.derive = {n: d for n, d in keys.derive.items() if any(f"{{{n}}}" in t or f"{{{n}:" in t for t in templates)}
    return keys


def _compiled(
    plan: TablePlan, table: TableModel, keys: Mapping[type[Entity], Keys], changed: str | None = None
) -> Tried:
    """Everything again, with other keys of some entities. The patterns themselves stay as they are. `changed` is the index
    that was, so that its reasons are told first."""
    made = TablePlan(table)
    try:
        made.entities = {entity: plan_entity(entity, table, keys.get(entity)) for entity in table.entities.values()}
    except TablewrightError as error:
        raise ArgumentError(f"The model cannot be like that: {error.message}", hint=error.hint) from None
    made.by_type = {own.type_name: own for own in made.entities.values()}
    unserved = []
    for name in plan.patterns:
        plans: dict[tuple[object, ...], ReadPlan] = {}
        try:
            for variant, operation in plan.table.patterns[name].variants.items():
                plans[variant] = replace(plan_read(f"The pattern {name}()", operation, made.entities), pattern=name)
        except TablewrightError as error:
            unserved.append(Unserved(name, _reason(error, changed)))
        else:
            made.patterns[name] = plans
    made.changes = {name: summarise(change, made.of(change.entity)) for name, change in table.changes.items()}
    return Tried(made, tuple(unserved))


def _reason(error: TablewrightError, changed: str | None) -> str:
    """Why a pattern is not served: what is wrong with the index that was changed, or else with the first key there is."""
    reasons = reasons_of(error)
    chosen = next((r for r in reasons if r.key_path == changed), next(iter(reasons), None))
    text = error.message if chosen is None else f"{chosen.key_path}: {chosen.text}" if chosen.key_path else chosen.text
    return text.split("\n", 1)[0].split(" Did you mean", 1)[0].rstrip(".:")
