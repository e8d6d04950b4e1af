"""One item that becomes many: its parts are put beside it and follow it, until they take its place or go again.

Whoever wrote last decides, code of the old model the item or code of the new one its parts. Where both were written, nobody
knows who that was, and they are left as they are and told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pydantic

from tablewright.client.writes.action import Action, same_key
from tablewright.client.writes.base import at, holds
from tablewright.client.writes.items import full_item
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.compiler.noted import SPLIT
from tablewright.compiler.sealing import Held
from tablewright.errors import TablewrightError
from tablewright.evolve.differences.texts import code_text
from tablewright.evolve.jobs.work import Again, Decision, Skipped, Writes
from tablewright.evolve.migrations.works.guarding import (
    READ,
    TOO_WIDE,
    absent,
    as_read,
    attempted,
    belongs,
    check_version,
    digest,
    identity,
    remove,
    set_to,
    upcasts_need,
    values_of,
    whole,
    without,
)
from tablewright.evolve.migrations.works.parting import PART, Parting, Parts, origin_keys, part_keys, plain
from tablewright.expressions import all_of, ast
from tablewright.model.entity import Stored
from tablewright.values.types import AttributeValue, Item
from tablewright.values.wire import from_wire_item, to_wire

BOTH = "it was changed since it was split, and so were its parts"
CHANGED = (
    "parts of it were made, changed or deleted since it was split, and no back= of the step makes the item of them"
)
NEW = "code of the new model has written it, and no back= of the step makes what code of the old one reads"
DELETED = "it was deleted softly before it was left to its parts: bring it back or purge it, or wait until it expires"
TAKEN = "another item lies where a part of it should go"
HELD = "a unique value of its parts is another item's"
SEALED = "a field of its parts is encrypted or kept outside of the table, which only code of the new model can do"
OTHERWISE = "another step has split it, and is neither retired nor rolled back"

_MOST = 99
"""Parts that fit into one transaction with the item itself."""
_TOO_MANY = f"it has more than {_MOST} parts and unique values, which do not fit into one transaction"

Back = Callable[[dict[str, Any], list[tuple[str, dict[str, Any]]]], Mapping[str, Any]]


class SplitUp(Parting, frozen=True, eq=False):
    """Puts the parts of each item, where nothing lies yet, and puts them anew where the item was changed since. In the end what
    they were made of is removed; or they are taken away again."""

    by: Parts
    back: Back | None = None

    @property
    def name(self) -> str:
        """What is done."""
        what = {"follow": "split", "finish": "leave to its parts", "undo": "put together"}[self.aim]
        return f"{what} {self.plan.name}"

    @property
    def identity(self) -> str:
        """The same for the same functions."""
        back = "" if self.back is None else code_text(self.back)
        how = (code_text(self.by), back, self.aim, *self.removes)
        return identity("split", self.table, self.plan.type_name, *how)

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """The parts that an item has, and what lies where it would have some; nothing where both are as they should be."""
        return [(self.table, key) for key in self._asked(item)] if self.concerns(item) else ()

    def _asked(self, item: Item) -> list[Item]:
        mark = item.get(SPLIT)
        if mark is not None and (mark["M"]["by"]["S"] != self.by.__name__ or self._settled(item, mark)):
            return []
        keys = [] if mark is None else part_keys(mark)
        stale = not self.ended(item) if mark is None else self._changed(item, mark)
        if self.aim != "undo" and stale:
            made = self._made(item)
            keys += [] if isinstance(made, Skipped) else [self.key_of(part) for _, part in made]
        return list({same_key(key): key for key in keys}.values())

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """All parts of an item in one transaction with its mark."""
        if not self.concerns(item):
            return Skipped(DELETED) if self.aim == "finish" and self._comes_back_whole(item) else None
        there = {same_key(self.key_of(one)): one for one in found if one is not None}
        return attempted(lambda: self._known(item, self._compare(item, there)))

    def _known(self, item: Item, decision: Decision) -> Decision:
        """What is to be written for an item of which the model knows what it means."""
        if isinstance(decision, Writes):
            check_version(self.plan, item)
        return decision

    def _compare(self, item: Item, there: Mapping[bytes, Item]) -> Decision:
        mark = item.get(SPLIT)
        if mark is None:
            return self._made_anew(item) if self.aim == "undo" else self._split_first(item, there)
        if mark["M"]["by"]["S"] != self.by.__name__:
            return Skipped(OTHERWISE)
        if self.aim == "undo":
            return self._put_together(item, mark, there)
        if self.aim == "finish" and upcasts_need(self.plan, item, (*self.removes, SPLIT)):
            return Skipped(READ)
        content = self._content(item)
        if isinstance(content, Skipped):
            return content
        if content != mark["M"]["content"]["S"]:
            made = self._made(item)
            return made if isinstance(made, Skipped) else self._split(item, made, there)
        if self.aim == "finish":
            return self._left_to_parts(item, mark, there)
        return None if self._settled(item, mark) else self._moved(item, mark, there)

    # --------------------------------------------------------------------------------------------- what an item is in

    def _content(self, item: Item) -> str | Skipped:
        """What the parts are made of: the attributes that will be removed. Where none will, whatever does not lead to other parts
        is no business of theirs; other steps write it too."""
        if self.removes:
            return digest({name: item[name] for name in self.removes if name in item})
        made = self._made(item)
        if isinstance(made, Skipped):
            return made
        return digest({"parts": {"L": [{"M": plain(plan, part)} for plan, part in made]}})

    def _changed(self, item: Item, mark: AttributeValue) -> bool:
        return bool(self._content(item) != mark["M"]["content"]["S"])

    def _settled(self, item: Item, mark: AttributeValue) -> bool:
        """Whether there is nothing to do about an item whatever became of its parts: those are the new model's."""
        lies = self.key_of(item) in origin_keys(mark)
        return self.aim == "follow" and lies and not self._changed(item, mark)

    def _made(self, item: Item) -> list[tuple[EntityPlan, Item]] | Skipped:
        if self.ended(item):
            return []
        stamp = item.get(self.plan.names.updated) or item.get(self.plan.names.created)
        found: list[tuple[EntityPlan, Item]] = []
        try:
            for name, fields in self.by(from_wire_item(item)):
                plan = self.parts.get(name)
                if plan is None:
                    return Skipped(f"{self.by.__name__}() made a part of an entity that the model does not have")
                if plan.options.timestamps and stamp is None:
                    return Skipped("it has no time stamp that its parts could take over")
                values = plan.validated(plan.entity(**fields))
                stored = Stored(version=1 if plan.options.version else None)
                part = full_item(plan, values, plan.key(values), (stamp or {}).get("S", ""), stored)
                if any(isinstance(at(part, field.path), Held) for field in plan.seals):
                    return Skipped(SEALED)
                found.append((plan, part))
        except pydantic.ValidationError:
            return Skipped(f"{self.by.__name__}() made a part that its entity refuses")
        except Exception as error:  # a function of the file's author, which may fail at any item
            return Skipped(f"{self.by.__name__}() failed with {type(error).__name__}")
        if len({same_key(self.key_of(part)) for _, part in found}) < len(found):
            return Skipped("two of its parts would have the same key")
        return found

    def _comes_back_whole(self, item: Item) -> bool:
        """Whether an item was deleted softly, and would come back with what is removed from all others, and without parts."""
        remains: Item | None = item.get(self.plan.names.remains, {}).get("M")
        if remains is None or self.plan.alive(item) is not None or not belongs(self.plan, item):
            return False
        return bool(self.removes) and not self.ended(remains)

    # --------------------------------------------------------------------------------------------- forward

    def _split_first(self, item: Item, there: Mapping[bytes, Item]) -> Decision:
        """An item without a mark: a new one, one that old code wrote anew, or one that was left to its parts already."""
        if self.ended(item):
            return None
        if self.aim == "finish" and upcasts_need(self.plan, item, self.removes):
            return Skipped(READ)
        made = self._made(item)
        if self.aim == "follow" or self.removes:
            return made if isinstance(made, Skipped) else self._split(item, made, there)
        # Nothing is removed from it, so that nothing but its parts tells whether it had its turn.
        if isinstance(made, Skipped) or not made:
            return None
        own = [part for part in there.values() if self._own(item, part)]
        if own:
            return self.writes(*map(self.unmarked, own))
        return None if there else self._split(item, made, there)

    def _split(self, item: Item, made: list[tuple[EntityPlan, Item]], there: Mapping[bytes, Item]) -> Decision:
        """Puts the parts in the place of those that there are."""
        mark = item.get(SPLIT)
        had = set() if mark is None else {same_key(key) for key in part_keys(mark)}
        parts = [part for key, part in there.items() if key in had or not self._is_buried(part)]
        for part in parts:
            if not self._own(item, part):
                return Skipped(BOTH if same_key(self.key_of(part)) in had else TAKEN, compared=True)
        if had - there.keys() or not all(map(self.intact, parts)):
            return Skipped(BOTH, compared=True)
        own = self._own_action(item, made)
        found = self._replaced(item, made, there)
        if own is None or found is None:
            return Skipped(TOO_WIDE)
        actions, gone, come = found
        values = self.unique_values(gone, come)
        if isinstance(values, Skipped):
            return values
        if len(actions) + len(values) > _MOST:
            return Skipped(_TOO_MANY)
        return self.writes(own, *actions, *values, met=self._met)

    def _own_action(self, item: Item, made: list[tuple[EntityPlan, Item]]) -> Action | None:
        """What becomes of the item itself, if it is still as it was read."""
        guard, key = whole(self.plan, item), self.key_of(item)
        if guard is None:
            return None
        guard = all_of(guard, *as_read(item, (SPLIT,)))
        if self.aim == "follow":
            content = self._content(item)
            assert isinstance(content, str)
            mark = {
                "by": {"S": self.by.__name__},
                "origin": self.origin(item),
                "content": {"S": content},
                "removes": self.noted_names,
                "parts": {"L": [{"M": self.key_of(part)} for _, part in made]},
            }
            return Action("Update", key, update=ast.Update((set_to(SPLIT, {"M": mark}),)), condition=guard)
        gone = [remove(name) for name in (*self.removes, SPLIT) if name in item]
        if not gone:
            return Action("ConditionCheck", key, condition=guard)
        return Action("Update", key, update=ast.Update(tuple(gone)), condition=guard)

    def _replaced(
        self, item: Item, made: list[tuple[EntityPlan, Item]], there: Mapping[bytes, Item]
    ) -> tuple[list[Action], list[tuple[EntityPlan, Item]], list[tuple[EntityPlan, Item]]] | None:
        """The actions for the parts, which of them go, and which come; None where one is too wide."""
        origin, left = self.origin(item), dict(there)
        actions: list[Action] = []
        gone: list[tuple[EntityPlan, Item]] = []
        come: list[tuple[EntityPlan, Item]] = []
        for plan, part in made:
            key = self.key_of(part)
            old = left.pop(same_key(key), None)
            guard = absent(plan) if old is None else whole(plan, old)
            if guard is None:
                return None
            same = old is not None and plain(plan, old) == plain(plan, part)
            held = part if old is None else old if same else _after(plan, part, old)
            now = self.marked(held, plan, origin) if self.aim == "follow" else without(held, (PART,))
            if now == old:
                continue
            actions.append(Action("Put", key, item=now, condition=guard))
            if not same:
                come.append((plan, held))
                gone += () if old is None or self._is_buried(old) else self._with_plan(old)
        for old in left.values():
            delete = self._delete(old)
            if delete is None:
                return None
            actions.append(delete)
            gone += self._with_plan(old)
        return actions, gone, come

    def _left_to_parts(self, item: Item, mark: AttributeValue, there: Mapping[bytes, Item]) -> Decision:
        """Removes what the parts were made of, if it still is that, and all that was noted."""
        guard: ast.Condition | None = whole(self.plan, item)
        if self.removes:
            there_still = ast.AttributeExists((self.plan.table.pk.name,))
            guard = all_of(there_still, *as_read(item, (self.plan.type_attribute, *self.removes, SPLIT)))
        if guard is None:
            return Skipped(TOO_WIDE)
        gone = tuple(remove(name) for name in (*self.removes, SPLIT) if name in item)
        own = Action("Update", self.key_of(item), update=ast.Update(gone), condition=guard)
        return self.writes(own, *(self.unmarked(part) for part in there.values() if self._own(item, part)))

    def _moved(self, item: Item, mark: AttributeValue, there: Mapping[bytes, Item]) -> Decision:
        """An item that lies elsewhere than its parts say: they are told, whatever they hold by now."""
        origin, guard = self.origin(item), whole(self.plan, item)
        if guard is None:
            return Skipped(TOO_WIDE)
        own = ast.Update((set_to(SPLIT, {"M": {**mark["M"], "origin": origin}}),))
        actions = [Action("Update", self.key_of(item), update=own, condition=guard)]
        for part in there.values():
            if self._own(item, part):
                told = ast.Update((set_to(PART, {"M": {**part[PART]["M"], "origin": origin}}),))
                actions.append(Action("Update", self.key_of(part), update=told, condition=holds((PART,), part[PART])))
        return self.writes(*actions)

    def _met(self, action: dict[str, Any], found: Item) -> Decision | Again:
        """A unique value that is taken stays so; all else is looked at anew."""
        return Skipped(HELD) if "Put" in action and self.plan.names.owner in found else Again()

    # --------------------------------------------------------------------------------------------- back

    def _made_anew(self, item: Item) -> Decision:
        """An item without parts that code of the new model has written."""
        if not self.ended(item):
            return None
        if self.back is None:
            return Skipped(NEW)
        made, guard = self._made_back(self.back, item, []), whole(self.plan, item)
        if isinstance(made, Skipped):
            return made
        update = [one for one in made if isinstance(one, ast.SetAction) or one.path[0] in item]
        if not update:
            return None
        if guard is None:
            return Skipped(TOO_WIDE)
        guard = all_of(guard, *as_read(item, (SPLIT,)))
        return self.writes(Action("Update", self.key_of(item), update=ast.Update(tuple(update)), condition=guard))

    def _put_together(self, item: Item, mark: AttributeValue, there: Mapping[bytes, Item]) -> Decision:
        """Takes the parts away. The item has what old code wrote; what new code wrote into parts goes back by a function."""
        keys = [same_key(key) for key in part_keys(mark)]
        parts = [part for key in keys if (part := there.get(key)) is not None and self._given_back(item, part)]
        update: list[ast.UpdateAction] = []
        written = len(parts) < len(keys) or not all(PART in part and self.intact(part) for part in parts)
        if written or self.ended(item):
            if self._changed(item, mark):
                return Skipped(BOTH, compared=True)
            if self.back is None:
                return Skipped(CHANGED, compared=True)
            made = self._made_back(self.back, item, parts)
            if isinstance(made, Skipped):
                return made
            update = made
        guard, deletes = whole(self.plan, item), [self._delete(part) for part in parts]
        if guard is None or None in deletes:
            return Skipped(TOO_WIDE)
        values = self.unique_values([pair for part in parts for pair in self._with_plan(part)], ())
        assert not isinstance(values, Skipped)
        if len(deletes) + len(values) > _MOST:
            return Skipped(_TOO_MANY)
        own = Action("Update", self.key_of(item), update=ast.Update((*update, remove(SPLIT))), condition=guard)
        return self.writes(own, *(one for one in deletes if one is not None), *values)

    def _made_back(self, back: Back, item: Item, parts: list[Item]) -> list[ast.UpdateAction] | Skipped:
        name = back.__name__
        pairs = [(plan, part) for one in parts for plan, part in self._with_plan(one)]
        given = [(plan.name, values_of(plan, part, plan.fields)) for plan, part in pairs]
        try:
            made = dict(back(from_wire_item(without(item, (SPLIT,))), given))
            if made.keys() & {*self.key_of(item), self.plan.type_attribute, SPLIT}:
                return Skipped(f"{name}() returned what an item is found by")
            return [remove(n) if made[n] is None else set_to(n, to_wire(made[n])) for n in sorted(made)]
        except TablewrightError as error:
            return Skipped(f"what {name}() returned cannot be stored ({error.code})")
        except Exception as error:  # a function of the file's author, which may fail at any item
            return Skipped(f"{name}() failed with {type(error).__name__}")

    def _given_back(self, item: Item, part: Item) -> bool:
        """Whether what lies where a part was put is one still: the same, or one that new code has put in its place."""
        if PART in part:
            return self.is_part(part) and (self._own(item, part) or self.key_of(item) in origin_keys(part[PART]))
        plan = self.plan_of(part)
        return plan is not None and plan.alive(part) is not None

    # --------------------------------------------------------------------------------------------- parts

    def _own(self, item: Item, part: Item) -> bool:
        """Whether a part is of this item; of one without a mark, by where that lies."""
        if not self.is_part(part):
            return False
        mark = item.get(SPLIT)
        if mark is None:
            return self.key_of(item) in origin_keys(part[PART])
        return bool(part[PART]["M"]["origin"] == mark["M"]["origin"])

    def _is_buried(self, part: Item) -> bool:
        """Whether something was deleted softly where a part may be: as anywhere, that gives place to what is written."""
        plan = self.plan_of(part)
        return plan is not None and plan.alive(part) is None and PART not in part

    def _with_plan(self, part: Item | None) -> Iterator[tuple[EntityPlan, Item]]:
        plan = None if part is None else self.plan_of(part)
        if plan is not None and part is not None:
            yield plan, part

    def _delete(self, part: Item) -> Action | None:
        plan = self.plan_of(part)
        guard = whole(plan or self.plan, part)
        return None if guard is None else Action("Delete", self.key_of(part), condition=guard)


def _after(plan: EntityPlan, part: Item, old: Item) -> Item:
    """A part in the place of an older one: who has read that one does not take this for the same."""
    version = old.get(plan.names.version)
    return part if version is None else {**part, plan.names.version: {"N": str(int(version["N"]) + 1)}}
