"""What made-up entities have to do with each other: what identifies one, whom it belongs to, and what patterns look for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from tablewright.model.annotations import count_of_values, field_annotation, fits, optional
from tablewright.model.conditions import Compare, Missing
from tablewright.model.entity import Entity
from tablewright.model.operations import Get, reads_in
from tablewright.model.relationships import Relationship
from tablewright.model.symbols import is_symbol
from tablewright.table import Table


class Identity(Struct, frozen=True):
    """Fields whose values no two entities of a kind share."""

    fields: tuple[str, ...]

    def of(self, entity: Entity) -> tuple[Any, ...] | None:
        """An entity's own; None where a part is missing, so that it is told apart by nothing."""
        values = tuple(getattr(entity, name) for name in self.fields)
        return None if None in values else values


class Parent(Struct, frozen=True):
    """An entity that others belong to, by holding the fields that identify it."""

    entity: type[Entity]
    fields: Mapping[str, str]
    """The child's fields, with those of the parent whose values they take."""


def identities(table: Table, entity: type[Entity]) -> Iterator[Identity]:
    """What tells entities apart: the primary key, unique rules, and what patterns get one by."""
    plan = table.plan.of(entity)
    yield Identity(tuple(sorted(plan.key_fields)))
    for unique in plan.uniques:
        yield Identity(tuple(sorted(unique.fields)))
    for pattern in table.patterns.values():
        for operation in pattern.variants.values():
            if isinstance(operation, Get) and operation.entity is entity:
                tests = [c for c in operation.conditions if isinstance(c, Compare) and c.op == "="]
                given = {c.field for c in tests if is_symbol(c.value) and len(c.path) == 1}
                if given and len(tests) == len(operation.conditions):
                    yield Identity(tuple(sorted(given)))


def parents(
    table: Table, entity: type[Entity], known: Mapping[type[Entity], Sequence[Identity]], own: frozenset[str]
) -> list[Parent]:
    """Whom entities of a kind belong to, the nearest first: those whose identity stands in their fields, by the same
    names or as a relationship says. `known` are the identities of all kinds, `own` fields that identify the entity alone."""
    mine = {frozenset(i.fields) for i in known[entity]}
    found: list[Parent] = []
    for other in table.entities.values():
        if other is entity:
            continue
        for names in dict.fromkeys(i.fields for i in known[other]):  # in this order, so that data is alike each time
            same = {name: name for name in names}
            if frozenset(names) not in mine:
                found += [Parent(other, same)] if _holds(entity, other, same, own) else []
    for relationship in table.relationships:
        found += _related(entity, relationship, own)
    # The more of it, the nearer: who holds a visit's identity need not hold one of its pet's beside it.
    nearest = sorted(found, key=lambda parent: -len(parent.fields))
    kept: list[Parent] = []
    for parent in nearest:
        if not {name for other in kept for name in other.fields}.intersection(parent.fields):
            kept.append(parent)
    return kept


def _related(entity: type[Entity], relationship: Relationship, own: frozenset[str]) -> Iterator[Parent]:
    ends: list[tuple[Any, Any]] = []
    if entity in (relationship.via, relationship.mirror):
        ends = [
            (relationship.source, relationship.source_fields),
            (relationship.target, relationship.target_fields),
        ]
    elif entity is relationship.source and relationship.by:
        ends = [(relationship.target, relationship.by)]
    for end, named in ends:
        if isinstance(end, type) and isinstance(named, Mapping) and _holds(entity, end, named, own):
            yield Parent(end, dict(named))


def _holds(child: type[Entity], parent: Any, fields: Mapping[str, str], own: frozenset[str]) -> bool:
    """Whether the child's fields can take the parent's values. Few choices are no identity that others would refer to."""
    for mine, theirs in fields.items():
        if mine not in child.model_fields or mine in own or theirs not in parent.model_fields:
            return False
        taken, given = (field_annotation(e.model_fields[n]) for e, n in ((child, mine), (parent, theirs)))
        if count_of_values(given) is not None or not fits(given, taken):
            return False
    return bool(fields)


def wanted(table: Table, entity: type[Entity]) -> list[dict[str, Any]]:
    """The constants that access patterns look for, a mapping for each pattern, so that each has something to find."""
    found: list[dict[str, Any]] = []
    for pattern in table.patterns.values():
        for operation in pattern.variants.values():
            for read in reads_in(operation):
                one = dict(_constants(entity, read)) if read.entity is entity else {}
                if one and one not in found:
                    found.append(one)
    return found


def _constants(entity: type[Entity], read: Any) -> Iterator[tuple[str, Any]]:
    for condition in (*read.conditions, *read.filters):
        match condition:
            case Compare(_, (str(name),), "=", value) if not is_symbol(value):
                yield name, value
            case Missing(_, (str(name),)) if optional(field_annotation(entity.model_fields[name])):
                yield name, None
