"""The way back from the new table: legacy items brought up to date after only the new table was written.

Applications may write meanwhile, in the phase "new" the new table alone, behind it both. So whoever restores an item reads the legacy
one first, then whether a write of it is still to be settled, and the new one last: what is written to legacy tables is never older
than what was read there, and only goes over that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeAlias

from msgspec import Struct

from tablewright.client.writes.action import OPERATIONS, Action, same_key
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, ConditionalCheckFailed
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.deriving import Part, State, Unfit, derive, differing, legacy_key, origin_of
from tablewright.evolve.moving.guarding import as_seen, unchanged
from tablewright.evolve.moving.mapping import Move, Moving
from tablewright.evolve.moving.sides import Place, Side, Walk, get, get_many, key_of, send
from tablewright.evolve.moving.verifying import page
from tablewright.expressions import ast
from tablewright.values.types import Item
from tablewright.values.wire import to_wire_item

Sending: TypeAlias = Callable[[Side, Action, str], Walk[bool]]

NOTHING, WRITTEN = "nothing", "written"
OVERTAKEN = "it was being written"
UNSETTLED = "its last write has to be repaired first"
TWICE = "two items of the new table would be one legacy item"


class Restored(Struct, frozen=True):
    """What was brought back to legacy tables."""

    written: int
    deleted: int
    left: Mapping[str, int] = {}
    """Items that were left, by reason."""
    wait: float = 0.0
    """Seconds until nobody writes the new table alone any more; only a run that begins then finds all."""

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to do."""
        return not (self.written or self.deleted or self.left)


def restore_legacy(place: Place, *, write: bool = True) -> Walk[Restored]:
    """Writes each legacy item as the new table says, and deletes those that are gone there. Run it again until it does nothing:
    applications may write meanwhile. Without `write` it only counts."""
    refuse_without_way_back(place)
    sending = unless_overtaken if write else _only_counted
    written = deleted = 0
    left: Counter[str] = Counter()
    start: Item | None = None
    while True:
        items, start = yield from page("new", place.table, start)
        for item in items:
            plan = plan_of(place.moving, item)
            if plan is None or plan.alive(item) is None:
                continue
            move = teller(place, plan, item)
            if move is not None:
                outcome = yield from restore(place, move, plan, item, sending)
                written += outcome == WRITTEN
                left[outcome] += outcome not in (NOTHING, WRITTEN)
        if start is None:
            break
    for move in place.moving.moves:
        start = None
        while True:
            items, start = yield from page("legacy", move.table, start)
            for outcome in (yield from remove(place, move, items, sending)):
                deleted += outcome == WRITTEN
                left[outcome] += outcome not in (NOTHING, WRITTEN)
            if start is None:
                break
    return Restored(written, deleted, dict(+left))


def refuse_without_way_back(place: Place) -> None:
    """Refuses where legacy tables cannot be told."""
    why = place.moving.no_way_back
    if why is not None:
        raise ArgumentError(
            f"What was written since cannot be told to legacy tables: {why}.",
            hint="There is a way back for entities that come one for one from tables of their own, with Move(back=...).",
        )


def plan_of(moving: Moving, item: Item) -> EntityPlan | None:
    """The entity that an item of the new table is of, if some move makes it."""
    moved = {move.entity for move in moving.moves}
    plans = moving.table.plan.entities.values()
    return next((plan for plan in plans if plan.entity in moved and plan.owns(item)), None)


def teller(place: Place, plan: EntityPlan, item: Item) -> Move | None:
    """The move that tells a legacy table about an item: the one that brought it; or, where it is new, the one whose back= knows it."""
    origin = origin_of(place.moving, item)
    brought = None if origin is None else place.moving.by_name.get(origin["move"])
    if brought is not None and brought.entity is plan.entity:
        return brought
    moves = [move for move in place.moving.moves if move.entity is plan.entity]
    if len(moves) == 1:
        return moves[0]
    knowing = [move for move in moves if told(place, move, item) is not None]
    if len(knowing) > 1:
        raise ArgumentError(
            f"Several moves make {plan.name}, and back= of {' and '.join(repr(m.called) for m in knowing)} both take an item "
            "that none of them has brought.",
            hint="Let back= return None for entities that belong to another legacy table.",
        )
    return knowing[0] if knowing else None


def told(place: Place, move: Move, item: Item) -> Item | None:
    """The legacy item as an item of the new table says; None where it belongs to none."""
    assert move.back is not None
    entity = place.moving.table.plan.decode(item)
    try:
        answer = move.back(entity)
        if answer is None:
            return None
        wire = to_wire_item(answer)
    except Exception as error:  # the user's function; what it says may hold values
        raise ArgumentError(
            f"back= of {move.called!r} raised {type(error).__name__}, or gives no legacy item.",
            hint="It must undo what fields= does: from an entity to a dict of attributes.",
        ) from error
    if {*move.key} - wire.keys():
        raise ArgumentError(f"back= of {move.called!r} gives no key.", hint=f"It must tell {' and '.join(move.key)}.")
    return wire


def restore(place: Place, move: Move, plan: EntityPlan, item: Item, sending: Sending) -> Walk[str]:
    """Writes the legacy item of an item of the new table, if it is another one; what became of it."""
    wanted = told(place, move, item)
    if wanted is None:
        return NOTHING
    key = legacy_key(move, wanted)
    old = yield from get("legacy", move.table, key)
    if (yield from _is_of_another(place, move, key, item, old)):
        return TWICE
    if not (yield from _plans(place, move, item, wanted, old)):
        return NOTHING
    if (yield from unsettled(place, move, key)):
        return UNSETTLED
    now = yield from get("new", place.table, key_of(place, item))
    if now is None or plan.alive(now) is None:
        return OVERTAKEN  # it is gone by now: the next run sees to it
    again = told(place, move, now)
    if again is None or same_key(legacy_key(move, again)) != same_key(key):
        return OVERTAKEN
    outcome = NOTHING
    for side, action, table in (yield from _plans(place, move, now, again, old)):
        if not (yield from sending(side, action, table)):
            return OVERTAKEN
        outcome = WRITTEN if side == "legacy" else outcome
    return outcome


def _is_of_another(place: Place, move: Move, key: Item, item: Item, old: Item | None) -> Walk[bool]:
    """Whether a legacy item is that of another item of the new table, which is there too."""
    try:
        parts = () if old is None else derive(place.moving, move, State(old), place.now())
    except Unfit:
        return False
    if not parts or same_key(parts[0].key) == same_key(key_of(place, item)):
        return False
    other = yield from get("new", place.table, parts[0].key)
    plan = None if other is None else plan_of(place.moving, other)
    if other is None or plan is None or plan.alive(other) is None or teller(place, plan, other) is not move:
        return False
    wanted = told(place, move, other)
    return wanted is not None and same_key(legacy_key(move, wanted)) == same_key(key)


def _plans(place: Place, move: Move, item: Item, told: Item, old: Item | None) -> Walk[list[tuple[Side, Action, str]]]:
    """What has to be written for an item: its marks first, since without them, writes on both sides would take the item for somebody
    else's."""
    new = {n: v for n, v in (old or {}).items() if n not in move.read} | told  # what was dropped is still theirs
    part, *others = _parts(place, move, item, new)
    marks = [_marking(place, item, part), *(yield from _markers(place, part, others))]
    found: list[tuple[Side, Action, str]] = [("new", mark, place.table) for mark in marks if mark is not None]
    condition = unchanged(move.read, move.key, old)
    key = legacy_key(move, told)
    if old is None:
        found.append(("legacy", Action("Put", key, item=new, condition=condition), move.table))
    elif changed := differing(old, new):
        actions: list[ast.UpdateAction] = [
            ast.SetAction((n,), ast.Value(new[n])) if n in new else ast.RemoveAction((n,)) for n in changed
        ]
        update = Action("Update", key, update=ast.Update(tuple(actions)), condition=condition)
        found.append(("legacy", update, move.table))
    return found


def _parts(place: Place, move: Move, item: Item, legacy: Item) -> tuple[Part, ...]:
    """What the legacy item would become again: the item itself, and the markers of its unique values."""
    try:
        parts = derive(place.moving, move, State(legacy), place.now())
    except Unfit as error:
        raise ArgumentError(
            f"back= of {move.called!r} gives what cannot be moved again: {error.reason}",
            hint="It must undo what fields= does.",
        ) from None
    if not parts or same_key(parts[0].key) != same_key(key_of(place, item)):
        raise ArgumentError(
            f"back= of {move.called!r} gives what would become another item.", hint="It must undo what fields= does."
        )
    return parts


def _marking(place: Place, item: Item, part: Part) -> Action | None:
    """Says on an item of the new table where it belongs; None where it says so already."""
    key, origin = key_of(place, item), part.item[place.moving.origin]
    if item.get(place.moving.origin) == origin:
        return None
    names = place.moving.table.names
    update = ast.Update((ast.SetAction((place.moving.origin,), ast.Value(origin)),))
    return Action("Update", key, update=update, condition=as_seen((names.updated, names.version), key, item))


def _markers(place: Place, part: Part, others: list[Part]) -> Walk[list[Action | None]]:
    """The same for the markers of its unique values, which were written without a mark where values have changed since."""
    found = yield from get_many("new", place.table, [one.key for one in others])
    there = {same_key(key_of(place, item)): item for item in found}
    owner = place.moving.table.names.owner
    wanted = [(there[same_key(one.key)], one) for one in others if same_key(one.key) in there]
    return [_marking(place, item, one) for item, one in wanted if item.get(owner) == {"M": part.key}]


def unless_overtaken(side: Side, action: Action, table: str) -> Walk[bool]:
    """Makes a write; whether nobody was faster."""
    try:
        yield from send(side, OPERATIONS[action.kind], action.body(table))
    except ConditionalCheckFailed:  # somebody wrote it just now; the next run sees that
        return False
    return True


def _only_counted(side: Side, action: Action, table: str) -> Walk[bool]:
    return True
    yield  # nothing is sent


def unsettled(place: Place, move: Move, key: Item) -> Walk[bool]:
    """Whether the new table lacks what was last written to a legacy item."""
    note = yield from ledger.read_note(place, move, key)
    return note is not None and note.pending


def remove(place: Place, move: Move, items: list[Item], sending: Sending) -> Walk[list[str]]:
    """Deletes legacy items that are gone from the new table, or deleted softly there; what became of each."""
    wanted: list[tuple[Item, Item]] = []
    for item in items:
        try:
            wanted += [(item, part.key) for part in derive(place.moving, move, State(item), place.now())[:1]]
        except Unfit:
            continue
    there = yield from _living(place, [key for _, key in wanted])
    outcomes: list[str] = []
    for item, key in wanted:
        if same_key(key) in there:
            continue
        legacy = legacy_key(move, item)
        if (yield from unsettled(place, move, legacy)):
            outcomes.append(UNSETTLED)
        elif (yield from _living(place, [key])):
            outcomes.append(OVERTAKEN)
        else:
            action = Action("Delete", legacy, condition=unchanged(move.read, move.key, item))
            outcomes.append(WRITTEN if (yield from sending("legacy", action, move.table)) else OVERTAKEN)
    return outcomes


def _living(place: Place, keys: list[Item]) -> Walk[set[bytes]]:
    """Those of some keys under which something is that was not deleted."""
    found = yield from get_many("new", place.table, keys)
    plans = place.moving.table.plan.entities.values()
    living = (i for i in found if not any(plan.owns(i) and plan.alive(i) is None for plan in plans))
    return {same_key(key_of(place, item)) for item in living}
