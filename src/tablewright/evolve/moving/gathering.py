"""What a move reads of the legacy tables for one leading item: the item, what is merged into it, and what was frozen."""

from __future__ import annotations

from tablewright.evolve.moving.deriving import State, Unfit
from tablewright.evolve.moving.freezing import thaw
from tablewright.evolve.moving.mapping import FrozenItems, Move
from tablewright.evolve.moving.sides import Place, Walk, get
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item, to_wire_item


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
