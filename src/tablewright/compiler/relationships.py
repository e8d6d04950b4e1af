"""Whether the strategy that was chosen for a relationship can work on this table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import TemplateKey
from tablewright.compiler.paths import may_meet
from tablewright.compiler.queries import serve
from tablewright.compiler.selection import UNKNOWN, Selection, Source
from tablewright.errors import ModelError, PatternError
from tablewright.model.annotations import describe, fits, optional
from tablewright.model.entity import Entity, did_you_mean
from tablewright.model.operations import Query
from tablewright.model.pattern import Pattern
from tablewright.model.relationships import Relationship


def check_relationship(relationship: Relationship, entities: Mapping[type, EntityPlan], *, keyed: bool = True) -> None:
    """Raises ModelError when the strategy does not fit the entities' keys and fields. Without `keyed` the keys are still to
    be found: those of the plans hold what identifies an item, and only what does not depend on the rest is judged."""
    source = _plan(relationship, relationship.source, entities)
    match relationship.strategy:
        case "embedded":
            _check_embedded(relationship, source)
        case "shallow duplication":
            _check_copies(relationship, source, _plan(relationship, relationship.target, entities))
        case "item collection":
            target = _plan(relationship, relationship.target, entities)
            (_check_collection if keyed else _check_child)(relationship, source, target)
        case "adjacency list" | "materialised graph":
            _check_directions(relationship, entities, keyed=keyed)
    if relationship.mirror is not None:
        _check_mirror(relationship, entities, keyed=keyed)


def _check_embedded(relationship: Relationship, source: EntityPlan) -> None:
    name = relationship.field
    if name is None or name not in source.fields:
        raise ModelError(
            f"{relationship} is embedded and needs the field that holds it." + did_you_mean(name or "", source.fields)
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
        if own in source.key_fields and relationship.found_by is not None:
            raise ModelError(
                f"{relationship}: {source.name}.{own} is part of the key, so that no copy can follow its original."
            )
    if relationship.found_by is not None:
        _check_finding(relationship, source, target, relationship.found_by)


def _check_finding(
    relationship: Relationship, source: EntityPlan, target: EntityPlan, found_by: Pattern[..., Any]
) -> None:
    held = originals_key(relationship, source, target)
    name = getattr(found_by, "name", type(found_by).__name__)
    if not isinstance(found_by, Pattern) or found_by.name not in target.table.patterns:
        raise ModelError(f"{relationship}: found_by is no pattern of this table.", hint="Declare it before relate().")
    for operation in found_by.variants.values():
        if not isinstance(operation, Query) or operation.entity is not source.entity or operation.view is not None:
            raise ModelError(f"{relationship}: the pattern {name}() does not query {source.name}.")
    for parameter in found_by.parameters.names:
        if (
            parameter not in held
            and parameter not in target.fields
            and not optional(found_by.parameters.annotations[parameter])
        ):
            raise ModelError(
                f"{relationship}: the pattern {name}() needs {parameter!r}, which {target.name} does not tell."
                + did_you_mean(parameter, target.fields)
            )


def originals_key(relationship: Relationship, source: EntityPlan, target: EntityPlan) -> dict[str, str]:
    """Which field of a copy holds which key field of its original."""
    held = {n: n for n in sorted(target.key_fields - set(relationship.by.values()))} | dict(relationship.by)
    for own, theirs in held.items():
        for plan, name in ((source, own), (target, theirs)):
            if name not in plan.fields:
                raise ModelError(
                    f"{relationship}: a copy's {own!r} is to hold {theirs!r}, but {plan.name} has no field {name!r}."
                    + did_you_mean(name, plan.fields),
                    hint=f'Say how they are called: by={{"field of {source.name}": "field of {target.name}"}}.',
                )
    return held


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


def _check_child(relationship: Relationship, source: EntityPlan, target: EntityPlan) -> None:
    """A child tells which parent it belongs to, whatever their keys will be."""
    lacking = sorted(source.key_fields - target.fields.keys())
    if lacking:
        raise ModelError(
            f"{relationship} is an item collection, but {target.name} does not tell its {source.name}'s {', '.join(lacking)}."
            + did_you_mean(lacking[0], target.fields),
            hint=f"Give {target.name} fields of the same names.",
        )


def _check_directions(relationship: Relationship, entities: Mapping[type, EntityPlan], *, keyed: bool = True) -> None:
    if relationship.via is None:
        raise ModelError(
            f"{relationship} needs via=, the entity of its links.",
            hint='Give via=Membership, source_fields=("user_id",), target_fields=("group_id",).',
        )
    links = _plan(relationship, relationship.via, entities)
    for end, fields in (("source", relationship.source_fields), ("target", relationship.target_fields)):
        unknown = next((name for name in fields if name not in links.fields), None)
        if not fields or unknown is not None:
            raise ModelError(
                f"{relationship}: {end}_fields must name the fields of {links.name} that identify the {end}"
                + (f", and it has no field {unknown!r}." if unknown is not None else ".")
                + did_you_mean(unknown or "", links.fields)
            )
        if not keyed:
            continue
        refusals = []
        for plan in (
            links,
            *([] if relationship.mirror is None else [_plan(relationship, relationship.mirror, entities)]),
        ):
            wanted = Selection(equal={f: Source(f, UNKNOWN, itemgetter(f)) for f in fields})
            try:
                serve(f"{relationship}: reading {plan.name} by its {end}", plan, wanted, entities.values(), needs=())
                break
            except PatternError as error:
                refusals.append(error)
        else:
            raise ModelError("\n".join(e.message for e in refusals), hint=refusals[0].hint)


def _check_mirror(relationship: Relationship, entities: Mapping[type, EntityPlan], *, keyed: bool = True) -> None:
    """The two items of a link hold the same, and the key of each can be made from the other's."""
    if relationship.via is None or relationship.strategy not in ("adjacency list", "materialised graph"):
        raise ModelError(
            f"{relationship} has a mirror, but no links.", hint='Give via=, and strategy="adjacency list".'
        )
    via, mirror = (_plan(relationship, e, entities) for e in (relationship.via, relationship.mirror) if e is not None)
    if via is mirror or via.mirrored or mirror.mirrored:
        raise ModelError(f"{relationship}: {via.name} and {mirror.name} cannot mirror each other, or do so already.")
    for what in ("version", "lock", "nested", "timestamps", "soft_delete"):
        if getattr(via.options, what) != getattr(mirror.options, what) or via.hides is not None:
            raise ModelError(
                f"{relationship}: {via.name} and its mirror {mirror.name} differ in {what}, or delete softly.",
                hint="The two are written together, in the same way.",
            )
    if {n: (f.annotation, f.path) for n, f in via.fields.items()} != {
        n: (f.annotation, f.path) for n, f in mirror.fields.items()
    }:
        raise ModelError(
            f"{relationship}: the mirror {mirror.name} has other fields than {via.name}.",
            hint=f"Let it inherit them: class {mirror.name}({via.name}, table=...), with keys of its own.",
        )
    for plan, other in ((via, mirror), (mirror, via)) if keyed else ():
        told = {n for key in (plan.pk, plan.sk) if key is not None for n in key.fields}
        if other.key_fields - told:
            raise ModelError(
                f"{relationship}: the key of {plan.name} does not hold {', '.join(sorted(other.key_fields - told))}, which "
                f"{other.name}'s key is made of.",
                hint="Both keys are made of the same fields, in another order.",
            )


def key_of_end(
    relationship: Relationship, end: EntityPlan, fields: Iterable[str] | Mapping[str, str]
) -> dict[str, str]:
    """Which field of a link holds which key field of one of its ends, by the end's field."""
    named = dict(fields) if isinstance(fields, Mapping) else {name: name for name in fields}
    if not isinstance(fields, Mapping) and len(named) == len(end.key_fields) == 1:
        named = dict(zip(named, end.key_fields, strict=True))
    found = {theirs: own for own, theirs in named.items()}
    if found.keys() != end.key_fields:
        raise ModelError(
            f"{relationship} does not say which fields of its links hold the key of {end.name}.",
            hint=f'Say it by a mapping: source_fields={{"...": "{sorted(end.key_fields)[0]}"}}.',
        )
    return found


def _plan(relationship: Relationship, entity: type[Entity] | str, entities: Mapping[type, EntityPlan]) -> EntityPlan:
    plan = entities.get(entity) if isinstance(entity, type) else None
    if plan is None:
        name = entity if isinstance(entity, str) else entity.__name__
        raise ModelError(
            f"{relationship} names {name}, which is no entity of this table.", context={"missing_entity": name}
        )
    return plan
