"""Old items and their copies, held against each other: what was written to one of them since reaches the other, or ends the pair.

Whoever wrote last decides. Where both were written, nobody knows who that was: the pair is left as it is and told, until
somebody says who wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from tablewright.client.writes.action import Action, same_key
from tablewright.evolve.jobs.checkpoints import Checkpoints
from tablewright.evolve.jobs.work import Decision, Skipped
from tablewright.evolve.migrations.works.former import FormerKeys
from tablewright.evolve.migrations.works.guarding import (
    COPIED,
    COPY,
    TOO_WIDE,
    absent,
    attempted,
    belongs,
    digest,
    identity,
    kept_in,
    key_texts,
    remove,
    set_to,
    strongly,
    whole,
)
from tablewright.evolve.migrations.works.moving import Moving, former_key
from tablewright.expressions import any_of, ast
from tablewright.values.types import Item

Aim: TypeAlias = Literal["follow", "finish", "undo"]
"""Let copies follow their items; let the copies take their place; or be rid of the copies."""

BOTH = "it was changed under its old key and under its new one since it was copied"


class Pairs(Moving, frozen=True, eq=False):
    """Items that have a partner."""

    aim: Aim
    wins: Literal["old", "new"] | None = None
    """Whose writes count where both were written."""
    former: FormerKeys | None = None
    """How the key was made that items get on the way back."""

    @property
    def identity(self) -> str:
        """The same for the same templates, and the same winner."""
        return identity(super().identity, self.aim, self.wins)

    @property
    def name(self) -> str:
        """What is done."""
        what = {"follow": "let copies follow", "finish": "remove what was copied", "undo": "remove copies"}[self.aim]
        return f"{what}: {self.plan.name} at {key_texts(self.plan)}"

    @property
    def reads(self) -> dict[str, Any]:
        """Both of each pair."""
        marked = any_of(ast.AttributeExists((COPY,)), ast.AttributeExists((COPIED,)))
        return strongly(marked)

    @property
    def writes_to(self) -> tuple[str, ...]:
        """Both lie in one table."""
        return (self.table,)

    def checkpoints(self, lease: float) -> Checkpoints:
        """In the table."""
        return kept_in(self.plan, self.table, lease)

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """The other one; nothing for an item that is no business of this work."""
        if not belongs(self.plan, item):
            return ()
        mark = item.get(COPY) or item.get(COPIED)
        return () if mark is None else ((self.table, mark["M"]["key"]["M"]),)

    def look(self, item: Item) -> Decision:
        """Nothing can be said about one of a pair alone."""
        return None

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """What has to be done about a pair, whichever of the two was met."""
        if not found:
            return None
        (partner,) = found
        if COPY not in item:
            return attempted(lambda: self._pair(item, partner))
        if partner is None:
            # While pairs are ended, an item may go between two looks; Orphans come after that.
            return attempted(lambda: self._left_alone(item)) if self.aim == "follow" else None
        if COPIED not in partner:
            return attempted(lambda: self._made_anew(partner, item))
        # One that both marks lead to is settled from the other side, once.
        ours = same_key(partner[COPIED]["M"]["key"]["M"]) == same_key(self.plan.key_of_item(item))
        return None if ours else attempted(lambda: self._stray(partner, item))

    def _pair(self, old: Item, copy: Item | None) -> Decision:
        guard = whole(self.plan, old)
        other = None if copy is None else whole(self.plan, copy)
        if guard is None or (copy is not None and other is None):
            return Skipped(TOO_WIDE)
        written, dead = self._changed(old, COPIED), self.plan.alive(old) is None
        if copy is None:  # deleted under the new key
            old_key = self.plan.key_of_item(old)
            if not dead and (not written or self.wins == "new"):
                return self.writes(self._delete(old, guard), *self.markers_of(None, old_key, old))
            if not dead and self.wins is None:
                return Skipped(BOTH, compared=True)
            gone = Action("ConditionCheck", old[COPIED]["M"]["key"]["M"], condition=absent(self.plan))
            return self.writes(Action("Update", old_key, update=ast.Update((remove(COPIED),)), condition=guard), gone)
        assert other is not None
        if COPY not in copy or self._changed(copy, COPY):  # or deleted, and written anew
            if not written or self.wins == "new":
                return self._copy_wins(old, guard, copy, other)
            if self.wins is None and not (dead and self.plan.alive(copy) is None):
                return Skipped(BOTH, compared=True)
            return self._old_wins(old, guard, copy, other, written=True, over=True)
        # Code of the new model that changes nothing may put a copy into its indexes all the same.
        shown = not (self.index_attributes - self.local).isdisjoint(copy)
        return self._old_wins(old, guard, copy, other, written=written or shown)

    def _old_wins(
        self, old: Item, guard: ast.Condition, copy: Item, other: ast.Condition, *, written: bool, over: bool = False
    ) -> Decision:
        """The copy follows, or goes; what code of the new model wrote into it is lost where the old one wins `over` that."""
        key, old_key = self.plan.key_of_item(copy), self.plan.key_of_item(old)
        home = key if self.aim == "undo" or self.plan.alive(old) is None else self.target(old)
        if isinstance(home, Skipped):
            return home
        if self.aim == "undo" or same_key(home) == same_key(old_key):  # it lies where it should, and needs no copy
            unmark = Action("Update", old_key, update=ast.Update((remove(COPIED),)), condition=guard)
            markers = self.markers_of(old, old_key, copy) if over else ()
            return self.writes(self._delete(copy, other), unmark, *markers)
        where, rest = other, tuple[Action, ...]()
        if same_key(home) != same_key(key):
            # A field of the new key was changed: the copy goes to where readers of the new model look for it.
            where, rest = self.free(), (self._delete(copy, other),)
            written = True
        if self.aim == "finish":
            put = Action("Put", home, item=self.moved(old, home), condition=where)
            markers = self.markers_of(old, home, copy) if over else self.handed_over(old, home)
            parts = (put, self._delete(old, guard), *rest, *markers)
        elif written:
            mark = ast.Update((set_to(COPIED, self.mark(home, self.substance(old))),))
            put = Action("Put", home, item=self.copy(old, home), condition=where)
            markers = self.markers_of(old, old_key, copy) if over else ()
            parts = (put, Action("Update", old_key, update=mark, condition=guard), *rest, *markers)
        else:
            return None
        return self.writes(*parts, met=self._met(old_key) if rest else None)

    def _stray(self, old: Item, copy: Item) -> Decision:
        """The old one has another copy: it was deleted and written anew, with another field of the new key."""
        guard, other = whole(self.plan, old), whole(self.plan, copy)
        if guard is None or other is None:
            return Skipped(TOO_WIDE)
        if self._changed(copy, COPY):
            return Skipped(BOTH, compared=True)  # who wins is no answer: for the new model these are two items
        same = Action("ConditionCheck", self.plan.key_of_item(old), condition=guard)
        return self.writes(self._delete(copy, other), same)

    def _copy_wins(self, old: Item, guard: ast.Condition, copy: Item, other: ast.Condition) -> Decision:
        """The new model has written it: it lies there for good, or goes back with what was written."""
        home = self.plan.key_of_item(old if self.aim == "undo" else copy)
        if self.aim == "undo":
            where, rest = guard, [self._delete(copy, other)]
            changed = self._changed_home(copy)
            if changed is not None and same_key(changed) not in map(same_key, (home, self.plan.key_of_item(copy))):
                home, where, rest = changed, self.free(), [*rest, self._delete(old, guard)]
            put = Action("Put", home, item=self.moved(copy, home), condition=where)
            met = self._met(self.plan.key_of_item(copy)) if len(rest) > 1 else None
            return self.writes(put, *rest, *self.markers_of(copy, home, old), met=met)
        put = Action("Put", home, item=self.moved(copy, home), condition=other)
        return self.writes(put, self._delete(old, guard), *self.markers_of(copy, home, old))

    def _changed_home(self, copy: Item) -> Item | None:
        """Where the older model reads what code of the new one has written, which may have changed a field of the old key."""
        if self.former is None or self.plan.alive(copy) is None:
            return None
        key = former_key(self.former, copy)
        return None if isinstance(key, Skipped) else key

    def _left_alone(self, copy: Item) -> Decision:
        """The old one was deleted: so is its copy, unless the new model has written it since."""
        guard = whole(self.plan, copy)
        if guard is None:
            return Skipped(TOO_WIDE)
        key = self.plan.key_of_item(copy)
        old_key = copy[COPY]["M"]["key"]["M"]
        still_gone = Action("ConditionCheck", old_key, condition=absent(self.plan))
        if self._changed(copy, COPY):
            put = Action("Put", key, item=self.moved(copy, key), condition=guard)
            return self.writes(put, still_gone, *self.markers_of(copy, key, None))
        return self.writes(self._delete(copy, guard), still_gone)

    def _made_anew(self, old: Item, copy: Item) -> Decision:
        """The old one was deleted and written anew, so that it knows of no copy."""
        guard, other = whole(self.plan, old), whole(self.plan, copy)
        if guard is None or other is None:
            return Skipped(TOO_WIDE)
        rewritten = self._changed(copy, COPY)
        if rewritten and self.wins is None:
            return Skipped(BOTH, compared=True)
        if rewritten and self.wins == "new":
            return self._copy_wins(old, guard, copy, other)
        return self._old_wins(old, guard, copy, other, written=True, over=rewritten)

    def _changed(self, item: Item, mark: str) -> bool:
        return bool(item[mark]["M"]["content"]["S"] != digest(self.substance(item)))

    def _delete(self, item: Item, guard: ast.Condition) -> Action:
        return Action("Delete", self.plan.key_of_item(item), condition=guard)


class Orphans(Pairs, frozen=True, eq=False):
    """Copies whose items are gone, or were written anew, when all pairs have been ended: those too to which that happened while it
    was done."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"settle copies that are left alone: {self.plan.name} at {key_texts(self.plan)}"

    @property
    def reads(self) -> dict[str, Any]:
        """Copies only."""
        return strongly(ast.AttributeExists((COPY,)))

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """Ends a copy whose item, if there is one, knows of no copy."""
        if COPY not in item or not found:
            return None
        (partner,) = found
        if partner is None:
            return attempted(lambda: self._left_alone(item))
        return attempted(lambda: self._made_anew(partner, item)) if COPIED not in partner else None
