"""What aggregates ask of keys: a tree lies in one item collection of the table, which the identity of its root finds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.errors import ModelError
from tablewright.model.aggregates import Aggregate, Level
from tablewright.model.entity import Entity, with_article
from tablewright.synth.facts import EntityFacts
from tablewright.synth.needs import Need, Together, known_by

Facts = Mapping[type[Entity], EntityFacts]


def parents(trees: Mapping[str, type[Aggregate[Any]]]) -> frozenset[type[Entity]]:
    """The entities that something hangs on. Children repeat the whole key of their parent, so it is made of its identity."""
    found = {tree.__entity__ for tree in trees.values()}
    for tree in trees.values():
        found |= {level.entity for level in _levels(tree.__levels__) if level.node is not None}
    return frozenset(found)


def tree_need(tree: type[Aggregate[Any]], facts: Facts) -> Together:
    """The read of a whole tree; raises ModelError where its items cannot lie in one collection."""
    name = tree.__name__
    root = _of(name, tree.__entity__, facts)
    identity = {field: field for field in root.identity}
    parts = [_part(name, root, identity), *_branches(name, tree.__levels__, root, identity, facts)]
    twice = [part.entity for n, part in enumerate(parts) if part.entity in {p.entity for p in parts[:n]}]
    if twice:
        raise ModelError(f"{name} has {twice[0]} in two places.", hint="Give each level an entity of its own.")
    return Together(name, tuple(parts), root.identity)


def _levels(levels: Mapping[str, Level]) -> Iterator[Level]:
    for level in levels.values():
        yield level
        if level.node is not None:
            yield from _levels(level.node.__levels__)


def _branches(
    where: str,
    levels: Mapping[str, Level],
    parent: EntityFacts,
    known: Mapping[str, str],
    facts: Facts,
) -> Iterator[Need]:
    """The parts of all levels below a parent; `known` says which of its fields repeat those that identify the root."""
    options = parent.entity.__options__
    if levels and not (options.version or options.timestamps):
        raise ModelError(
            f"{where}: {parent.name} has children, but neither a version nor time stamps.",
            hint=f"Write class {parent.name}(Entity, ..., version=True): it shows that a child was added meanwhile.",
        )
    for level in levels.values():
        child = _of(f"{where}.{level.name}", level.entity, facts)
        by = level.hanging.by
        link = {name: name for name in parent.identity if name not in by.values()} | dict(by)
        for own in link:
            if own not in child.fields:
                raise ModelError(
                    f"{where}.{level.name}: {with_article(child.name)} does not tell its {parent.name}'s {link[own]}.",
                    hint=f"Give {child.name} a field {own!r}, or say how it is called: children(by={{...}}).",
                )
        through = {own: known[theirs] for own, theirs in link.items() if theirs in known}
        _check_settled(f"{where}.{level.name}", level, child, through)
        yield _part(where, child, through)
        if level.node is not None:
            yield from _branches(level.node.__name__, level.node.__levels__, child, through, facts)


def _check_settled(where: str, level: Level, child: EntityFacts, through: Mapping[str, str]) -> None:
    loose = next((own for own in through if own not in child.settled), None)
    if loose is not None and level.node is not None:
        raise ModelError(
            f"{where}: {child.name} has children, which find it by its identity, and {loose} is not part of that.",
            hint=f"Name {loose!r} in identity= of {child.name}.",
        )
    if loose is not None:
        raise ModelError(
            f"{where}: {child.name}.{loose} says which tree it belongs to, but can change, be missing, or is not held by "
            "writers.",
            hint=f"Write {loose}: ... = Field(frozen=True), and name it in handles= if there are any.",
        )


def _part(tree: str, facts: EntityFacts, fields: Mapping[str, str]) -> Need:
    return known_by(f"the tree {tree}", facts, fields, strong=True)


def _of(where: str, entity: type[Entity], facts: Facts) -> EntityFacts:
    found = facts.get(entity)
    if found is None:
        name = entity.__name__
        raise ModelError(f"{where} names {name}, which is no entity of this design.", context={"missing_entity": name})
    return found
