"""Settling: what a note says is still to be written, written; by whoever comes first, as often as they like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.client.context import GUARD_ATTEMPTS
from tablewright.client.writes.action import same_key
from tablewright.errors import RequestRefused, TransactionCanceled
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.deriving import Part, State, Unfit, derive, digest_of, key_text, origin_of
from tablewright.evolve.moving.freezing import thaw
from tablewright.evolve.moving.guarding import check_state, delete_part, put_part, together
from tablewright.evolve.moving.mapping import FrozenItems, Move
from tablewright.evolve.moving.sides import Place, Walk, get, get_many, transact
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item, to_wire_item

_FAILED = "ConditionalCheckFailed"
TAKEN = "a key is taken by an item that came from elsewhere"
REFUSED = "the new table refuses the item"
BUSY = "the legacy item was changed again and again meanwhile"


class Repaired(Struct, frozen=True):
    """What a repair brought."""

    settled: int
    """Items whose new form is there now."""
    failed: Mapping[str, int]
    """How many could not be settled, for each reason."""

    @property
    def exit_code(self) -> int:
        """0 when nothing is left."""
        return 1 if self.failed else 0


def repair(place: Place) -> Walk[Repaired]:
    """Settles all that is pending. A second run, or two at once, change nothing more."""
    count, reasons, start = 0, dict[str, int](), None
    while True:
        notes, start = yield from ledger.pending_notes(place, start)
        for note in notes:
            reason = yield from settle_note(place, note)
            if reason is None:
                count += 1
            else:
                reasons[reason] = reasons.get(reason, 0) + 1
        if start is None:
            return Repaired(count, reasons)


def settle_note(place: Place, note: ledger.Note) -> Walk[str | None]:
    """Settles what one note tells of; why it could not, or None."""
    move = place.moving.by_name.get(note.move)
    return "no move has this name any more" if move is None else (yield from settle(place, move, note.key))


def settle(place: Place, move: Move, key: Item) -> Walk[str | None]:
    """Brings the new table to what the legacy tables say of one item now; why it could not, or None."""
    for _ in range(GUARD_ATTEMPTS):
        note = yield from ledger.read_note(place, move, key)
        if note is None or not note.pending:
            return None
        try:
            state, joined = yield from read_state(place, move, key)
            parts = derive(place.moving, move, state, place.now())
        except Unfit as error:
            yield from ledger.failed(place, move, note, error.reason)
            return error.reason
        keys = [part.key for part in parts]
        if not (yield from ledger.announced(place, move, note, keys)):
            continue
        digest = digest_of(move, state)
        # Where notes are the only way to the new side, what they settled last is what is there.
        there = (move.noted or not place.together) and note.digest == digest and len(note.parts) == len(keys)
        guards = check_state(move, key, state, joined) if place.together else [ledger.not_older(place, move, note)]
        # Where every write of the legacy item is noted, the note tells as well whether there was another one, and is smaller.
        later = [ledger.same_number(place, move, note)] if place.together and move.noted else guards
        outcome = None if there else (yield from _write(place, move, key, note, parts, guards, later))
        if outcome in (TAKEN, REFUSED):
            yield from ledger.failed(place, move, note, outcome)
            return outcome
        if outcome is None and (yield from ledger.settled(place, move, note, digest, keys)):
            return None
    return BUSY


def read_state(place: Place, move: Move, key: Item) -> Walk[tuple[State, dict[str, Item]]]:
    """All that a move reads for one leading item, and the keys of what is merged into it. Raises Unfit."""
    item = yield from get("legacy", move.table, key)
    if item is None:
        return State(None), {}
    return (yield from state_of(place, move, item))


def state_of(place: Place, move: Move, item: Item, *, trial: bool = False) -> Walk[tuple[State, dict[str, Item]]]:
    """The same for a leading item that was read; a trial writes nothing. Raises Unfit."""
    joined, keys = yield from _read_joined(move, item)
    frozen: dict[str, FrozenItems | None] = {}
    legacy = from_wire_item({n: v for n, v in item.items() if n in move.read}) if move.frozen else {}
    for each in move.frozen:
        frozen[each.name] = yield from thaw(place, each, legacy, trial=trial)
    return State(item, joined, frozen), keys


def _read_joined(move: Move, item: Item) -> Walk[tuple[dict[str, Item | None], dict[str, Item]]]:
    """What is merged into a leading item, and its keys. Raises Unfit."""
    keys = joined_keys(move, item)
    joined: dict[str, Item | None] = {}
    for name, key in keys.items():
        joined[name] = yield from get("legacy", move.joins[name].table, key)
    return joined, keys


def joined_keys(move: Move, item: Item) -> dict[str, Item]:
    """The keys of what is merged into a leading item. Raises Unfit where a function of the user's fails."""
    keys: dict[str, Item] = {}
    legacy = from_wire_item({n: v for n, v in item.items() if n in move.read}) if move.joins else {}
    for name, join in move.joins.items():
        try:
            found = join.find(legacy)
            if found is not None:
                keys[name] = to_wire_item(found)
        except Exception as error:  # the user's function; what it says may hold values
            raise Unfit(f"find= of the join {name!r} raised {type(error).__name__}") from error
        if found is not None and keys[name].keys() != {*join.key}:
            raise Unfit(f"find= of the join {name!r} gives no key of {join.table}")
    return keys


def _write(
    place: Place,
    move: Move,
    key: Item,
    note: ledger.Note,
    parts: tuple[Part, ...],
    guards: list[dict[str, Any]],
    later: list[dict[str, Any]],
) -> Walk[str | None]:
    """Writes parts and deletes those that are left, in as many transactions as it takes: the first one with `guards`, the others
    with `later`."""
    moving, kept = place.moving, {same_key(part.key) for part in parts}
    leaving = [k for k in note.parts if same_key(k) not in kept]
    origin = key_text(key)
    theirs = yield from get_many("new", place.table, leaving)
    mine = [i for i in theirs if (told := origin_of(moving, i)) is not None and told["key"] == origin]
    plan = moving.table.plan
    names = [k.name for k in (plan.table.pk, plan.table.sk) if k is not None]
    actions = [put_part(moving, place.table, part) for part in parts]
    actions += [delete_part(moving, place.table, {n: i[n] for n in names}, move, origin) for i in mine]
    for some in together(guards, actions):
        try:
            yield from transact(place, "new", [*guards, *some])
        except TransactionCanceled as canceled:
            codes = [reason.code for reason in canceled.reasons]
            if _FAILED not in codes:
                raise
            return BUSY if _FAILED in codes[: len(guards)] else TAKEN
        except RequestRefused:  # it would be every time, and others wait behind it
            return REFUSED
        guards = later
    return None
