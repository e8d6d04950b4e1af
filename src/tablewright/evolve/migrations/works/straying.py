"""Parts whose items are gone, or do not have them any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablewright.client.writes.action import Action, same_key
from tablewright.client.writes.base import at, holds
from tablewright.compiler.noted import SPLIT
from tablewright.evolve.jobs.work import Decision, Skipped
from tablewright.evolve.migrations.works.guarding import (
    TOO_WIDE,
    absent,
    attempted,
    belongs,
    remove,
    strongly,
    whole,
)
from tablewright.evolve.migrations.works.parting import LEFT, PART, Parting, origin_keys, part_keys
from tablewright.expressions import all_of, ast
from tablewright.values.types import Item

ANEW = "the item that it was a part of was written anew, and is not split yet"
ALONE = "the item that it was a part of was deleted or written anew, and the part was changed since"


class _OfParts(Parting, frozen=True, eq=False):
    """What both have in common."""

    @property
    def reads(self) -> dict[str, Any]:
        """Parts."""
        return strongly(ast.AttributeExists((PART,)))

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """The item that it is a part of, wherever that lies by now."""
        return [(self.table, key) for key in origin_keys(item[PART])] if self.is_part(item) else ()


class KeptParts(_OfParts, frozen=True, eq=False):
    """Parts whose items code of the new model has written anew stay on their own. It comes before items are left to their parts,
    which those look like then."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"keep parts of what was written anew: {self.plan.name}"

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """Such an item has neither a mark nor what parts are made of."""
        there = [one for one in found if one is not None and self.concerns(one)]
        anew = self.is_part(item) and any(SPLIT not in one and self.ended(one) for one in there)
        return self.writes(self.unmarked(item)) if anew else None


class StrayParts(_OfParts, frozen=True, eq=False):
    """A part goes with its item, when all items have been looked at. One that code of the new model has changed since stays, on
    its own; on the way back, where nobody would read it, it is told."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"settle parts that are left alone: {self.plan.name}"

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """Ends a part that no item has."""
        return attempted(lambda: self._compare(item, found)) if self.is_part(item) else None

    def _compare(self, part: Item, found: Sequence[Item | None]) -> Decision:
        checks: list[Action] = []
        for key, source in zip(origin_keys(part[PART]), found, strict=True):
            if source is not None and belongs(self.plan, source) and self.plan.alive(source) is not None:
                if self._has(source, part):
                    return None
                if SPLIT not in source and self.ended(source) and self.aim != "finish":
                    # Code of the new model has written it anew, and its parts are that model's.
                    return self.writes(self.unmarked(part)) if self.aim == "follow" else Skipped(LEFT, compared=True)
                if SPLIT not in source and self.aim == "follow":
                    return None  # it is split by now, or told
                if SPLIT not in source and self.aim == "finish" and any(name in source for name in self.removes):
                    return Skipped(ANEW, compared=True)
            checks.append(self._still(key, source))
        return self._settled(part, checks)

    def _has(self, source: Item, part: Item) -> bool:
        mark = source.get(SPLIT)
        if mark is None or mark["M"]["origin"] != part[PART]["M"]["origin"]:
            return False
        return same_key(self.key_of(part)) in map(same_key, part_keys(mark))

    def _still(self, key: Item, source: Item | None) -> Action:
        """Makes sure that the item has not come back. One that may be brought back forgets that it was split."""
        if source is None:
            return Action("ConditionCheck", key, condition=absent(self.plan))
        names = self.plan.names
        kept = (names.remains, SPLIT)
        mark = at(source, kept)
        if self.plan.owns(source) and self.plan.alive(source) is None and mark is not None:
            return Action("Update", key, update=ast.Update((ast.RemoveAction(kept),)), condition=holds(kept, mark))
        hides = () if self.plan.hides is None else (holds((self.plan.hides,), source.get(self.plan.hides)),)
        same = (holds((name,), source.get(name)) for name in (self.plan.type_attribute, SPLIT))
        return Action("ConditionCheck", key, condition=all_of(*same, *hides))

    def _settled(self, part: Item, checks: list[Action]) -> Decision:
        plan = self.plan_of(part)
        if plan is not None and self.intact(part):
            guard, values = whole(plan, part), self.unique_values([(plan, part)], ())
            if guard is None or isinstance(values, Skipped):
                return Skipped(TOO_WIDE)
            return self.writes(Action("Delete", self.key_of(part), condition=guard), *checks, *values)
        if self.aim == "undo":
            return Skipped(ALONE, compared=True)
        own = ast.Update((remove(PART),))
        still = holds((PART,), part[PART])
        return self.writes(Action("Update", self.key_of(part), update=own, condition=still), *checks)
