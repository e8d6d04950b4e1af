"""Items of the new table that stand in another one's way, and are not what their own legacy item says any more: as where two legacy
items have exchanged a value that keys are made of. Settled one by one, each would wait for the other for ever."""

from __future__ import annotations

from typing import TypeAlias

from tablewright.client.writes.action import same_key
from tablewright.errors import TransactionCanceled
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.deriving import Part, Unfit, derive, key_text, origin_of
from tablewright.evolve.moving.gathering import read_state
from tablewright.evolve.moving.guarding import check_state, delete_part
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.sides import Place, Walk, get_many, transact
from tablewright.values.types import Item

Owner: TypeAlias = tuple[Move, Item]
"""A legacy item, and the move that it is of."""


def evict(place: Place, move: Move, key: Item, parts: tuple[Part, ...]) -> Walk[list[Owner]]:
    """Takes away what stands where the parts of a legacy item belong, if its own legacy item is another one by now. Each of those is
    noted first, so that it is settled again even after a crash; which ones."""
    mine, evicted = (move.called, key_text(key)), list[Owner]()
    table = place.moving.table
    for item in (yield from get_many("new", place.table, [part.key for part in parts])):
        origin = origin_of(place.moving, item)
        if origin is None or (origin["move"], origin["key"]) == mine:
            continue
        other = place.moving.by_name.get(origin["move"])
        if other is None:
            continue
        owner = other, ledger.key_from_text(origin["key"])
        where = {k.name: item[k.name] for k in (table.pk, table.sk) if k is not None}
        if (yield from _evict(place, owner, where)):
            evicted.append(owner)
    return evicted


def _evict(place: Place, owner: Owner, where: Item) -> Walk[bool]:
    move, key = owner
    try:
        state, joined = yield from read_state(place, move, key)
        kept = derive(place.moving, move, state, place.now())
    except Unfit:
        return False
    if any(same_key(part.key) == same_key(where) for part in kept):
        return False
    yield from transact(place, "legacy", [ledger.noting(place, move, key, ())])
    guards = check_state(move, key, state, joined)
    if not place.together:
        note = yield from ledger.read_note(place, move, key)
        assert note is not None
        guards = [ledger.not_older(place, move, note)]
    try:
        gone = delete_part(place.moving, place.table, where, move, key_text(key))
        yield from transact(place, "new", [*guards, gone])
    except TransactionCanceled as canceled:
        if canceled.transient:
            raise
        return False
    return True
