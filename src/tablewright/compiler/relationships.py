"""Whether the strategy that was chosen for a relationship can work on this table."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import get_origin

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import TemplateKey
from tablewright.compiler.paths import may_meet
from tablewright.compiler.queries import serve
from tablewright.compiler.selection import UNKNOWN, Selection, Source
from tablewright.errors import ModelError, PatternError
from tablewright.model.annotations import describe, fits, plain, without_none
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.relationships import MAX_EMBEDDED, Relationship

_COLLECTIONS = (list, set, frozenset, tuple, dict)


def check_relationship(relationship: Relationship, entities: Mapping[type, EntityPlan]) -> None:
    """Raises ModelError when the strategy does not fit the entities' keys and fields."""
    source = _plan(relationship, relationship.source, entities)
    match relationship.strategy:
        case "embedded":
            _check_embedded(relationship, source)
        case "shallow duplication":
            _check_copies(relationship, source, _plan(relationship, relationship.target, entities))
        case "item collection":
            _check_collection(relationship, source, _plan(relationship, relationship.target, entities))
        case "adjacency list" | "materialised graph":
            _check_directions(relationship, entities)


def _check_embedded(relationship: Relationship, source: EntityPlan) -> None:
    name = relationship.field
    if name is None or name not in source.fields:
        raise ModelError(
            f"{relationship} is embedded and needs the field that holds it." + did_you_mean(name or "", source.fields)
        )
    field = source.fields[name]
    kind = plain(without_none(field.annotation))
    if relationship.cardinality == "1:1" or (get_origin(kind) or kind) not in _COLLECTIONS:
        return
    if field.max_length is None or field.max_length >= MAX_EMBEDDED:
        raise ModelError(
            f"{relationship} is embedded in {source.name}.{name}, which has "
            + ("no maximum." if field.max_length is None else f"a maximum of {field.max_length}."),
            hint=f"Declare Field(max_length=...) below {MAX_EMBEDDED}, or make the children items of their own.",
        )


def _check_copies(relationship: Relationship, source: EntityPlan, target: EntityPlan) -> None:
    if not relationship.copies:
        raise ModelError(
            f"{relationship} repeats fields, but does not say which.", hint='Give copies={"customer_name": "name"}.'
        )
    for own, theirs in relationship.copies.items():
        for plan, name in ((source, own), (target, theirs)):
            if name not in plan.fields:
                raise ModelError(
                    f"{relationship}: copies names field {name!r}, which {plan.name} does not have."
                    + did_you_mean(name, plan.fields)
                )
        copy, original = source.fields[own].annotation, target.fields[theirs].annotation
        if not fits(original, copy):
            raise ModelError(
                f"{relationship}: {source.name}.{own} is {describe(copy)}, but {target.name}.{theirs} is "
                f"{describe(original)}."
            )


def _check_collection(relationship: Relationship, source: EntityPlan, target: EntityPlan) -> None:
    together = (
        isinstance(source.pk, TemplateKey)
        and isinstance(target.pk, TemplateKey)
        and may_meet(source.pk.bound, target.pk.bound)
    )
    if not together:
        raise ModelError(
            f"{relationship} is an item collection, but {target.name} has the partition key {target.pk} and "
            f"{source.name} has {source.pk}.",
            hint="Give the child the parent's partition key template.",
        )


def _check_directions(relationship: Relationship, entities: Mapping[type, EntityPlan]) -> None:
    if relationship.via is None:
        raise ModelError(f"{relationship} needs via=, the entity of its links.")
    links = _plan(relationship, relationship.via, entities)
    for end, fields in (("source", relationship.source_fields), ("target", relationship.target_fields)):
        if not fields or not set(fields) <= links.fields.keys():
            raise ModelError(
                f"{relationship}: {end}_fields must name the fields of {links.name} that identify the {end}."
            )
        wanted = Selection(equal={f: Source(f, UNKNOWN, itemgetter(f)) for f in fields})
        try:
            serve(f"{relationship}: reading {links.name} by its {end}", links, wanted, entities.values(), needs=())
        except PatternError as error:
            raise ModelError(error.message, hint=error.hint) from None


def _plan(relationship: Relationship, entity: type[Entity] | str, entities: Mapping[type, EntityPlan]) -> EntityPlan:
    plan = entities.get(entity) if isinstance(entity, type) else None
    if plan is None:
        name = entity if isinstance(entity, str) else entity.__name__
        raise ModelError(f"{relationship} names {name}, which is no entity of this table.")
    return plan
