"""Items that get another primary key: copied beside the old one first, or moved at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tablewright.client.writes.action import Action, same_key
from tablewright.client.writes.base import at, holds
from tablewright.client.writes.markers import claim, hand_over, release, stored_markers
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.keys import have_form
from tablewright.errors import TablewrightError
from tablewright.evolve.jobs.work import Again, Decision, Met, Skipped, Writes
from tablewright.evolve.migrations.works.former import FormerKeys
from tablewright.evolve.migrations.works.guarding import (
    COPIED,
    COPY,
    MARKS,
    TOO_WIDE,
    ItemWork,
    absent,
    as_read,
    attempted,
    belongs,
    digest,
    identity,
    key_texts,
    set_to,
    whole,
    without,
)
from tablewright.evolve.migrations.works.indexing import index_keys
from tablewright.evolve.migrations.works.recasting import Recast, recast_by
from tablewright.expressions import all_of, any_of, ast
from tablewright.values.types import AttributeValue, Item

TAKEN = "another item lies where it should go"
OTHER_KEY = "its key is not of the form that `was` says it had, so that there would be no way back"
OTHER_FIELDS = "its key is not the one that `was` makes of its fields, so that there would be no way back"
NO_FIELD = "a field that the new key is made of is not stored in it"


def target_key(plan: EntityPlan, item: Item) -> Item | None:
    """The key that a plan gives an item; None where a field of it is not stored."""
    current = plan.current(item)
    if any(at(current, plan.sources[name].path) is None for name in plan.key_fields):
        return None
    return plan.key(plan.values_in(current, plan.key_fields))


def former_key(former: FormerKeys, item: Item) -> Item | Skipped:
    """The key that an older model gave an item."""
    before = former.before(item)
    if isinstance(before, Skipped):
        return before
    return former.encode(former.values(before)) if former.stored(before) else Skipped(NO_FIELD)


class Moving(ItemWork, frozen=True, eq=False):
    """What copying and moving share."""

    index_attributes: frozenset[str]
    """Attributes that are keys of indexes and nothing else: what an item lacks to be in none."""
    local: frozenset[str]
    """Those of them that are keys of local indexes only."""
    recasts: tuple[Recast, ...]
    """What other steps make of attributes: they may end after this one, with what was written since."""

    @property
    def identity(self) -> str:
        """The same for the same templates."""
        return identity(type(self).__name__, self.table, self.plan.type_name, key_texts(self.plan))

    def target(self, item: Item) -> Item | Skipped:
        """The key that the plan gives an item."""
        seen = recast_by(self.recasts, item)
        return seen if isinstance(seen, Skipped) else target_key(self.plan, seen) or Skipped(NO_FIELD)

    def substance(self, item: Item) -> Item:
        """What an item holds, apart from where it lies: neither keys nor marks."""
        return without(item, {*self.plan.key_of_item(item), *MARKS, *self.index_attributes})

    def mark(self, key: Item, substance: Item) -> AttributeValue:
        """Where the other one lies, and what both held."""
        return {"M": {"key": {"M": dict(key)}, "content": {"S": digest(substance)}}}

    def copy(self, item: Item, key: Item) -> Item:
        """An item under a new key that no global index has: readers who come by one find the old one, and only that. A local index
        belongs to its partition: in another one than the old one's, nobody can meet both."""
        substance, old_key = self.substance(item), self.plan.key_of_item(item)
        made: Item = {}
        pk = self.plan.pk.attribute.name
        if same_key({pk: key[pk]}) != same_key({pk: old_key[pk]}) and self.plan.alive(item) is not None:
            bindings = tuple(b for b in self.plan.kept if b.index.local)
            kept = index_keys(self.plan, item, bindings)
            made = {n: v for n, v in kept.items() if v is not None and n in self.local}
        return {**substance, **made, **key, COPY: self.mark(old_key, substance)}

    def has_form(self, item: Item) -> bool:
        """Whether an item lies where one could go."""
        return self.plan.has_key(item)

    def free(self, deleted: AttributeValue | None = None) -> ast.Condition:
        """Nothing lies under a key but what was deleted softly, before this time if one is given: as where the same key is written
        again. Tombstones of pairs are settled with those."""
        names = self.plan.names
        buried = ast.Attribute((names.deleted,))
        tombstone = all_of(
            holds((self.plan.type_attribute,), {"S": self.plan.type_name}),
            *(ast.AttributeNotExists((mark,)) for mark in sorted(MARKS)),
            ast.AttributeExists(buried.path) if deleted is None else ast.Compare("<", buried, ast.Value(deleted)),
        )
        return absent(self.plan) if self.plan.hides is None else any_of(absent(self.plan), tombstone)

    def _met(self, old_key: Item, gone: Callable[[Item], Writes | None] | None = None) -> Met:
        """What lies where an item should go is its own copy, where the item was deleted and written anew since: then both are
        settled as a pair. `gone` says what is written instead where an item goes for what lies there."""

        def meaning(action: dict[str, Any], found: Item) -> Decision | Again:
            if "Put" not in action or not self.has_form(found):
                return Again()
            mark = found.get(COPY)
            ours = mark is not None and same_key(mark["M"]["key"]["M"]) == same_key(old_key)
            instead = None if ours or gone is None else gone(found)
            return instead or (None if ours else Skipped(TAKEN))

        return meaning

    def _has_own_form(self, item: Item) -> bool:
        """Whether an item lies where the model could have it."""
        return have_form((self.plan.pk,) if self.plan.sk is None else (self.plan.pk, self.plan.sk), item)

    def _no_way_back(self, was: FormerKeys | None, item: Item, held: Item) -> str | None:
        """Why an item that lies under an older key is not moved: none that the older model made, of what it holds."""
        if was is None or not self.plan.other_keys:
            return None
        if not self.plan.has_key(item):
            return OTHER_KEY
        if self._has_own_form(item) or not was.fits(item):
            return None  # moved already, and changed since; or brought back from where a later migration had moved it
        try:
            made = former_key(was, held)
        except TablewrightError:
            return None  # told on the way back
        return None if isinstance(made, Skipped) or made == self.plan.key_of_item(item) else OTHER_FIELDS

    def moved(self, item: Item, key: Item) -> Item:
        """An item under another key, in the indexes where the model has it; a tombstone in those that it was left in."""
        if self.plan.alive(item) is None:
            return {**without(item, {*self.plan.key_of_item(item), *MARKS}), **key}
        seen = recast_by(self.recasts, item)
        kept = index_keys(self.plan, item if isinstance(seen, Skipped) else seen, self.plan.kept)
        return {**self.substance(item), **{n: v for n, v in kept.items() if v is not None}, **key}

    def handed_over(self, item: Item, key: Item) -> Iterator[Action]:
        """The markers of unique values go with it."""
        found, plan = self._held(item), self.plan
        for unique in plan.uniques:
            marker = found.get(unique.name)
            if marker is not None:
                giving = release(plan, unique, marker, plan.key_of_item(item))
                yield hand_over(claim(plan, unique, marker, key), giving)

    def markers_of(self, kept: Item | None, home: Item, gone: Item | None) -> Iterator[Action]:
        """The markers of unique values after one of a pair was kept, at `home`, and what the other held is gone. Each may bear the
        name of either, since code of both models has written."""
        plan = self.plan
        owners = [home, *(plan.key_of_item(one) for one in (kept, gone) if one is not None)]
        ours = any_of(
            ast.AttributeNotExists((plan.names.owner,)),
            *(ast.Compare("=", ast.Attribute((plan.names.owner,)), ast.Value({"M": owner})) for owner in owners),
        )
        held, left = self._held(kept), self._held(gone)
        for unique in plan.uniques:
            now, before = held.get(unique.name), left.get(unique.name)
            if now is not None:
                yield Action("Put", now, item=claim(plan, unique, now, home).item, condition=ours, marker=unique.name)
            if before is not None and before != now:
                yield Action("Delete", before, condition=ours, marker=unique.name)

    def _held(self, item: Item | None) -> Mapping[str, Item | None]:
        """The markers of the unique values that an item has; a tombstone has none."""
        return {} if item is None or self.plan.alive(item) is None else stored_markers(self.plan, item)


class Copy(Moving, frozen=True, eq=False):
    """Puts a copy under the new key, where nothing lies yet, and marks the old one as copied."""

    was: FormerKeys | None = None
    """How the key was made that items have."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"copy {self.plan.name} to {key_texts(self.plan)}"

    def look(self, item: Item) -> Decision:
        """Items that lie where the model says are new ones."""
        return attempted(lambda: self._look(item)) if self.concerns(item) and COPIED not in item else None

    def _look(self, item: Item) -> Decision:
        key = self.target(item)
        if isinstance(key, Skipped):
            return key
        old_key = self.plan.key_of_item(item)
        if key == old_key:
            return None
        stray = self._no_way_back(self.was, item, item)
        if stray is not None:
            return Skipped(stray)
        guard = whole(self.plan, item)
        if guard is None:
            return Skipped(TOO_WIDE)
        mark = ast.Update((set_to(COPIED, self.mark(key, self.substance(item))),))
        return self.writes(
            Action("Put", key, item=self.copy(item, key), condition=self.free()),
            Action("Update", old_key, update=mark, condition=guard),
            met=self._met(old_key),
        )


class Move(Moving, frozen=True, eq=False):
    """Puts each item under the key that the plan gives it, where nothing lies yet, and deletes the old one with it."""

    tombstones: bool = False
    """Whether what was deleted softly goes along, so that it can be brought back from there."""
    was: FormerKeys | None = None
    """How the key was made that items have."""
    former: FormerKeys | None = None
    """How the key was made that items get, where it is not the one that the plan gives them."""

    @property
    def name(self) -> str:
        """What is done."""
        return f"move {self.plan.name} to {self._texts}"

    @property
    def identity(self) -> str:
        """The same for the same templates."""
        return identity(type(self).__name__, self.table, self.plan.type_name, self._texts)

    @property
    def _texts(self) -> str:
        return key_texts(self.plan) if self.former is None else str(self.former)

    def look(self, item: Item) -> Decision:
        """One transaction an item."""
        if COPIED in item or not (self.concerns(item) or self._is_tombstone(item)):
            return None
        return attempted(lambda: self._look(item))

    def has_form(self, item: Item) -> bool:
        """Whether an item lies where it could have been moved to."""
        return super().has_form(item) if self.former is None else self.former.fits(item)

    def target(self, item: Item) -> Item | Skipped:
        """The key that an item gets."""
        return super().target(item) if self.former is None else former_key(self.former, item)

    def _is_tombstone(self, item: Item) -> bool:
        return self.tombstones and self.plan.owns(item) and self.plan.alive(item) is None and COPY not in item

    def _look(self, item: Item) -> Decision:
        # A tombstone holds no unique values, and gets its index keys when it is brought back.
        dead = self.plan.alive(item) is None
        remains = item.get(self.plan.names.remains, {}).get("M")
        if dead and remains is None:
            return None  # nothing is left of it to bring back
        if self.former is not None and self.former.fits(item) and not self._has_own_form(item):
            return None  # it was never moved, or went back with its pair
        held = remains if dead and remains is not None else item
        key = self.target(held)
        if isinstance(key, Skipped):
            return key
        old_key = self.plan.key_of_item(item)
        if key == old_key:
            return None
        stray = self._no_way_back(self.was or self.former, item, held)
        if stray is not None:
            return Skipped(stray)
        guard = whole(self.plan, item)
        if guard is None:
            return Skipped(TOO_WIDE)
        # All attributes go along as they are: which keys it has on indexes is not this step's business.
        put = {**without(item, set(old_key)), **key}
        return self.writes(
            Action("Put", key, item=put, condition=self.free(item[self.plan.names.deleted] if dead else None)),
            Action("Delete", old_key, condition=guard),
            *self.handed_over(item, key),
            met=self._met(old_key, (lambda found: self._given_up(item, found, guard)) if dead else None),
        )

    def _given_up(self, item: Item, found: Item, guard: ast.Condition) -> Writes | None:
        """A tombstone goes for an item of its entity that lives where it should go, and for what was deleted there later."""
        plan, names = self.plan, self.plan.names
        later = MARKS.isdisjoint(found) and found.get(names.deleted, {}).get("S", "") >= item[names.deleted]["S"]
        if not belongs(plan, found) or (plan.alive(found) is None and not later):
            return None
        still = all_of(
            ast.AttributeExists((plan.table.pk.name,)), *as_read(found, (plan.type_attribute, names.deleted))
        )
        return self.writes(
            Action("Delete", plan.key_of_item(item), condition=guard),
            Action("ConditionCheck", plan.key_of_item(found), condition=still),
        )
