"""Whether the strategy that was chosen for a relationship can work on this table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_origin

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import TemplateKey
from tablewright.compiler.paths import key_paths
from tablewright.errors import ModelError
from tablewright.model.annotations import plain, without_none
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.relationships import MAX_EMBEDDED, Relationship
from tablewright.values.keycodec import may_equal


def check_relationship(relationship: Relationship, entities: Mapping[type, EntityPlan]) -> None:
    """Raises ModelError when the strategy does not fit the entities' keys and fields."""
    source = _plan(relationship, relationship.source, entities)
    if relationship.strategy in ("embedded", "shallow duplication"):
        _check_field(relationship, source)
    elif relationship.strategy == "item collection":
        target = _plan(relationship, relationship.target, entities)
        if not (isinstance(source.pk, TemplateKey) and isinstance(target.pk, TemplateKey)) or not may_equal(
            source.pk.bound, target.pk.bound
        ):
            raise ModelError(
                f"{_name(relationship)} is an item collection, but {target.name} has the partition key {target.pk} and "
                f"{source.name} has {source.pk}.",
                hint="Give the child the parent's partition key template.",
            )
    elif relationship.strategy in ("adjacency list", "materialised graph"):
        _check_directions(relationship, entities)


def _check_field(relationship: Relationship, source: EntityPlan) -> None:
    name = relationship.field
    if name is None or name not in source.fields:
        raise ModelError(
            f"{_name(relationship)} is {relationship.strategy} and needs the field that holds it."
            + did_you_mean(name or "", source.fields)
        )
    field = source.fields[name]
    if relationship.cardinality == "1:1" or get_origin(plain(without_none(field.annotation))) not in (
        list,
        set,
        frozenset,
        tuple,
        dict,
    ):
        return
    if field.max_length is None or field.max_length >= MAX_EMBEDDED:
        raise ModelError(
            f"{_name(relationship)} is embedded in {source.name}.{name}, which has "
            + ("no maximum." if field.max_length is None else f"a maximum of {field.max_length}."),
            hint=f"Declare Field(max_length=...) below {MAX_EMBEDDED}, or make the children items of their own.",
        )


def _check_directions(relationship: Relationship, entities: Mapping[type, EntityPlan]) -> None:
    if relationship.via is None:
        raise ModelError(f"{_name(relationship)} needs via=, the entity of its links.")
    links = _plan(relationship, relationship.via, entities)
    for end, fields in (("source", relationship.source_fields), ("target", relationship.target_fields)):
        unknown = [f for f in fields if f not in links.fields]
        if not fields or unknown:
            raise ModelError(
                f"{_name(relationship)}: {end}_fields must name the fields of {links.name} that identify the {end}."
            )
        if not any(path.pk and all(k.sources <= set(fields) for k in path.pk) for path in key_paths(links)):
            raise ModelError(
                f"{_name(relationship)} cannot be read from its {end}: no key of {links.name} starts with {', '.join(fields)}.",
                hint=f"Give {links.name} an index whose partition key is made of {', '.join(fields)}.",
            )


def _plan(relationship: Relationship, entity: type[Entity] | str, entities: Mapping[type, EntityPlan]) -> EntityPlan:
    plan = entities.get(entity) if isinstance(entity, type) else None
    if plan is None:
        raise ModelError(f"{_name(relationship)} names {entity}, which is no entity of this table.")
    return plan


def _name(relationship: Relationship) -> str:
    target = relationship.target if isinstance(relationship.target, str) else relationship.target.__name__
    return f"The relationship {relationship.source.__name__} to {target}"
