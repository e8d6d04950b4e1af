"""Settling: what a note says is still to be written, written; by whoever comes first, as often as they like."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from tablewright.client.context import GUARD_ATTEMPTS
from tablewright.client.writes.action import Action, same_key
from tablewright.client.writes.markers import release, stored_markers
from tablewright.errors import ArgumentError, RequestRefused, ServiceError, TransactionCanceled
from tablewright.evolve.jobs.settling import refused
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.deriving import Part, Unfit, derive, digest_of, key_text, legacy_key, origin_of
from tablewright.evolve.moving.exchanging import Owner, exchange, name_of, outdated_owners
from tablewright.evolve.moving.gathering import read_state
from tablewright.evolve.moving.guarding import as_seen, check_state, delete_part, put_part, together
from tablewright.evolve.moving.late import LATE, Late
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.restoring import plan_of, told
from tablewright.evolve.moving.sides import Place, Walk, get_many, key_of, transact
from tablewright.expressions import ast
from tablewright.values.types import Item

_FAILED = "ConditionalCheckFailed"
TAKEN = "a key is taken by an item that came from elsewhere"
REFUSED = "the new table refuses the item"
BUSY = "the legacy item was changed again and again meanwhile"
CHANGED = "the new table was written meanwhile"
_REACH = 50
"""Items that a write of the application settles before its own."""
Seen: TypeAlias = Mapping[bytes, ast.Condition]
"""Of keys of the new table, that what was read there is there still."""


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


def repair(place: Place, late: Late | None = None) -> Walk[Repaired]:
    """Settles all that is pending. A second run, or two at once, change nothing more."""
    count, reasons, start = 0, dict[str, int](), None
    stuck: set[tuple[str, str]] = set()
    while True:
        notes, start = yield from ledger.pending_notes(place, start)
        for note in notes:
            reason = yield from settle_note(place, note, late, stuck)
            if reason is None:
                count += 1
            else:
                reasons[reason] = reasons.get(reason, 0) + 1
        if start is None:
            return Repaired(count, reasons)


def settle_note(
    place: Place, note: ledger.Note, late: Late | None = None, stuck: set[tuple[str, str]] | None = None
) -> Walk[str | None]:
    """Settles what one note tells of; why it could not, or None."""
    move = place.moving.by_name.get(note.move)
    return (
        "no move has this name any more"
        if move is None
        else (yield from settle(place, move, note.key, late, stuck=stuck))
    )


def settle(
    place: Place,
    move: Move,
    key: Item,
    late: Late | None = None,
    seen: Seen | None = None,
    stuck: set[tuple[str, str]] | None = None,
) -> Walk[str | None]:
    """Brings the new table to what the legacy tables say of one item now; why it could not, or None. A note that is `late` is settled
    where the new table was not written since, any note where that still is as it was `seen`.

    What stands in the way, and is not what its own legacy item says any more, is settled first; items that wait for each other are
    exchanged at once. A repair goes after them as far as it takes, and knows those that were `stuck` before; a write does not."""
    chain: list[Owner] = [(move, key)]
    places = {name_of(chain[0]): 0}
    tried: set[tuple[str, str]] = set() if stuck is None else stuck
    while True:
        of, owned = chain[-1]
        outcome = yield from _unless_refused(place, of, owned, late, seen if len(chain) == 1 else None)
        if outcome == TAKEN:
            outdated = {name_of(o): o for o in (yield from outdated_owners(place, of, owned, late))}
            ahead = next((name for name in outdated if name not in tried and name not in places), None)
            if ahead is not None and (stuck is not None or len(chain) < _REACH):
                places[ahead] = len(chain)
                chain.append(outdated[ahead])
                continue
            back = next((places[name] for name in outdated if name in places), None)
            if back is not None and (yield from exchange(place, chain[back:], late)):
                for gone in chain[back:]:
                    del places[name_of(gone)]
                del chain[back:]
                if not chain:
                    return None
                continue
            yield from _note_failure(place, of, owned, TAKEN)
        name = name_of(chain.pop())
        del places[name]
        if outcome is not None or stuck is None:
            tried.add(name)
        if not chain:
            return outcome


def _note_failure(place: Place, move: Move, key: Item, reason: str) -> Walk[None]:
    note = yield from ledger.read_note(place, move, key)
    if note is not None:
        yield from ledger.failed(place, move, note, reason)


def _unless_refused(place: Place, move: Move, key: Item, late: Late | None, seen: Seen | None) -> Walk[str | None]:
    """The same for one item alone. What the service refuses, and would every time, is told on the note: others wait behind it."""
    try:
        return (yield from _settle_one(place, move, key, late, seen))
    except ServiceError as error:
        if not refused(error):
            raise
        reason = f"the service refuses a request that it takes ({error.wire_name})"
    note = yield from ledger.read_note(place, move, key)
    if note is None or not note.pending:
        return None
    yield from ledger.failed(place, move, note, reason)
    return reason


def _settle_one(place: Place, move: Move, key: Item, late: Late | None, seen: Seen | None) -> Walk[str | None]:
    """That its key is taken is not noted yet."""
    for _ in range(GUARD_ATTEMPTS):
        note = yield from ledger.read_note(place, move, key)
        if note is None or not note.pending:
            return None
        if late is not None and late.wins == "new":
            # Whatever the legacy item says, and even where it cannot be moved: what is there is right.
            if (yield from ledger.settled(place, move, note, "", note.parts)):
                return None
            continue
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
        outcome = None if there else (yield from _write(place, move, key, note, parts, guards, later, late, seen))
        if outcome in (REFUSED, LATE, CHANGED):
            yield from ledger.failed(place, move, note, outcome)
        if outcome in (TAKEN, REFUSED, LATE, CHANGED):
            return outcome
        if outcome is None and (yield from ledger.settled(place, move, note, digest, keys)):
            return None
    return BUSY


def _write(
    place: Place,
    move: Move,
    key: Item,
    note: ledger.Note,
    parts: tuple[Part, ...],
    guards: list[dict[str, Any]],
    later: list[dict[str, Any]],
    late: Late | None,
    seen: Seen | None,
) -> Walk[str | None]:
    """Writes parts and deletes those that are left, in as many transactions as it takes: the first one with `guards`, the others
    with `later`."""
    moving, kept = place.moving, {same_key(part.key) for part in parts}
    mine = move.called, key_text(key)
    wanted = [part.key for part in parts] if late is not None else []
    leaving = [k for k in (*note.parts, *note.coming) if same_key(k) not in kept]
    items = yield from get_many("new", place.table, [*leaving, *wanted])
    found = {same_key(key_of(place, item)): item for item in items}
    also = dict(seen or {})
    alone: set[bytes] = set()
    if late is not None:
        others = {name: i for name, i in found.items() if name in kept and _is_elsewheres(place, i, mine)}
        alone = {name for name, item in others.items() if late.wrote(place, item, parts)}
        if alone and late.wins is None:
            return LATE
        if others.keys() - alone:
            return TAKEN
        untouched = late.guards(place, parts, note, found)
        if untouched is None:
            return LATE
        also |= untouched
        if late.wins == "legacy":
            anew = (n for n, item in found.items() if n not in kept and late.wrote(place, item, ()))
            alone |= {name for name in anew if _is_told(place, move, key, found[name])}
    actions = [
        put_part(moving, place.table, part, also=also.get(name), over_new=name in alone)
        for part in parts
        for name in [same_key(part.key)]
    ]
    names = place.moving.table.names
    for name, item in found.items():
        where = key_of(place, item)
        if name not in kept and name in alone:
            gone = Action("Delete", where, condition=as_seen((names.updated, names.version), where, item))
            actions.append({"Delete": gone.body(place.table)})
        elif name not in kept and _is_of(place, item, mine):
            actions.append(delete_part(moving, place.table, where, move, mine[1], also=also.get(name)))
    if late is not None and late.wins == "legacy":
        moved = {name: item for name, item in found.items() if name in alone or _is_of(place, item, mine)}
        actions += yield from _released(place, [*moved.values()], kept | moved.keys())
    for some in together(guards, actions):
        try:
            yield from transact(place, "new", [*guards, *some])
        except TransactionCanceled as canceled:
            codes = [reason.code for reason in canceled.reasons]
            if _FAILED not in codes:
                raise
            if _FAILED in codes[: len(guards)] or late is not None:
                return BUSY
            return TAKEN if seen is None else (yield from _why(place, parts, mine))
        except RequestRefused:  # it would be every time, and others wait behind it
            return REFUSED
        guards = later
    return None


def _released(place: Place, items: list[Item], others: Collection[bytes]) -> Walk[list[dict[str, Any]]]:
    """Gives up unique values that items have got in the new table alone, before what the legacy tables say is written over them; `others` are seen to."""
    released: list[dict[str, Any]] = []
    for item in items:
        plan = next((p for p in place.moving.table.plan.entities.values() if p.owns(item)), None)
        if plan is None or not plan.uniques:
            continue
        owner, held = key_of(place, item), stored_markers(plan, item)
        wanted = {same_key(k): u for u in plan.uniques if (k := held[u.name]) is not None and same_key(k) not in others}
        keys = [key for key in held.values() if key is not None and same_key(key) in wanted]
        for there in (yield from get_many("new", place.table, keys)):
            if there.get(plan.names.owner) == {"M": owner}:
                key = key_of(place, there)
                released.append({"Delete": release(plan, wanted[same_key(key)], key, owner).body(place.table)})
    return released


def _is_of(place: Place, item: Item, mine: tuple[str, str]) -> bool:
    """Whether an item came from this legacy item."""
    origin = origin_of(place.moving, item)
    return origin is not None and (origin["move"], origin["key"]) == mine


def _is_told(place: Place, move: Move, key: Item, item: Item) -> bool:
    """Whether an item that no move brought is of a legacy item, as the way back tells."""
    plan = plan_of(place.moving, item)
    if plan is None or plan.entity is not move.entity or move.back is None or plan.alive(item) is None:
        return False
    try:
        legacy = told(place, move, item)
    except ArgumentError:  # whoever goes back is told
        return False
    return legacy is not None and same_key(legacy_key(move, legacy)) == same_key(key)


def _is_elsewheres(place: Place, item: Item, mine: tuple[str, str]) -> bool:
    """Whether an item is alive, and not of this legacy item."""
    return not _is_of(place, item, mine) and place.moving.table.names.deleted not in item


def _why(place: Place, parts: tuple[Part, ...], mine: tuple[str, str]) -> Walk[str]:
    """Why a write was refused that also asked for what was seen."""
    items = yield from get_many("new", place.table, [part.key for part in parts])
    return TAKEN if any(_is_elsewheres(place, item, mine) for item in items) else CHANGED
