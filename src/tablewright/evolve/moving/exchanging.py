"""Items of the new table that stand in another one's way, and are not what their own legacy item says any more: as where two legacy
items have exchanged a value that keys are made of."""

from __future__ import annotations

from typing import Any, TypeAlias

from tablewright.client.writes.action import Action, same_key
from tablewright.errors import TransactionCanceled
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.deriving import Part, Unfit, derive, digest_of, key_text, origin_of
from tablewright.evolve.moving.gathering import read_state
from tablewright.evolve.moving.guarding import as_seen, check_state, fits
from tablewright.evolve.moving.late import Late
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.sides import Place, Walk, get_many, key_of, transact
from tablewright.values.types import Item

Owner: TypeAlias = tuple[Move, Item]
"""A legacy item, and the move that it is of."""


def name_of(owner: Owner) -> tuple[str, str]:
    """What stands for an owner."""
    return owner[0].called, key_text(owner[1])


def outdated_owners(place: Place, move: Move, key: Item, late: Late | None) -> Walk[list[Owner]]:
    """Whose items stand where those of a legacy item belong, though their own legacy item is another one by now. Each is noted, so
    that it is settled even after a crash. Where that is `late`, what was written since stays."""
    try:
        state, _ = yield from read_state(place, move, key)
        parts = derive(place.moving, move, state, place.now())
    except Unfit:
        return []
    outdated: list[Owner] = []
    for item in (yield from get_many("new", place.table, [part.key for part in parts])):
        origin = origin_of(place.moving, item)
        other = None if origin is None else place.moving.by_name.get(origin["move"])
        if origin is None or other is None:
            continue
        owner = other, ledger.key_from_text(origin["key"])
        if name_of(owner) == (move.called, key_text(key)) or (late and not (yield from _untouched(place, item, late))):
            continue
        where = key_of(place, item)
        if not (yield from _still_says(place, owner, where)):
            yield from transact(place, "legacy", [ledger.noting(place, *owner, [where])])
            outdated.append(owner)
    return outdated


def _untouched(place: Place, item: Item, late: Late) -> Walk[bool]:
    """Whether nobody has written an item since; a marker tells whose it is."""
    held = item.get(place.moving.table.names.owner, {}).get("M")
    if held is None:
        return late.untouched(place, item)
    found = yield from get_many("new", place.table, [held])
    return all(late.untouched(place, one) for one in found)


def _still_says(place: Place, owner: Owner, where: Item) -> Walk[bool]:
    """Whether an item belongs where it is; one that cannot be moved stays where it was."""
    try:
        state, _ = yield from read_state(place, *owner)
        parts = derive(place.moving, owner[0], state, place.now())
    except Unfit:
        return True
    return any(same_key(part.key) == same_key(where) for part in parts)


def exchange(place: Place, owners: list[Owner], late: Late | None) -> Walk[bool]:
    """Settles owners that wait for each other, in one transaction; False where that cannot be."""
    names, guards = {name_of(owner) for owner in owners}, list[dict[str, Any]]()
    parts: dict[bytes, Part] = {}
    leaving: dict[bytes, Item] = {}
    settled: list[tuple[Owner, ledger.Note, str, list[Item]]] = []
    for owner in owners:
        move, key = owner
        note = yield from ledger.read_note(place, move, key)
        if note is None or not note.pending:
            return False
        try:
            state, joined = yield from read_state(place, move, key)
            made = derive(place.moving, move, state, place.now())
        except Unfit:
            return False
        guards += check_state(move, key, state, joined) if place.together else [ledger.not_older(place, move, note)]
        parts |= {same_key(part.key): part for part in made}
        leaving |= {same_key(k): k for k in (*note.parts, *note.coming)}
        settled.append((owner, note, digest_of(move, state), [part.key for part in made]))
    wanted = leaving | {name: part.key for name, part in parts.items()}
    items = yield from get_many("new", place.table, list(wanted.values()))
    found = {same_key(key_of(place, item)): item for item in items}
    first = (place.moving.table.names.updated, place.moving.table.names.version)
    actions: list[dict[str, Any]] = []
    for name, where in wanted.items():
        item, part = found.get(name), parts.get(name)
        origin = None if item is None else origin_of(place.moving, item)
        ours = item is None or (origin is not None and (origin["move"], origin["key"]) in names)
        if item is not None and late is not None and ours and not (yield from _untouched(place, item, late)):
            return False
        if part is not None:
            if not ours:
                return False
            put = Action("Put", where, item=part.item, condition=as_seen(first, where, item))
            actions.append({"Put": put.body(place.table)})
        elif item is not None and ours:
            gone = Action("Delete", where, condition=as_seen(first, where, item))
            actions.append({"Delete": gone.body(place.table)})
    if not fits([*guards, *actions]):
        return False
    try:
        yield from transact(place, "new", [*guards, *actions])
    except TransactionCanceled as canceled:
        if canceled.transient:
            raise
        return False
    for (move, _), note, digest, keys in settled:
        yield from ledger.settled(place, move, note, digest, keys)
    return True
