"""Entities, their fields and how they relate, gathered once for every diagram and document."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

from msgspec import Struct
from pydantic import BaseModel

from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.plan import TablePlan
from tablewright.generate.documents.wording import docline, entity_name
from tablewright.model.annotations import NoneType, members, optional, plain
from tablewright.model.relationships import Cardinality, Relationship


class FieldShown(Struct, frozen=True):
    """A field as diagrams show it."""

    name: str
    type: str
    optional: bool
    in_key: bool
    unique: bool
    foreign: bool
    """Whether it holds part of another entity's key, as a relationship says."""
    indexes: tuple[str, ...]
    """The indexes whose keys are made of it."""
    about: str
    """Its description and, where it has few values, which."""


class EntityShown(Struct, frozen=True):
    """An entity, or a record that is embedded in one."""

    name: str
    about: str
    fields: tuple[FieldShown, ...]
    embedded: bool = False


class LinkShown(Struct, frozen=True):
    """A line between two entities."""

    source: str
    target: str
    cardinality: Cardinality
    label: str
    aside: bool = False
    """Whether it only tells how another link is stored."""


class Shown(Struct, frozen=True):
    """Everything that an entity-relationship diagram shows."""

    entities: tuple[EntityShown, ...]
    links: tuple[LinkShown, ...]


def shown(plan: TablePlan) -> Shown:
    """What there is to show of a table."""
    foreign = _foreign(plan)
    entities = [_entity(entity, foreign.get(entity.name, frozenset())) for entity in plan.entities.values()]
    known = {entity.name for entity in entities}
    links: list[LinkShown] = []
    for relationship in plan.table.relationships:
        target = entity_name(relationship.target)
        if target not in known:
            known.add(target)
            entities.append(_embedded(relationship, target))
        links += _links(relationship, target)
    links += [link for link in _trees(plan) if not any(_same(link, other) for other in links)]
    return Shown(tuple(entities), tuple(links))


def type_name(annotation: Any) -> str:
    """The type of a field in few words, without None: `list[OrderLine]`, `enum`, `str`."""
    kinds = [member for member in members(annotation) if member is not NoneType]
    return " or ".join(dict.fromkeys(_kind(kind) for kind in kinds)) or "None"


def _kind(kind: Any) -> str:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return "enum"
    if origin is not None:
        inner = ",".join(type_name(a) for a in arguments if a is not Ellipsis)
        return f"{getattr(origin, '__name__', str(origin))}[{inner}]"
    return str(getattr(kind, "__name__", kind))


def values_of(annotation: Any) -> list[str]:
    """The values of a field that has few, as they are stored."""
    found: list[str] = []
    for member in members(annotation):
        if get_origin(member) is Literal:
            found += [str(v.value if isinstance(v, enum.Enum) else v) for v in get_args(member)]
        elif isinstance(member, type) and issubclass(member, enum.Enum):
            found += [str(v.value) for v in member]
    return found


def _entity(plan: EntityPlan, foreign: frozenset[str]) -> EntityShown:
    indexes: dict[str, dict[str, None]] = {}
    for binding in plan.bindings:
        for name in sorted(frozenset().union(*(key.sources for key in binding.keys))):
            indexes.setdefault(name, {})[binding.index.name] = None
    fields = [
        FieldShown(
            name,
            type_name(info.annotation),
            optional(info.annotation),
            in_key=name in plan.key_fields,
            unique=name in plan.unique_fields,
            foreign=name in foreign,
            indexes=tuple(indexes.get(name, ())),
            about=_about(info.annotation, info.description),
        )
        for name, info in plan.entity.model_fields.items()
    ]
    return EntityShown(plan.name, docline(plan.entity), tuple(fields))


def _about(annotation: Any, description: str | None) -> str:
    values = values_of(annotation)
    said = [" ".join((description or "").split()), f"one of {', '.join(values)}" if values else ""]
    return "; ".join(part for part in said if part)


def _embedded(relationship: Relationship, name: str) -> EntityShown:
    """The record behind the name of an embedded target, as far as the field's type tells it."""
    info = None if relationship.field is None else relationship.source.model_fields.get(relationship.field)
    for kind in () if info is None else _inside(info.annotation):
        if getattr(kind, "__name__", None) == name:
            listed: dict[str, tuple[Any, str | None]] = {n: (hint, None) for n, hint in get_type_hints(kind).items()}
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                listed = {n: (i.annotation, i.description) for n, i in kind.model_fields.items()}
            fields = [
                FieldShown(n, type_name(hint), optional(hint), False, False, False, (), _about(hint, description))
                for n, (hint, description) in listed.items()
            ]
            return EntityShown(name, docline(kind), tuple(fields), embedded=True)
    return EntityShown(name, "", (), embedded=True)


def _inside(annotation: Any) -> Iterator[Any]:
    for member in members(annotation):
        yield member
        for argument in get_args(plain(member)):
            if not isinstance(argument, str):
                yield from _inside(argument)


def _links(relationship: Relationship, target: str) -> Iterator[LinkShown]:
    source, via = relationship.source.__name__, relationship.via
    label: str = relationship.strategy
    if relationship.field is not None:
        label += f" in {relationship.field}"
    yield LinkShown(source, target, relationship.cardinality, label)
    for end in dict.fromkeys((source, target)):
        for links in (via, relationship.mirror):
            if links is not None and links.__name__ not in (source, target):
                yield LinkShown(end, links.__name__, "1:N", "links", aside=True)


def _trees(plan: TablePlan) -> Iterator[LinkShown]:
    for tree, aggregate in plan.aggregates.items():
        for branch in aggregate.every():
            many: Cardinality = "1:N" if branch.level.hanging.many else "1:1"
            yield LinkShown(branch.parent.name, branch.plan.name, many, f"{branch.name} of {tree.__name__}")


def _same(one: LinkShown, other: LinkShown) -> bool:
    return (one.source, one.target) == (other.source, other.target)


def _foreign(plan: TablePlan) -> dict[str, frozenset[str]]:
    """By entity, the fields that hold part of another one's key."""
    found: dict[str, set[str]] = {}
    by_name = {entity.name: entity for entity in plan.entities.values()}
    for relationship in plan.table.relationships:
        source, target = relationship.source.__name__, by_name.get(entity_name(relationship.target))
        if relationship.via is not None and relationship.strategy in ("adjacency list", "materialised graph"):
            held = {*relationship.source_fields, *relationship.target_fields}
            if relationship.via.__name__ in (source, entity_name(relationship.target)):
                held -= by_name[relationship.via.__name__].key_fields
            for links in (relationship.via, relationship.mirror):
                if links is not None:
                    found.setdefault(links.__name__, set()).update(held)
        elif target is not None and relationship.strategy == "shallow duplication":
            held = {*relationship.by, *(target.key_fields - set(relationship.by.values()))}
            found.setdefault(source, set()).update(held)
        elif target is not None and target.name != source:
            found.setdefault(target.name, set()).update(by_name[source].key_fields & target.fields.keys())
    for aggregate in plan.aggregates.values():
        for branch in aggregate.every():
            found.setdefault(branch.plan.name, set()).update(branch.link)
    return {name: frozenset(fields & by_name[name].fields.keys()) for name, fields in found.items()}
