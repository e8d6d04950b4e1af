"""What stands in the new table where a legacy item is about to be written on both sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from tablewright.client.writes.action import same_key
from tablewright.evolve.moving.deriving import Part, State, Unfit, derive, differing, key_text, origin_of
from tablewright.evolve.moving.gathering import keys_of, owners_of, read_state
from tablewright.evolve.moving.guarding import as_seen
from tablewright.evolve.moving.restoring import unsettled
from tablewright.evolve.moving.settling import Seen
from tablewright.evolve.moving.sides import Place, Walk, get_many, key_of
from tablewright.values.types import Item

Found: TypeAlias = dict[bytes, tuple[Item, Item | None]]
"""Keys that were looked at, and the item of each, or None."""


def look(place: Place, table: str, item: Item | None) -> Walk[Found]:
    """What is there under the keys of what a legacy item becomes."""
    keys: list[Item] = []
    for move in place.moving.moves:
        if move.table == table and not move.noted:
            keys += keys_of(place, move, item) or []
    items = {same_key(key_of(place, one)): one for one in (yield from get_many("new", place.table, keys))}
    return {same_key(one): (one, items.get(same_key(one))) for one in keys}


def seen_of(place: Place, found: Found) -> Seen:
    """That it is there still."""
    names = place.moving.table.names
    return {name: as_seen((names.updated, names.version), *one) for name, one in found.items()}


def is_taken(place: Place, table: str, key: Item, found: Found) -> bool:
    """Whether some of it belongs to somebody else."""
    hidden, moves = place.moving.table.names.deleted, {m.called for m in place.moving.moves if m.table == table}
    for _, item in found.values():
        origin = None if item is None else origin_of(place.moving, item)
        mine = origin is not None and origin["move"] in moves and origin["key"] == key_text(key)
        if item is not None and hidden not in item and not mine:
            return True
    return False


def says_the_same(place: Place, table: str, key: Item, old: Item | None, found: Found) -> Walk[bool]:
    """Whether the new table has what a legacy item becomes, and nothing is still to be settled. Where it has none, the new table may
    have one all the same, under a key that only it knows."""
    if old is None and place.moving.no_way_back is None:
        return False
    there = {name: item for name, (_, item) in found.items() if item is not None}
    parts: tuple[Part, ...] = ()
    owners, _ = yield from owners_of(place, table, key, old, old)
    for move, owner in owners:
        if (yield from unsettled(place, move, owner)):
            return False
        try:
            if not move.noted:
                parts += derive(place.moving, move, State(old), place.now())
                continue
            state, _ = yield from read_state(place, move, owner)
            made = derive(place.moving, move, state, place.now())
        except Unfit:
            return False
        parts += made
        items = yield from get_many("new", place.table, [part.key for part in made])
        there |= {same_key(key_of(place, item)): item for item in items}
    return _are_alike(place, parts, there)


def _are_alike(place: Place, parts: tuple[Part, ...], found: Mapping[bytes, Item]) -> bool:
    wanted = {same_key(part.key): part for part in parts}
    hidden = place.moving.table.names.deleted
    living = {name: item for name, item in found.items() if hidden not in item}
    return wanted.keys() == living.keys() and all(
        {*differing(part.item, living[name])} <= part.loose for name, part in wanted.items()
    )
