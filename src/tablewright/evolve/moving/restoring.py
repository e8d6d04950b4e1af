"""The way back from the new table: legacy items brought up to date after only the new table was written.

Applications may write meanwhile, in the phase "new" the new table alone, behind it both. So whoever restores an item reads the legacy
one first, then whether a write of it is still to be settled, and the new one last: what is written to legacy tables is never older
than what was read there, and only goes over that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from tablewright.client.writes.action import OPERATIONS, Action, same_key
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.errors import ArgumentError, ConditionalCheckFailed, TablewrightError
from tablewright.evolve.moving import ledger, sides
from tablewright.evolve.moving.deriving import Part, State, Unfit, derive, differing, legacy_key, origin_of, value_of
from tablewright.evolve.moving.guarding import unchanged
from tablewright.evolve.moving.mapping import Move, Moving
from tablewright.evolve.moving.sides import Place, Side, Walk, get, get_many
from tablewright.evolve.moving.verifying import key_of, page
from tablewright.expressions import ast
from tablewright.expressions.builder import all_of
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item, to_wire_item

Sending: TypeAlias = Callable[[Side, Action, str], Walk[bool]]
Outcome: TypeAlias = Literal["nothing", "written", "left"]


class Restored(Struct, frozen=True):
    """What was done to legacy tables."""

    written: int
    deleted: int
    left: int = 0
    """Items that were written just now, or whose last write is still to be settled."""


def restore_legacy(place: Place, *, write: bool = True) -> Walk[Restored]:
    """Writes each legacy item as the new table says, and deletes those that are gone there. Run it again until it does nothing:
    applications may write meanwhile. Without `write` it only counts."""
    send = _unless_overtaken if write else _only_counted
    for move in place.moving.moves:
        if move.back is None or move.noted:
            raise ArgumentError(
                f"The move of {move.called!r} has no back=, so what was written since cannot be told to {move.table}.",
                hint="Give Move(back=...) for entities that come one for one; there is no way back for the rest.",
            )
    written = deleted = left = 0
    start: Item | None = None
    while True:
        items, start = yield from page("new", place.table, start)
        for item in items:
            plan = _plan_of(place.moving, item)
            if plan is None or plan.alive(item) is None:
                continue
            teller = _teller(place, plan, item)
            if teller is not None:
                outcome = yield from _restore(place, teller, plan, item, send)
                written += outcome == "written"
                left += outcome == "left"
        if start is None:
            break
    for move in place.moving.moves:
        start = None
        while True:
            items, start = yield from page("legacy", move.table, start)
            for outcome in (yield from _remove(place, move, items, send)):
                deleted += outcome == "written"
                left += outcome == "left"
            if start is None:
                break
    return Restored(written, deleted, left)


def catch_up(place: Place, table: str, key: Item) -> Walk[None]:
    """Brings one legacy item up to date, for who is about to write it while others still are behind."""
    for move in place.moving.moves:
        if move.table != table or move.back is None or move.noted:
            continue
        old = yield from get("legacy", table, key)
        there = _key_in_new(place, move, key, old)
        item = None if there is None else (yield from get("new", place.table, there))
        plan = None if item is None else _plan_of(place.moving, item)
        if item is not None and plan is not None and plan.alive(item) is not None:
            if _teller(place, plan, item) is move:
                yield from _restore(place, move, plan, item, _unless_overtaken)
        elif old is not None:
            yield from _remove(place, move, [old], _unless_overtaken)


def _key_in_new(place: Place, move: Move, key: Item, old: Item | None) -> Item | None:
    """Where the new item of a legacy one lies; None where that does not follow from what is known of it."""
    try:
        if old is not None:
            parts = derive(place.moving, move, State(old), place.now())
            return parts[0].key if parts else None
        assert move.entity is not None
        plan = place.moving.table.plan.entities[move.entity]
        known = from_wire_item(key)
        values = {name: value_of(move.fields[name], known, name) for name in plan.key_fields if name in move.fields}
        return plan.key(values)
    except (Unfit, TablewrightError, KeyError, TypeError):
        return None


def _plan_of(moving: Moving, item: Item) -> EntityPlan | None:
    moved = {move.entity for move in moving.moves}
    plans = moving.table.plan.entities.values()
    return next((plan for plan in plans if plan.entity in moved and plan.owns(item)), None)


def _teller(place: Place, plan: EntityPlan, item: Item) -> Move | None:
    """The move that tells a legacy table about an item: the one that brought it; or, where it is new, the one whose back= knows it."""
    origin = origin_of(place.moving, item)
    brought = None if origin is None else place.moving.by_name.get(origin["move"])
    if brought is not None and brought.entity is plan.entity:
        return brought
    moves = [move for move in place.moving.moves if move.entity is plan.entity]
    if len(moves) == 1:
        return moves[0]
    entity = place.moving.table.plan.decode(item)
    knowing = [move for move in moves if _asked(move, entity) is not None]
    if len(knowing) > 1:
        raise ArgumentError(
            f"Several moves make {plan.name}, and back= of {' and '.join(repr(m.called) for m in knowing)} both take an item "
            "that none of them has brought.",
            hint="Let back= return None for entities that belong to another legacy table.",
        )
    return knowing[0] if knowing else None


def _asked(move: Move, entity: Any) -> Mapping[str, Any] | None:
    assert move.back is not None
    try:
        return move.back(entity)
    except Exception as error:  # the user's function; what it says may hold values
        raise ArgumentError(
            f"back= of {move.called!r} raised {type(error).__name__}.", hint="It must undo what fields= does."
        ) from error


def _told(place: Place, move: Move, item: Item) -> Item | None:
    """The legacy item as an item of the new table says; None where it belongs to none."""
    told = _asked(move, place.moving.table.plan.decode(item))
    if told is None:
        return None
    wire = to_wire_item(told)
    if {*move.key} - wire.keys():
        raise ArgumentError(f"back= of {move.called!r} gives no key.", hint=f"It must tell {' and '.join(move.key)}.")
    return wire


def _restore(place: Place, move: Move, plan: EntityPlan, item: Item, send: Sending) -> Walk[Outcome]:
    told = _told(place, move, item)
    if told is None:
        return "nothing"
    key = legacy_key(move, told)
    old = yield from get("legacy", move.table, key)
    if not (yield from _plans(place, move, item, told, old)):
        return "nothing"
    if (yield from _unsettled(place, move, key)):
        return "left"
    now = yield from get("new", place.table, key_of(place, item))
    if now is None or plan.alive(now) is None:
        return "left"  # it is gone by now: the next run sees to it
    again = _told(place, move, now)
    if again is None or same_key(legacy_key(move, again)) != same_key(key):
        return "left"
    outcome: Outcome = "nothing"
    for side, action, table in (yield from _plans(place, move, now, again, old)):
        if not (yield from send(side, action, table)):
            return "left"
        outcome = "written" if side == "legacy" else outcome
    return outcome


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
    same = all_of(*(ast.Compare("=", ast.Attribute((n,)), ast.Value(v)) for n, v in item.items() if n not in key))
    update = ast.Update((ast.SetAction((place.moving.origin,), ast.Value(origin)),))
    return Action("Update", key, update=update, condition=same)


def _markers(place: Place, part: Part, others: list[Part]) -> Walk[list[Action | None]]:
    """The same for the markers of its unique values, which were written without a mark where values have changed since."""
    found = yield from get_many("new", place.table, [one.key for one in others])
    there = {same_key(key_of(place, item)): item for item in found}
    owner = place.moving.table.names.owner
    wanted = [(there[same_key(one.key)], one) for one in others if same_key(one.key) in there]
    return [_marking(place, item, one) for item, one in wanted if item.get(owner) == {"M": part.key}]


def _unless_overtaken(side: Side, action: Action, table: str) -> Walk[bool]:
    try:
        yield from sides.send(side, OPERATIONS[action.kind], action.body(table))
    except ConditionalCheckFailed:  # somebody wrote it just now; the next run sees that
        return False
    return True


def _only_counted(side: Side, action: Action, table: str) -> Walk[bool]:
    return True
    yield  # nothing is sent


def _unsettled(place: Place, move: Move, key: Item) -> Walk[bool]:
    """Whether the new table lacks what was last written to a legacy item."""
    note = yield from ledger.read_note(place, move, key)
    return note is not None and note.pending


def _remove(place: Place, move: Move, items: list[Item], send: Sending) -> Walk[list[Outcome]]:
    """Deletes legacy items that are gone from the new table, or deleted softly there."""
    wanted: list[tuple[Item, Item]] = []
    for item in items:
        try:
            wanted += [(item, part.key) for part in derive(place.moving, move, State(item), place.now())[:1]]
        except Unfit:
            continue
    there = yield from _living(place, [key for _, key in wanted])
    outcomes: list[Outcome] = []
    for item, key in wanted:
        if same_key(key) in there:
            continue
        legacy = legacy_key(move, item)
        if (yield from _unsettled(place, move, legacy)) or (yield from _living(place, [key])):
            outcomes.append("left")
            continue
        action = Action("Delete", legacy, condition=unchanged(move.read, move.key, item))
        outcomes.append("written" if (yield from send("legacy", action, move.table)) else "left")
    return outcomes


def _living(place: Place, keys: list[Item]) -> Walk[set[bytes]]:
    """Those of some keys under which something is that was not deleted."""
    found = yield from get_many("new", place.table, keys)
    plans = place.moving.table.plan.entities.values()
    living = (i for i in found if not any(plan.owns(i) and plan.alive(i) is None for plan in plans))
    return {same_key(key_of(place, item)) for item in living}
