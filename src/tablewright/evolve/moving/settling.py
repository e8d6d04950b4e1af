"""Settling: what a note says is still to be written, written; by whoever comes first, as often as they like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from tablewright.client.context import GUARD_ATTEMPTS
from tablewright.client.writes.action import same_key
from tablewright.errors import RequestRefused, ServiceError, TransactionCanceled
from tablewright.evolve.jobs.settling import refused
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.deriving import Part, Unfit, derive, digest_of, key_text, origin_of
from tablewright.evolve.moving.evicting import Owner, evict
from tablewright.evolve.moving.gathering import read_state
from tablewright.evolve.moving.guarding import check_state, delete_part, put_part, together
from tablewright.evolve.moving.late import LATE, Late
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.sides import Place, Walk, get_many, transact
from tablewright.expressions import ast
from tablewright.values.types import Item

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


def settle_note(place: Place, note: ledger.Note, late: Late | None = None) -> Walk[str | None]:
    """Settles what one note tells of; why it could not, or None."""
    move = place.moving.by_name.get(note.move)
    return "no move has this name any more" if move is None else (yield from settle(place, move, note.key, late))


def settle(place: Place, move: Move, key: Item, late: Late | None = None) -> Walk[str | None]:
    """Brings the new table to what the legacy tables say of one item now; why it could not, or None. A note that is `late` is settled
    where the new table was not written since."""
    reason, evicted = yield from _unless_refused(place, move, key, late)
    while evicted:  # one by one: a value that goes round among a thousand items evicts each of them
        _, more = yield from _unless_refused(place, *evicted.pop(), None)
        evicted += more
    return reason


def _unless_refused(place: Place, move: Move, key: Item, late: Late | None) -> Walk[tuple[str | None, list[Owner]]]:
    """The same, and whose items had to go for it; those are noted, and not settled yet. What the service refuses, and would every
    time, is told on the note: others wait behind it."""
    try:
        return (yield from _settle_one(place, move, key, late))
    except ServiceError as error:
        if not refused(error):
            raise
        reason = f"the service refuses a request that it takes ({error.wire_name})"
    note = yield from ledger.read_note(place, move, key)
    if note is None or not note.pending:
        return None, []
    yield from ledger.failed(place, move, note, reason)
    return reason, []


def _settle_one(place: Place, move: Move, key: Item, late: Late | None) -> Walk[tuple[str | None, list[Owner]]]:
    """The same, and whose items had to go for it; those are noted, and not settled yet."""
    evicted: list[Owner] = []
    for _ in range(GUARD_ATTEMPTS):
        note = yield from ledger.read_note(place, move, key)
        if note is None or not note.pending:
            return None, evicted
        try:
            state, joined = yield from read_state(place, move, key)
            parts = derive(place.moving, move, state, place.now())
        except Unfit as error:
            yield from ledger.failed(place, move, note, error.reason)
            return error.reason, evicted
        keys = [part.key for part in parts]
        if not (yield from ledger.announced(place, move, note, keys)):
            continue
        digest = digest_of(move, state)
        # Where notes are the only way to the new side, what they settled last is what is there.
        there = (move.noted or not place.together) and note.digest == digest and len(note.parts) == len(keys)
        guards = check_state(move, key, state, joined) if place.together else [ledger.not_older(place, move, note)]
        # Where every write of the legacy item is noted, the note tells as well whether there was another one, and is smaller.
        later = [ledger.same_number(place, move, note)] if place.together and move.noted else guards
        if late is not None and late.wins == "new":
            outcome, keys = None, list(note.parts)
        else:
            outcome = None if there else (yield from _write(place, move, key, note, parts, guards, later, late))
        if outcome == TAKEN and late is None:
            others = yield from evict(place, move, key, parts)
            if others:
                evicted += others
                continue
        if outcome in (TAKEN, REFUSED, LATE):
            yield from ledger.failed(place, move, note, outcome)
            return outcome, evicted
        if outcome is None and (yield from ledger.settled(place, move, note, digest, keys)):
            return None, evicted
    return BUSY, evicted


def _write(
    place: Place,
    move: Move,
    key: Item,
    note: ledger.Note,
    parts: tuple[Part, ...],
    guards: list[dict[str, Any]],
    later: list[dict[str, Any]],
    late: Late | None,
) -> Walk[str | None]:
    """Writes parts and deletes those that are left, in as many transactions as it takes: the first one with `guards`, the others
    with `later`."""
    moving, kept = place.moving, {same_key(part.key) for part in parts}
    leaving = [k for k in note.parts if same_key(k) not in kept]
    origin = key_text(key)
    theirs = yield from get_many("new", place.table, leaving)
    mine = [
        i
        for i in theirs
        if (told := origin_of(moving, i)) is not None and (told["move"], told["key"]) == (move.called, origin)
    ]
    plan = moving.table.plan
    names = [k.name for k in (plan.table.pk, plan.table.sk) if k is not None]
    found = {same_key({n: i[n] for n in names}): i for i in mine}
    also: dict[bytes, ast.Condition] = {}
    if late is not None:
        there = yield from get_many("new", place.table, [part.key for part in parts])
        there_too = {same_key({n: i[n] for n in names}): i for i in there}
        unwritten = late.guards(place, parts, note.parts, found | there_too)
        if unwritten is None:
            return LATE
        also = unwritten
    actions = [put_part(moving, place.table, part, also=also.get(same_key(part.key))) for part in parts]
    for name, item in found.items():
        where = {n: item[n] for n in names}
        actions.append(delete_part(moving, place.table, where, move, origin, also=also.get(name)))
    for some in together(guards, actions):
        try:
            yield from transact(place, "new", [*guards, *some])
        except TransactionCanceled as canceled:
            codes = [reason.code for reason in canceled.reasons]
            if _FAILED not in codes:
                raise
            return BUSY if _FAILED in codes[: len(guards)] or late is not None else TAKEN
        except RequestRefused:  # it would be every time, and others wait behind it
            return REFUSED
        guards = later
    return None
