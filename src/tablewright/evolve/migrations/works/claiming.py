"""Markers of unique values, while items have two forms: each form's values are claimed, and what nobody holds is given up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablewright.client.writes.action import Action, same_key
from tablewright.client.writes.base import holds
from tablewright.client.writes.markers import claim, stored_markers
from tablewright.compiler.entity_plan import EntityPlan, UniquePlan
from tablewright.compiler.keys import have_form
from tablewright.errors import TablewrightError
from tablewright.evolve.jobs.work import Decision, Skipped
from tablewright.evolve.migrations.works.first_comers import FirstComers
from tablewright.evolve.migrations.works.guarding import (
    COPIED,
    TOO_WIDE,
    BesideWork,
    absent,
    as_read,
    attempted,
    belongs,
    identity,
    strongly,
    whole,
)
from tablewright.expressions import all_of, ast
from tablewright.values.types import Item

UNIQUE = "which is unique"
"""Ends the reason of items whose value another one holds."""


class Claiming(BesideWork, frozen=True, eq=False):
    """What both have in common."""

    holders: tuple[EntityPlan, ...]
    """The entity with the rules that are kept, once for each form: a value of any of them is held."""

    @property
    def identity(self) -> str:
        """The same for the same rules."""
        return identity(type(self).__name__, self.table, self.plan.type_name, *_texts(self.holders))

    def held(self, item: Item) -> list[tuple[UniquePlan, Item]]:
        """The markers of all that an item holds."""
        found: dict[bytes, tuple[UniquePlan, Item]] = {}
        for holder in self.holders:
            markers = stored_markers(holder, holder.current(item))
            for unique in holder.uniques:
                if (marker := markers[unique.name]) is not None:
                    found.setdefault(same_key(marker), (unique, marker))
        return list(found.values())

    def still(self, item: Item) -> Action | None:
        """Makes sure that an item holds what it held; None where that is more than a condition can say."""
        plan, key = self.plan, self.plan.key_of_item(item)
        if plan.versions is not None and plan.versions.is_old(item):
            guard = whole(plan, item)
            return None if guard is None else Action("ConditionCheck", key, condition=guard)
        names = {holder.sources[name].path[0] for holder in self.holders for name in holder.unique_fields}
        names |= {plan.type_attribute, *(() if plan.hides is None else (plan.hides,))}
        there = ast.AttributeExists((plan.table.pk.name,))
        return Action("ConditionCheck", key, condition=all_of(there, *as_read(item, names - key.keys())))


class Claim(Claiming, frozen=True, eq=False):
    """Claims what an item holds and nobody has claimed: code that knows one form alone claims it by the rules of that."""

    foreseen: FirstComers | None = None
    """In a dry run, those who would claim a value before."""
    given_up: FirstComers | None = None
    """In a dry run, the markers that would be gone by then."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"claim {', '.join(_names(self.holders))} of {self.plan.name}"

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """The markers of what it holds."""
        try:
            return [(self.table, marker) for _, marker in self.held(item)] if self.concerns(item) else ()
        except TablewrightError:
            return ()  # told where it is compared

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """Puts the markers that are not there, if it still holds these values."""
        return attempted(lambda: self._compare(item, found)) if self.concerns(item) else None

    def _compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        plan, key = self.plan, self.plan.key_of_item(item)
        mine = {same_key(key), *((same_key(item[COPIED]["M"]["key"]["M"]),) if COPIED in item else ())}
        missing: list[Action] = []
        for (unique, marker), there in zip(self.held(item), found, strict=True):
            if there is None or (self.given_up is not None and self.given_up.has(same_key(marker))):
                if self.foreseen is not None and not self.foreseen.gets(same_key(marker), same_key(key)):
                    return Skipped(_held_by_another(unique), compared=True)
                missing.append(claim(plan, unique, marker, key))
            elif (owner := there.get(plan.names.owner)) is not None and same_key(owner["M"]) not in mine:
                return Skipped(_held_by_another(unique), compared=True)
        if not missing:
            return None
        still = self.still(item)
        return Skipped(TOO_WIDE) if still is None else self.writes(*missing, still)


class Release(Claiming, frozen=True, eq=False):
    """Deletes the markers whose owner does not hold the value: code that knows one form alone gives up what that was, and not what
    the other one is."""

    rules: tuple[UniquePlan, ...]
    """Whose markers are looked at."""
    given_up: FirstComers | None = None
    """In a dry run, where it is noted which would be gone."""

    @property
    def name(self) -> str:
        """What is done."""
        rules = ", ".join(dict.fromkeys(rule.name for rule in self.rules))
        return f"give up {rules} that no {self.plan.name} holds"

    @property
    def identity(self) -> str:
        """The same for the same rules."""
        keys = [str(key) for rule in self.rules for key in rule.keys]
        return identity(super().identity, *keys)

    @property
    def reads(self) -> dict[str, Any]:
        """Markers."""
        return strongly(ast.AttributeExists((self.plan.names.owner,)))

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """The item that a marker says it is of."""
        return [(self.table, item[self.plan.names.owner]["M"])] if self._is_marker(item) else ()

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """Deletes it, if its owner still does not hold it."""
        return attempted(lambda: self._compare(item, found[0])) if self._is_marker(item) and found else None

    def _compare(self, marker: Item, owner: Item | None) -> Decision:
        plan, key, names = self.plan, self.plan.key_of_item(marker), self.plan.names
        if owner is None:
            still: Action | None = Action("ConditionCheck", marker[names.owner]["M"], condition=absent(plan))
        elif not belongs(plan, owner):
            return None  # nothing is known of who that is
        else:
            held = () if plan.alive(owner) is None else self.held(owner)
            if same_key(key) in {same_key(one) for _, one in held}:
                return None
            still = self.still(owner)
        if still is None:
            return Skipped(TOO_WIDE)
        if self.given_up is not None:
            self.given_up.gets(same_key(key), b"")
        return self.writes(Action("Delete", key, condition=holds((names.owner,), marker[names.owner])), still)

    def _is_marker(self, item: Item) -> bool:
        kind, owner = item.get(self.plan.names.type), item.get(self.plan.names.owner)
        return owner is not None and any(
            kind == {"S": rule.type_name} and have_form(rule.keys, item) for rule in self.rules
        )


def _held_by_another(unique: UniquePlan) -> str:
    return f"another item holds its value of {unique.name}, {UNIQUE}"


def _names(holders: Sequence[EntityPlan]) -> list[str]:
    return list(dict.fromkeys(rule.name for holder in holders for rule in holder.uniques))


def _texts(holders: Sequence[EntityPlan]) -> list[str]:
    return [
        f"{rule.name} {key} {sorted(holder.sources[name].path for name in rule.fields)}"
        for holder in holders
        for rule in holder.uniques
        for key in rule.keys
    ]
