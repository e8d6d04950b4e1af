"""Legacy items of joined tables that belong to nobody: no leading item finds them, so that nothing is made of them."""

from __future__ import annotations

from contextlib import suppress

from tablewright.client.writes.action import same_key
from tablewright.errors import RequestRefused
from tablewright.evolve.moving.deriving import Unfit, legacy_key
from tablewright.evolve.moving.gathering import joined_keys, told_owner
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.sides import Place, Walk, get, get_many
from tablewright.values.types import Item

STRAY = "joined to nothing, so that it would be lost"


def strays(place: Place, table: str, items: list[Item]) -> Walk[list[Item]]:
    """The keys of those of a page of a joined table that nothing is made of; asked for twice, so that what is written in between
    is none. There are none where a move reads the table by itself, or its join says that they may be `alone`."""
    moving = place.moving
    joins = [(m, name) for m in moving.moves for name, join in m.joins.items() if join.table == table]
    if any(move.table == table for move in moving.moves) or any(move.joins[name].alone for move, name in joins):
        return []
    left: set[bytes] = set()
    for again in (False, True):
        if again and left:
            keys = [{n: item[n] for n in moving.keys[table]} for item in items]
            items = yield from get_many("legacy", table, [key for key in keys if same_key(key) in left])
        left = {same_key({n: item[n] for n in moving.keys[table]}) for item in items}
        for move, name in joins:
            yield from _strike(place, move, name, items, left)
        if not left:
            return []
    found = ({n: item[n] for n in moving.keys[table]} for item in items)
    return [key for key in found if same_key(key) in left]


def _strike(place: Place, move: Move, name: str, items: list[Item], left: set[bytes]) -> Walk[None]:
    """Takes those out that a leading item finds, and those that others tell of: their function fails."""
    owners: dict[bytes, Item] = {}
    owned: dict[bytes, list[bytes]] = {}
    for item in items:
        mine = same_key({n: item[n] for n in move.joins[name].key})
        try:
            owner = told_owner(move, name, item)
        except Unfit:
            left.discard(mine)
            continue
        if owner is not None:
            owners[same_key(owner)] = owner
            owned.setdefault(same_key(owner), []).append(mine)
    for leading in (yield from _there(move.table, [*owners.values()])):
        try:
            key = joined_keys(place, move, leading).get(name)
            found = [] if key is None else [same_key(key)]
        except Unfit:  # that is what is told
            found = owned[same_key(legacy_key(move, leading))]
        for mine in found:
            left.discard(mine)


def _there(table: str, keys: list[Item]) -> Walk[list[Item]]:
    """The items that are there; what the table can have no such key of is not."""
    try:
        return (yield from get_many("legacy", table, keys))
    except RequestRefused:
        found: list[Item] = []
        for key in keys:
            with suppress(RequestRefused):
                found += filter(None, [(yield from get("legacy", table, key))])
        return found
