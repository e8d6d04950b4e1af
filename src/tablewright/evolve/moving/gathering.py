"""What a move reads of the legacy tables for one leading item: the item, what is merged into it, and what was frozen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from tablewright.errors import RequestRefused
from tablewright.evolve.moving.deriving import State, Unfit, derive, key_text
from tablewright.evolve.moving.freezing import thaw
from tablewright.evolve.moving.mapping import FrozenItems, Legacy, Move
from tablewright.evolve.moving.sides import Place, Walk, get
from tablewright.model.indexes import KeyAttribute
from tablewright.values.ordering import key_bytes_length
from tablewright.values.sizes import MAX_PARTITION_KEY, MAX_SORT_KEY
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
    joined, keys = yield from _read_joined(place, move, item)
    frozen: dict[str, FrozenItems | None] = {}
    legacy = from_wire_item({n: v for n, v in item.items() if n in move.read}) if move.frozen else {}
    for each in move.frozen:
        frozen[each.name] = yield from thaw(place, each, legacy, trial=trial)
    return State(item, joined, frozen), keys


def _read_joined(place: Place, move: Move, item: Item) -> Walk[tuple[dict[str, Item | None], dict[str, Item]]]:
    """What is merged into a leading item, and its keys. Raises Unfit."""
    keys = joined_keys(place, move, item)
    joined: dict[str, Item | None] = {}
    for name, key in keys.items():
        table = move.joins[name].table
        try:
            joined[name] = yield from get("legacy", table, key)
        except RequestRefused as error:  # of such a read it is the key that can be wrong
            raise Unfit(_no_key(_find(name), table)) from error
    return joined, keys


def joined_keys(place: Place, move: Move, item: Item) -> dict[str, Item]:
    """The keys of what is merged into a leading item. Raises Unfit where a function of the user's fails, or tells what is no key as
    far as that is known here."""
    keys: dict[str, Item] = {}
    legacy = from_wire_item({n: v for n, v in item.items() if n in move.read}) if move.joins else {}
    for name, join in move.joins.items():
        key = _told(join.find, legacy, _find(name), join.table, join.key)
        if key is None:
            continue
        if join.table in place.schemas and not _is_key(key, place.schemas[join.table]):
            raise Unfit(_no_key(_find(name), join.table))
        keys[name] = key
    return keys


def told_owner(move: Move, name: str, item: Item) -> Item | None:
    """The key of the leading item that a joined one says it belongs to. Raises Unfit where the user's function fails."""
    join = move.joins[name]
    seen = {*join.key, *join.uses}
    legacy = from_wire_item({n: v for n, v in item.items() if n in seen})
    return _told(join.owner, legacy, _owner(name), move.table, move.key)


def owner_of(move: Move, name: str, item: Item, known: Collection[Item] = ()) -> Walk[Item | None]:
    """The same, and raises Unfit as well where the leading table can have no such key; those that are `known` are keys."""
    owner = told_owner(move, name, item)
    if owner is not None and owner not in known:
        try:
            yield from get("legacy", move.table, owner)
        except RequestRefused as error:
            raise Unfit(_no_key(_owner(name), move.table)) from error
    return owner


def _told(
    function: Callable[[Legacy], Mapping[str, Any] | None],
    legacy: Legacy,
    called: str,
    table: str,
    names: tuple[str, ...],
) -> Item | None:
    """The key of a table that a function of the user's tells."""
    try:
        found = function(legacy)
        key = None if found is None else to_wire_item(found)
    except Unfit:
        raise
    except Exception as error:  # what it says may hold values
        raise Unfit(f"{called} raised {type(error).__name__}") from error
    if key is not None and key.keys() != {*names}:
        raise Unfit(_no_key(called, table))
    return key


def _is_key(key: Item, schema: tuple[KeyAttribute, ...]) -> bool:
    """Whether a table can have a key."""
    for part, most in zip(schema, (MAX_PARTITION_KEY, MAX_SORT_KEY), strict=False):
        value = key.get(part.name, {})
        if not value.get(part.tag) or key_bytes_length(value) > most:
            return False
    return True


def _find(name: str) -> str:
    return f"find= of the join {name!r}"


def _owner(name: str) -> str:
    return f"owner= of the join {name!r}"


def _no_key(called: str, table: str) -> str:
    return f"{called} gives no key of {table}"


def owners_of(
    place: Place, table: str, key: Item, old: Item | None, new: Item | None
) -> Walk[tuple[list[tuple[Move, Item]], str | None]]:
    """The leading items whose new form a write of this table may change; and why one cannot be told, where the item as it is now does
    not say it. A note of what is no key could never be settled."""
    found: dict[tuple[str, str], tuple[Move, Item]] = {}
    untold: str | None = None
    last = old if new is None else new
    for move in place.moving.moves:
        keys = [key] if move.table == table else []
        for name in (name for name, join in move.joins.items() if join.table == table):
            for state in (old, new):
                if state is None:
                    continue
                try:
                    owner = yield from owner_of(move, name, state, keys)
                except Unfit as error:
                    untold = error.reason if state is last else untold
                    continue
                if owner is not None:
                    keys.append(owner)
        for owned in keys:
            found[move.called, key_text(owned)] = (move, owned)
    return list(found.values()), untold


def keys_of(place: Place, move: Move, old: Item | None) -> list[Item] | None:
    """The keys in the new table of what a legacy item was; None where it could not be moved, so that older ones may be there."""
    try:
        return [part.key for part in derive(place.moving, move, State(old), place.now())]
    except Unfit:
        return None
