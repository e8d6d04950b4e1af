"""Recorded relationships and aggregates as data."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from tablewright.compiler.aggregates import AggregatePlan, BranchPlan
from tablewright.evolve.differences.texts import code_text, field_text
from tablewright.model.relationships import Cardinality, Relationship, Strategy


class RelationshipDescription(Struct, frozen=True):
    """One relationship; entities are named as in code."""

    source: str
    target: str
    cardinality: Cardinality
    strategy: Strategy
    field: str | None
    copies: Mapping[str, str]
    by: Mapping[str, str]
    found_by: str | None
    via: str | None
    ends: tuple[Mapping[str, str], Mapping[str, str]]
    """The fields of a link that identify its two ends."""
    mirror: str | None

    def __str__(self) -> str:
        return f"{self.source} to {self.target}"


def describe_relationship(relationship: Relationship) -> RelationshipDescription:
    """The description of a relationship."""
    r = relationship

    def end(given: tuple[str, ...] | Mapping[str, str]) -> dict[str, str]:
        return dict(given) if isinstance(given, Mapping) else {name: name for name in given}

    return RelationshipDescription(
        source=r.source.__name__,
        target=r.target if isinstance(r.target, str) else r.target.__name__,
        cardinality=r.cardinality,
        strategy=r.strategy,
        field=r.field,
        copies=dict(r.copies),
        by=dict(r.by),
        found_by=None if r.found_by is None else r.found_by.name,
        via=None if r.via is None else r.via.__name__,
        ends=(end(r.source_fields), end(r.target_fields)),
        mirror=None if r.mirror is None else r.mirror.__name__,
    )


class BranchDescription(Struct, frozen=True):
    """One branch of a tree. Fields stand in it as `{type|field}`."""

    entity: str
    """The stored type of the children."""
    many: bool
    by: tuple[str, ...]
    """The children's fields that say whose they are, each with the parent's that it holds."""
    order_by: tuple[str, ...]
    counts: Mapping[str, str]
    """The parent's fields that count children, each with what it counts."""


class TreeDescription(Struct, frozen=True):
    """One aggregate."""

    root: str
    """The stored type of its root."""
    branches: Mapping[str, BranchDescription]
    """By their way from the root: `sections.elements`."""


def describe_tree(plan: AggregatePlan) -> TreeDescription:
    """The description of an aggregate."""
    found: dict[str, BranchDescription] = {}

    def add(branches: tuple[BranchPlan, ...], way: str) -> None:
        for branch in branches:
            found[way + branch.level.name] = _branch(branch)
            add(branch.branches, f"{way}{branch.level.name}.")

    add(plan.branches, "")
    return TreeDescription(plan.plan.options.type, found)


def _branch(branch: BranchPlan) -> BranchDescription:
    child, parent, hanging = branch.plan.entity, branch.parent.entity, branch.level.hanging
    counts = {n: "all" if counts is None else code_text(counts) for n, counts in hanging.counts.items()}
    return BranchDescription(
        entity=branch.plan.options.type,
        many=hanging.many,
        by=tuple(sorted(f"{field_text(child, (a,))} = {field_text(parent, (b,))}" for a, b in branch.link.items())),
        order_by=tuple(field_text(child, (n,)) for n in hanging.order_by),
        counts={field_text(parent, (n,)): what for n, what in counts.items()},
    )
