"""Belongings, proved: that their patterns find everything of every entity, and that what leads to others can be followed.

A read that finds only some of an entity's items would leave the others behind, so each condition is that a field equals
what the owner, or the item above, has in it; nothing filters, and no index on the way holds only some of the items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from tablewright.compiler.reads import GetPlan, QueryPlan, ReadPlan, parts_of
from tablewright.errors import ModelError
from tablewright.model.belongings import Belongings, least_variant, required
from tablewright.model.conditions import Compare, conjuncts
from tablewright.model.operations import reads_in
from tablewright.model.symbols import Symbol

if TYPE_CHECKING:
    from tablewright.compiler.entity_plan import EntityPlan
    from tablewright.model.pattern import Pattern

Patterns = Mapping[str, Mapping[tuple[object, ...], ReadPlan]]


class Lead(Struct, frozen=True, eq=False):
    """One pattern to follow, and which values it is given."""

    read: ReadPlan
    needs: tuple[str, ...]


class BelongingsPlan(Struct, frozen=True, eq=False):
    """What to read for an owner, and below each item of an entity."""

    roots: tuple[Lead, ...]
    """The first is that of the owner itself."""
    below: Mapping[str, tuple[Lead, ...]]
    """By the stored type of what leads there."""
    entities: int
    """How many entities the table had when it was proved."""


def plan_belongings(
    belongings: Belongings[...], entities: Mapping[type, EntityPlan], patterns: Patterns
) -> BelongingsPlan:
    """Proves that nothing is left out."""
    first = required(belongings.patterns[0])
    for pattern in belongings.patterns:
        _check_needs(pattern, first, f"{belongings.patterns[0].name}() takes")
    for entity, following in belongings.below.items():
        for pattern in following:
            _check_needs(pattern, tuple(entities[entity].fields), f"{entity.__name__} has")
            _check_tombstones_lead(entities[entity], pattern)
    every = [*belongings.patterns, *(p for following in belongings.below.values() for p in following)]
    for pattern in every:
        for part in parts_of(_plan(pattern, patterns)):
            _check_complete(pattern, part)
        _check_conditions(pattern)
    _check_coverage(belongings, entities, patterns)
    _check_ends(belongings, patterns)

    def lead(pattern: Pattern[..., Any]) -> Lead:
        return Lead(_plan(pattern, patterns), required(pattern))

    return BelongingsPlan(
        tuple(lead(p) for p in belongings.patterns),
        {entities[e].type_name: tuple(lead(p) for p in found) for e, found in belongings.below.items()},
        len(entities),
    )


def _plan(pattern: Pattern[..., Any], patterns: Patterns) -> ReadPlan:
    return patterns[pattern.name][least_variant(pattern)]


def _check_needs(pattern: Pattern[..., Any], known: tuple[str, ...], whose: str) -> None:
    missing = [name for name in required(pattern) if name not in known]
    if missing:
        raise ModelError(
            f"belongings(): {pattern.name}() needs {', '.join(missing)}, but {whose} {', '.join(known)}.",
            hint="Parameters are filled in by their names; declare a pattern whose parameters are called so.",
        )


def _check_conditions(pattern: Pattern[..., Any]) -> None:
    for read in reads_in(pattern.variants[least_variant(pattern)]):
        plain = [c for condition in read.conditions for c in conjuncts(condition)]
        equal = all(isinstance(c, Compare) and c.op == "=" and type(c.value) is Symbol for c in plain)
        if not equal or read.filters:
            raise _some_only(pattern, read.entity.__name__, "its conditions choose among them")
        if read.view is not None:
            raise ModelError(
                f"belongings(): {pattern.name}() reads only some fields of {read.entity.__name__}.",
                hint="Declare a pattern that reads whole items.",
            )


def _check_complete(pattern: Pattern[..., Any], read: GetPlan | QueryPlan) -> None:
    binding, plan = read.served.path.binding, read.plan
    if binding is None:
        return
    name = binding.index.name
    optional = any(name in plan.fields and plan.fields[name].nullable for name in binding.required)
    if binding.condition is not None or optional:
        raise _some_only(pattern, plan.name, f"{name} does not hold all of them")
    if plan.hides is not None and name not in plan.haunted:
        raise ModelError(
            f"belongings(): {pattern.name}() reads {plan.name} through {name}, where its tombstones are not.",
            hint="Declare a pattern that the table's own key serves.",
        )


def _check_tombstones_lead(plan: EntityPlan, pattern: Pattern[..., Any]) -> None:
    lost = [name for name in required(pattern) if name not in plan.key_fields]
    if plan.hides is not None and lost:
        raise ModelError(
            f"belongings(): a tombstone of {plan.name} does not tell {', '.join(lost)}, which {pattern.name}() needs.",
            hint=f"Let it need fields of {plan.name}'s key only.",
        )


def _some_only(pattern: Pattern[..., Any], entity: str, why: str) -> ModelError:
    return ModelError(
        f"belongings(): {pattern.name}() does not find every {entity}: {why}.",
        hint="Declare a pattern that asks only for fields to be equal to its parameters, served by a key of all items.",
    )


def _check_coverage(belongings: Belongings[...], entities: Mapping[type, EntityPlan], patterns: Patterns) -> None:
    """Every entity belongs to an owner, or is said not to: a model that grows must not forget."""
    every = [*belongings.patterns, *(p for following in belongings.below.values() for p in following)]
    read = {part.plan.entity for p in every for part in parts_of(_plan(p, patterns))}
    read |= {twin for entity, twin in belongings.table.mirrors.items() if entity in read}
    left = [e.__name__ for e in entities if e not in read and e not in belongings.beside]
    if left:
        raise ModelError(
            f"belongings(): no pattern reads {', '.join(left)}, so these would stay behind.",
            hint="Add a pattern that leads there, or name entities that belong to nobody in beside=[...].",
        )
    both = [e.__name__ for e in belongings.beside if e in read]
    if both:
        raise ModelError(f"belongings(): {', '.join(both)} would be read, and stands in beside= as well.")
    lost = [e.__name__ for e in belongings.below if e not in read]
    if lost:
        raise ModelError(f"belongings(): nothing leads to {', '.join(lost)}, so nothing is found below.")


def _check_ends(belongings: Belongings[...], patterns: Patterns) -> None:
    """Nothing may lead back to itself: there would be no end, and no order to delete in."""
    leads: dict[type, set[type]] = {
        entity: {part.plan.entity for p in following for part in parts_of(_plan(p, patterns))}
        for entity, following in belongings.below.items()
    }

    def walk(entity: type, above: tuple[type, ...]) -> Iterator[type]:
        if entity in above:
            yield entity
            return
        for following in leads.get(entity, ()):
            yield from walk(following, (*above, entity))

    for entity in leads:
        for found in walk(entity, ()):
            raise ModelError(f"belongings(): {found.__name__} leads to itself.")
