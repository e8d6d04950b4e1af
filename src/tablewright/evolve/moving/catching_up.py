"""Writes on both sides while the new table may be the newer one: just before it is written alone, and just after it was. Whoever
writes an item then brings its legacy form up to date first, or refuses."""

from __future__ import annotations

from tablewright.client.context import GUARD_ATTEMPTS
from tablewright.client.writes.action import same_key
from tablewright.errors import ArgumentError, ContentionError, TablewrightError
from tablewright.evolve.moving.deriving import State, Unfit, derive, legacy_key, value_of
from tablewright.evolve.moving.late import Late
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.restoring import (
    NOTHING,
    TWICE,
    WRITTEN,
    plan_of,
    remove,
    restore,
    teller,
    told,
    unless_overtaken,
)
from tablewright.evolve.moving.settling import settle
from tablewright.evolve.moving.sides import Place, Walk, get, key_of, send
from tablewright.transport.answers import next_start
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item

_WAIT = "Wait until the phase holds everywhere, and run restore_legacy() until it does nothing; then try again."


def catch_up(place: Place, table: str, key: Item, late: Late) -> Walk[None]:
    """Brings one legacy item up to date, for who is about to write it. Refuses where that cannot be."""
    why = place.moving.no_way_back
    if why is not None:
        raise ArgumentError(
            f"An item of {table} is another one in the new table, which cannot be told to legacy tables: {why}.",
            hint="The phase changes; try again in some seconds.",
        )
    move = next((move for move in place.moving.moves if move.table == table), None)
    if move is None:
        return
    for _ in range(GUARD_ATTEMPTS):
        reason = yield from settle(place, move, key, late)
        if reason is not None:
            raise ArgumentError(
                f"The last write of an item of {table} is not settled: {reason}.",
                hint="Nothing was written; run repair(), and look at what it could not settle.",
            )
        old = yield from get("legacy", table, key)
        item = yield from _found(place, move, key, old)
        plan = None if item is None else plan_of(place.moving, item)
        if item is not None and plan is not None and plan.alive(item) is not None:
            outcome = yield from restore(place, move, plan, item, unless_overtaken)
        elif old is not None:
            (outcome,) = (yield from remove(place, move, [old], unless_overtaken)) or [NOTHING]
        else:
            return
        if outcome in (NOTHING, WRITTEN):
            return
        if outcome == TWICE:
            raise ArgumentError(f"An item of {table} cannot be written: {TWICE}.", hint="Delete one of them.")
    raise ContentionError(
        f"An item of {table} was changed by others {GUARD_ATTEMPTS} times while it was brought up to date.",
        hint="Nothing was written; try again.",
    )


def _found(place: Place, move: Move, key: Item, old: Item | None) -> Walk[Item | None]:
    """The item of the new table that is a legacy item's: under the key that follows from it, or from its key; in the partition that
    its key tells."""
    try:
        parts = () if old is None else derive(place.moving, move, State(old), place.now())
    except Unfit:
        parts = ()
    if parts:
        item = yield from get("new", place.table, parts[0].key)
        if item is not None and _is_its(place, move, key, item):
            return item
    assert move.entity is not None
    plan = place.moving.table.plan.entities[move.entity]
    known = from_wire_item(key)
    values = {name: source for name, source in move.fields.items() if isinstance(source, str) and source in move.key}
    whole = partition = None
    try:
        fields = {name: value_of(source, known, name) for name, source in values.items()}
        if plan.key_fields <= fields.keys():
            whole = plan.key(fields)
        elif {*plan.pk.fields} <= fields.keys():
            partition = {plan.pk.attribute.name: plan.pk.encode(fields)}
    except (Unfit, TablewrightError):
        return None  # there can be none with such a key
    if whole is not None:
        item = yield from get("new", place.table, whole)
        return item if item is not None and _is_its(place, move, key, item) else None
    if partition is not None:
        return (yield from _in_partition(place, move, key, partition))
    raise ArgumentError(
        f"An item of {move.table} cannot be found in the new table by its legacy key, while that may be the newer one.",
        hint=_WAIT,
    )


def _is_its(place: Place, move: Move, key: Item, item: Item) -> bool:
    """Whether an item of the new table is that of a legacy item, alive or not."""
    plan = plan_of(place.moving, item)
    if (
        plan is None
        or plan.entity is not move.entity
        or plan.alive(item) is None
        or teller(place, plan, item) is not move
    ):
        return False
    wanted = told(place, move, item)
    return wanted is not None and same_key(legacy_key(move, wanted)) == same_key(key)


def _in_partition(place: Place, move: Move, key: Item, partition: Item) -> Walk[Item | None]:
    ((name, value),) = partition.items()
    request = {
        "TableName": place.table,
        "KeyConditionExpression": "#p = :p",
        "ExpressionAttributeNames": {"#p": name},
        "ExpressionAttributeValues": {":p": value},
        "ConsistentRead": True,
    }
    while True:
        response = yield from send("new", "Query", request, repeatable=True)
        for item in response["Items"]:
            if _is_its(place, move, key, item):
                return (yield from get("new", place.table, key_of(place, item)))
        start = next_start(response)
        if start is None:
            return None
        request["ExclusiveStartKey"] = start
