"""The way back from the new table: legacy items brought up to date after only the new table was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from tablewright.client.writes.action import OPERATIONS, Action, same_key
from tablewright.errors import ArgumentError, ConditionalCheckFailed
from tablewright.evolve.moving import sides
from tablewright.evolve.moving.deriving import Part, State, Unfit, derive, differing, legacy_key
from tablewright.evolve.moving.guarding import unchanged
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.sides import Place, Side, Walk, get, get_many
from tablewright.evolve.moving.verifying import key_of, page
from tablewright.expressions import ast
from tablewright.expressions.builder import all_of
from tablewright.values.types import Item
from tablewright.values.wire import to_wire_item

Sending: TypeAlias = Callable[[Side, Action, str], Walk[bool]]


class Restored(Struct, frozen=True):
    """What was done to legacy tables."""

    written: int
    deleted: int


def restore_legacy(place: Place, *, write: bool = True) -> Walk[Restored]:
    """Writes each legacy item as the new table says, and deletes those that are gone there. Run it again until it does nothing,
    and until verify() is satisfied: applications may write meanwhile. Without `write` it only counts."""
    send = _unless_overtaken if write else _only_counted
    for move in place.moving.moves:
        if move.back is None or move.noted:
            raise ArgumentError(
                f"The move of {move.called!r} has no back=, so what was written since cannot be told to {move.table}.",
                hint="Give Move(back=...) for entities that come one for one; there is no way back for the rest.",
            )
    written = deleted = 0
    by_entity = {move.entity: move for move in place.moving.moves}
    start: Item | None = None
    while True:
        items, start = yield from page("new", place.table, start)
        for item in items:
            for plan in place.moving.table.plan.entities.values():
                of = by_entity.get(plan.entity)
                if of is not None and plan.owns(item):
                    written += yield from _restore(place, of, item, send)
        if start is None:
            break
    for move in place.moving.moves:
        start = None
        while True:
            items, start = yield from page("legacy", move.table, start)
            deleted += yield from _remove(place, move, items, send)
            if start is None:
                break
    return Restored(written, deleted)


def _restore(place: Place, move: Move, item: Item, send: Sending) -> Walk[bool]:
    assert move.back is not None
    entity = place.moving.table.plan.decode(item)
    try:
        told = to_wire_item(move.back(entity))
    except Exception as error:  # the user's function; what it says may hold values
        raise ArgumentError(
            f"back= of {move.called!r} raised {type(error).__name__}.", hint="It must undo what fields= does."
        ) from error
    if {*move.key} - told.keys():
        raise ArgumentError(f"back= of {move.called!r} gives no key.", hint=f"It must tell {' and '.join(move.key)}.")
    key = legacy_key(move, told)
    old = yield from get("legacy", move.table, key)
    new = {n: v for n, v in (old or {}).items() if n not in move.read} | told  # what was dropped is still theirs
    part, *others = _parts(place, move, item, new)
    marks = [_marking(place, item, part), *(yield from _markers(place, part, others))]
    writing = None
    if old is None or differing(old, new):
        writing = Action("Put", key, item=new, condition=unchanged(move.read, move.key, old))
    # The mark first: without it, writes on both sides would take the item for somebody else's.
    for marking in marks:
        if marking is not None and not (yield from send("new", marking, place.table)):
            return False
    return writing is not None and (yield from send("legacy", writing, move.table))


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


def _remove(place: Place, move: Move, items: list[Item], send: Sending) -> Walk[int]:
    """Deletes legacy items that are gone from the new table."""
    wanted: list[tuple[Item, Item]] = []
    for item in items:
        try:
            wanted += [(item, part.key) for part in derive(place.moving, move, State(item), place.now())[:1]]
        except Unfit:
            continue
    found = yield from get_many("new", place.table, [key for _, key in wanted])
    there = {same_key(key_of(place, item)) for item in found}
    count = 0
    for item, key in wanted:
        if same_key(key) not in there:
            action = Action("Delete", legacy_key(move, item), condition=unchanged(move.read, move.key, item))
            count += yield from send("legacy", action, move.table)
    return count
