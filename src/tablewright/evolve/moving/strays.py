"""Legacy items of joined tables that belong to nobody: no leading item finds them, so that nothing is made of them."""

from __future__ import annotations

from tablewright.client.writes.action import same_key
from tablewright.evolve.moving.deriving import Unfit, legacy_key
from tablewright.evolve.moving.gathering import joined_keys
from tablewright.evolve.moving.mapping import Join, Move
from tablewright.evolve.moving.sides import Place, Walk, get_many
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item, to_wire_item

STRAY = "joined to nothing, so that it would be lost"


def strays(place: Place, table: str, items: list[Item]) -> Walk[list[tuple[Item, str]]]:
    """Those of a page of a joined table that nothing is made of, by their keys, and why; asked for twice, so that what is written
    in between is none. There are none where a move reads the table by itself, or its join says that they may be `alone`."""
    moving = place.moving
    joins = [(m, name, join) for m in moving.moves for name, join in m.joins.items() if join.table == table]
    if any(move.table == table for move in moving.moves) or any(join.alone for _, _, join in joins):
        return []
    left: dict[bytes, str] = {}
    for again in (False, True):
        if again and left:
            keys = [{n: item[n] for n in moving.keys[table]} for item in items]
            items = yield from get_many("legacy", table, [key for key in keys if same_key(key) in left])
        left = {same_key({n: item[n] for n in moving.keys[table]}): STRAY for item in items}
        for move, name, join in joins:
            yield from _strike(move, name, join, items, left)
        if not left:
            return []
    found = ({n: item[n] for n in moving.keys[table]} for item in items)
    return [(key, left[same_key(key)]) for key in found if same_key(key) in left]


def _strike(move: Move, name: str, join: Join, items: list[Item], left: dict[bytes, str]) -> Walk[None]:
    """Takes those out that a leading item finds."""
    owners: dict[bytes, Item] = {}
    owned: dict[bytes, list[bytes]] = {}
    for item in items:
        mine = same_key({n: item[n] for n in join.key})
        try:
            owner = join.owner(from_wire_item({n: v for n, v in item.items() if n in {*join.key, *join.uses}}))
        except Exception as error:  # the user's function; what it says may hold values
            left[mine] = f"owner= of the join {name!r} raised {type(error).__name__}"
            continue
        if owner is not None and owner.keys() == {*move.key}:
            wire = to_wire_item(owner)
            owners[same_key(wire)] = wire
            owned.setdefault(same_key(wire), []).append(mine)
    for leading in (yield from get_many("legacy", move.table, [*owners.values()])):
        try:
            key = joined_keys(move, leading).get(name)
            found = [] if key is None else [same_key(key)]
        except Unfit:  # that is what is told
            found = owned[same_key(legacy_key(move, leading))]
        for mine in found:
            left.pop(mine, None)
