"""Duplicated fields: which copies of an item's fields are out of date, and bringing them up to date.

Each copy is written together with a check that the original still says what is copied, so that however many do this at
once, and however late, no copy ever goes back to an older value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from tablewright.client import hooks
from tablewright.client.calls import Steps
from tablewright.client.context import GUARD_ATTEMPTS, Context
from tablewright.client.entities import entity_from
from tablewright.client.fetching import fetch_item
from tablewright.client.pages import QueryReader
from tablewright.client.performing import commit
from tablewright.client.targets import Resolved, resolve, target_plan
from tablewright.client.writes.base import holds, unchanged
from tablewright.client.writes.changes import check_changes
from tablewright.client.writes.delete import Check
from tablewright.client.writes.update import Update
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.reads import QueryPlan
from tablewright.compiler.relationships import originals_key
from tablewright.errors import (
    ArgumentError,
    ConditionalCheckError,
    ContentionError,
    NotFoundError,
    TablewrightError,
)
from tablewright.expressions import ast
from tablewright.expressions.builder import all_of
from tablewright.model.change import Action, Assign
from tablewright.model.entity import Entity, with_article
from tablewright.model.relationships import Relationship
from tablewright.values.types import AttributeValue, Item

_ORIGINAL = 1
"""Where the check of the original stands in a transaction."""


class Refreshed(Struct, frozen=True):
    """What refresh_copies() did: copies brought up to date, those that were already, and those that were gone."""

    updated: int = 0
    """Copies that were brought up to date."""
    current: int = 0
    """Copies that were right already."""
    gone: int = 0
    """Copies that were deleted meanwhile."""


class _Copying(Struct, eq=False):
    """One relationship, with the original as it was read last."""

    relationship: Relationship
    plan: EntityPlan
    """Of the copies."""
    original: EntityPlan
    key: Item
    item: Item

    @property
    def fields(self) -> frozenset[str]:
        """The fields of the original that are copied."""
        return frozenset(self.relationship.copies.values())

    def values(self) -> dict[str, Any]:
        """What the copies should hold, by their own fields."""
        told = self.original.values_in(self.item, self.fields)
        return {own: self.plan.fields[own].accept(told[theirs]) for own, theirs in self.relationship.copies.items()}

    def belonging(self) -> dict[str, Any]:
        """What an item must hold to be a copy of this original."""
        held = originals_key(self.relationship, self.plan, self.original)
        told = self.original.values_in(self.item, held.values())
        return {own: self.plan.fields[own].accept(told[theirs]) for own, theirs in held.items()}

    def stored(self, values: dict[str, Any]) -> list[ast.Condition]:
        """The condition that a copy holds these values."""
        return [holds(self.plan.fields[n].path, self._encoded(n, value)) for n, value in sorted(values.items())]

    def _encoded(self, name: str, value: Any) -> AttributeValue | None:
        field = self.plan.fields[name]
        return None if field.absent(value) else field.encode(value)

    def is_stale(self, item: Item) -> bool:
        """Whether a copy differs from its original."""
        wanted = self.values()
        there = self.plan.values_in(item, wanted)
        return any(self._encoded(n, there[n]) != self._encoded(n, wanted[n]) for n in wanted)

    def reader(self, context: Context) -> QueryReader:
        """The copies, as the pattern finds them."""
        pattern = self.relationship.found_by
        assert pattern is not None
        known = {**self.original.values_in(self.item, self.original.fields), **self.belonging()}
        given = {name: known.get(name) for name in pattern.parameters.names}
        operation, arguments = pattern.select((), given)
        compiled = context.compiled(operation)
        assert isinstance(compiled, QueryPlan)
        return QueryReader(context, compiled, arguments)

    def belongs(self, item: Item) -> bool:
        """Whether an item that was found is a copy of this original."""
        mine = self.belonging()
        return self.plan.values_in(item, mine) == mine


def stale(context: Context, target: Any) -> Steps[list[Entity]]:
    """The copies that differ from their original."""
    found: list[Entity] = []
    for copying in (yield from _copyings(context, target)):
        reader = copying.reader(context)
        while not reader.done:
            for item in (yield from reader.more()):
                if copying.belongs(item) and copying.is_stale(item):
                    found.append(entity_from(copying.plan, item))
    return found


def refresh(context: Context, target: Any) -> Steps[Refreshed]:
    """Brings the copies up to date, one by one. What is right already is left alone, so that it can be repeated."""
    counts = {"updated": 0, "current": 0, "gone": 0}
    try:
        for copying in (yield from _copyings(context, target)):
            reader = copying.reader(context)
            while not reader.done:
                for item in (yield from reader.more()):
                    if copying.belongs(item):
                        counts[(yield from _refresh(context, copying, item))] += 1
    except TablewrightError as error:
        error.context |= counts
        raise
    return Refreshed(**counts)


def _copyings(context: Context, target: Any) -> Steps[list[_Copying]]:
    plan = target_plan(context, target)
    recorded = [
        r for r in context.plan.table.relationships if r.target is plan.entity and r.copies and r.found_by is not None
    ]
    if not recorded:
        raise ArgumentError(
            f"No relationship says what is copied from {with_article(plan.name)}, and how the copies are found.",
            hint='Record it: Relationship(..., "shallow duplication", copies={...}, found_by=pattern).',
        )
    found = yield from resolve(context, target)
    item = yield from _original(context, found)
    return [_Copying(r, context.plan.of(r.source), plan, found.key, item) for r in recorded]


def _original(context: Context, found: Resolved) -> Steps[Item]:
    item = found.plan.alive((yield from fetch_item(context, found.key, strong=True)))
    if item is None or not found.is_meant(item):
        raise NotFoundError(
            f"There is no such {found.plan.name} to copy from.",
            key=found.plan.told_by_key(found.key),
            context={"entity": found.plan.name},
        )
    return item


def _refresh(context: Context, copying: _Copying, item: Item) -> Steps[str]:
    """Writes one copy; says what became of it."""
    for _ in range(GUARD_ATTEMPTS):
        if not copying.is_stale(item):
            return "current"
        try:
            yield from commit(context, [_update(copying, item), _check(copying)])
        except ConditionalCheckError as error:
            if _ORIGINAL not in error.context["reasons"]:
                # Deleted, given to another original, or right by now: an index tells of it a little later.
                return "gone" if isinstance(error, NotFoundError) else "current"
            found = Resolved(copying.original, copying.key, {})
            copying.item = yield from _original(context, found)
        else:
            return "updated"
    raise ContentionError(
        f"This {copying.original.name} was changed each of the {GUARD_ATTEMPTS} times that it was copied.",
        hint="Copies that are written are right; repeat it later for the rest.",
    )


def _update(copying: _Copying, item: Item) -> Update:
    plan, wanted = copying.plan, copying.values()
    actions: Sequence[Action] = [Assign((name,), value) for name, value in sorted(wanted.items())]
    if plan.hooks is not None:
        actions = hooks.before_update(plan.hooks, actions)
    differs = ast.Not(all_of(*copying.stored(wanted)))
    return Update(
        plan,
        plan.key_of_item(item),
        conjunction([differs, *copying.stored(copying.belonging())]),
        changes=check_changes(plan, actions),
        values=plan.values_in(item, plan.key_fields),
        copy=lambda: item,
    )


def _check(copying: _Copying) -> Check:
    same = unchanged(copying.original, copying.fields, copying.item)
    return Check(copying.original, copying.key, conjunction(same))
