"""Writes of the application while tables move: legacy and new form together, or the legacy form with a note of what is left."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from tablewright.client.context import GUARD_ATTEMPTS
from tablewright.client.writes.action import OPERATIONS, Action, same_key
from tablewright.errors import (
    AlreadyExistsError,
    ArgumentError,
    ConditionalCheckError,
    ConditionalCheckFailed,
    ContentionError,
    OutcomeUnknownError,
    TablewrightError,
    TransactionCanceled,
    UniqueViolationError,
)
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.catching_up import catch_up
from tablewright.evolve.moving.deriving import Part, State, Unfit, derive, differing, key_text
from tablewright.evolve.moving.gathering import keys_of, owners_of
from tablewright.evolve.moving.guarding import MOST, delete_part, fits, names_seen, put_part, unchanged
from tablewright.evolve.moving.late import Late
from tablewright.evolve.moving.looking import Found, is_taken, look, says_the_same, seen_of
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.settling import Seen, settle
from tablewright.evolve.moving.sides import Place, Walk, get, send, transact
from tablewright.expressions import ast
from tablewright.values.types import Item
from tablewright.values.wire import from_wire_item, to_wire_item

Wish: TypeAlias = Callable[[Item | None], Item | None]
"""From the legacy item as it is to what it should be; None is no item. It may raise, and is asked again after a lost race."""


class Written(Struct, frozen=True):
    """What a write did."""

    item: dict[str, Any] | None
    """The legacy item as it is now."""
    settled: bool
    """Whether the new form is written too. Where it is not, the ledger has a note of it, and `repair` writes it; unless `owner=` of
    a join could not tell which item to note, as the reason says then."""
    reason: str | None = None
    """Why it is not, without values."""


def write(
    place: Place,
    table: str,
    key: Mapping[str, Any],
    wish: Wish,
    *,
    both: bool,
    lenient: bool,
    looks: bool = False,
    named: Collection[str] | None = None,
    late: Late | None = None,
) -> Walk[Written]:
    """Carries out a wish on a legacy item, and on what it becomes if `both`. A wish that `looks` at the item is asked again
    whatever others have changed in it meanwhile; one that does not is asked again where its move reads what they changed. It is
    about the attributes that are `named`, or about the whole item.

    `lenient` lets the legacy write stand alone, with a note, where the new side cannot take it. Who is not lenient looks at the new
    side as well, and writes over nothing but what was seen there; while that may be the newer one, a legacy item that is another one
    is brought up to date first, and what is `late` is left to somebody's decision."""
    wire, caught_up = checked_key(place, table, key), False
    for _ in range(GUARD_ATTEMPTS):
        old = yield from get("legacy", table, wire)
        found: Found = {} if lenient or not both else (yield from look(place, table, old))
        if late is not None and not (caught_up and old is None):
            caught_up = not (yield from says_the_same(place, table, wire, old, found))
            if caught_up:
                yield from catch_up(place, table, wire, late)
                continue
        new = wish(None if old is None else dict(old))
        if new is None and old is None:
            reason = None
            if both:
                owners, _ = yield from owners_of(place, table, wire, None, None)
                reason = yield from _settled(place, owners, late)
            return Written(None, reason is None, reason)
        try:
            legacy = _legacy_action(place, table, wire, old, new, looks, named)
            reason = None
            if legacy is None and both:  # what is there already may not have its new form yet
                unmoved = unchanged(place.moving.read(table), place.moving.keys[table], old)
                legacy = Action("ConditionCheck", wire, condition=unmoved)
            if legacy is not None:
                if both and not lenient:
                    found = (yield from look(place, table, new)) | found  # what was seen first, and found alike
                reason = yield from _once(place, table, wire, old, new, legacy, both, lenient, found, late)
        except (ConditionalCheckFailed, _Overtaken):
            continue
        return Written(None if new is None else from_wire_item(new), reason is None, reason)
    raise ContentionError(
        f"An item of {table} was changed by others {GUARD_ATTEMPTS} times while it was written.",
        hint="Nothing was written; try again.",
    )


class _Overtaken(Exception):
    """Somebody else changed the legacy item first."""


def _once(
    place: Place,
    table: str,
    key: Item,
    old: Item | None,
    new: Item | None,
    legacy: Action,
    both: bool,
    lenient: bool,
    found: Found,
    late: Late | None,
) -> Walk[str | None]:
    if not both:
        yield from send("legacy", OPERATIONS[legacy.kind], legacy.body(table))
        return None
    seen = seen_of(place, found)
    try:
        direct = _direct(place, table, key, old, new, seen)
    except Unfit as error:
        if not lenient:
            raise ArgumentError(
                f"An item of {table} cannot become what its move says: {error.reason}",
                hint="Nothing was written; mend the item or the move.",
            ) from None
        direct = None
    if direct is not None:
        parts, others = direct
        actions: list[dict[str, Any]] = [{legacy.kind: legacy.body(table)}, *others]
        if fits(actions):
            try:
                yield from transact(place, "new", actions)
                return None
            except TransactionCanceled as canceled:
                codes = [reason.code for reason in canceled.reasons]
                if codes[0] == "ConditionalCheckFailed":
                    raise _Overtaken from canceled
                if not lenient and "ConditionalCheckFailed" in codes and not is_taken(place, table, key, found):
                    raise _Overtaken from canceled  # somebody wrote the new side
                if not lenient:
                    part = next(
                        (p for p, code in zip(parts, codes[1:], strict=False) if code == "ConditionalCheckFailed"), None
                    )
                    if part is None:
                        raise
                    raise _taken(table, part) from canceled
            except OutcomeUnknownError:
                raise
            except TablewrightError:
                if not lenient:
                    raise
    return (yield from _with_notes(place, table, key, old, new, legacy, lenient, seen if late is not None else None))


def _taken(table: str, part: Part) -> ConditionalCheckError:
    """What is said where something of somebody else's is in the way of a part."""
    name, _, unique = part.entity.removesuffix(")").partition(" (")
    hint = "Nothing was written; choose another value, or see to the item that has it."
    if unique:
        return UniqueViolationError(
            f"An item of {table} cannot be written: its value of {name}.{unique} belongs to another item of the new table.",
            hint=hint,
            context={"entity": name, "unique": unique},
        )
    return AlreadyExistsError(
        f"An item of {table} cannot be written: the key of its {name} is taken by another item of the new table.",
        hint=hint,
        context={"entity": name},
    )


def _direct(
    place: Place, table: str, key: Item, old: Item | None, new: Item | None, seen: Seen
) -> tuple[list[Part], list[dict[str, Any]]] | None:
    """The parts, and the actions on the new side that one transaction can hold together with the legacy write, a put for each part
    first; None where there is more to it."""
    moving = place.moving
    moves = [move for move in moving.moves if move.table == table]
    if any(move.noted for move in moves):
        return None
    after = [part for move in moves for part in derive(moving, move, State(new), place.now())]
    if not place.together or any(j.table == table for m in moving.moves for j in m.joins.values()):
        return None
    kept = {same_key(part.key) for part in after}
    before = [(move, keys_of(place, move, old)) for move in moves]
    if len(kept) < len(after) or any(keys is None for _, keys in before):
        return None  # one in the way of another, or what is there of it is not known: notes tell
    actions = [put_part(moving, place.table, part, of=moves, also=seen.get(same_key(part.key))) for part in after]
    for move, keys in before:
        leaving = [k for k in keys or () if same_key(k) not in kept]
        actions += [
            delete_part(moving, place.table, k, move, key_text(key), also=seen.get(same_key(k))) for k in leaving
        ]
    return after, actions


def _with_notes(
    place: Place,
    table: str,
    key: Item,
    old: Item | None,
    new: Item | None,
    legacy: Action,
    lenient: bool,
    seen: Seen | None,
) -> Walk[str | None]:
    """The legacy write and its notes in one transaction; then each note is settled, now or by a repair."""
    owners, untold = yield from owners_of(place, table, key, old, new)
    if untold is not None and not lenient:
        raise ArgumentError(
            f"Whose new form an item of {table} belongs to cannot be told: {untold}",
            hint="Nothing was written; mend the item or the move.",
        )
    actions: list[dict[str, Any]] = [{legacy.kind: legacy.body(table)}]
    for move, owner in owners:
        # What takes more than the item, or than one transaction, is settled by notes always, which then know its keys.
        before = [] if move.noted else keys_of(place, move, old) or []
        actions.append(ledger.noting(place, move, owner, before if len(before) < MOST else []))
    try:
        yield from transact(place, "legacy", actions)
    except TransactionCanceled as canceled:
        if canceled.reasons[0].code == "ConditionalCheckFailed":
            raise _Overtaken from canceled
        raise
    return (yield from _settled(place, owners, None, seen)) or untold


def _settled(
    place: Place, owners: list[tuple[Move, Item]], late: Late | None, seen: Seen | None = None
) -> Walk[str | None]:
    """Settles the notes of some items, where there are any; why one could not be, or None."""
    reason: str | None = None
    for move, owner in owners:
        try:
            reason = (yield from settle(place, move, owner, late, seen)) or reason
        except TablewrightError as error:  # the legacy write is made; what is left is noted
            reason = f"the new side answered {error.code}"
    return reason


def _legacy_action(
    place: Place,
    table: str,
    key: Item,
    old: Item | None,
    new: Item | None,
    looks: bool,
    named: Collection[str] | None,
) -> Action | None:
    """The write of the legacy item, if it has not changed since it was read; None where there is nothing to write."""
    names: Collection[str] = place.moving.read(table)
    if looks and old is not None and new is not None:
        seen = names_seen(names, place.moving.keys[table], old, new)
        if seen is None:
            raise ArgumentError(
                f"The function changes {len(differing(old, new))} attributes of an item of {table}; a condition cannot compare them all.",
                hint="Nothing was written; change fewer at once, or write the whole item by put().",
            )
        names = seen
    condition = unchanged(names, place.moving.keys[table], old)
    if new is None:
        return Action("Delete", key, condition=condition)
    if old is None:
        return Action("Put", key, item=new, condition=condition)
    changed = differing(old, new)
    if not changed:
        return None
    # What is as it was when it was read may be something else by now, where no guard is on it.
    if not looks and named is None:
        return Action("Put", key, item=new, condition=condition)
    changed = sorted({*changed, *(named or ())})
    actions: list[ast.UpdateAction] = [
        ast.SetAction((n,), ast.Value(new[n])) if n in new else ast.RemoveAction((n,)) for n in changed
    ]
    return Action("Update", key, update=ast.Update(tuple(actions)), condition=condition)


def checked_key(place: Place, table: str, key: Mapping[str, Any]) -> Item:
    """The key of a legacy item; a table or an attribute that no move names is refused."""
    names = place.moving.keys.get(table)
    if names is None:
        raise ArgumentError(
            f"{table!r} is no legacy table of {place.moving.name!r}.",
            hint=f"Its legacy tables are: {', '.join(place.moving.keys)}.",
        )
    if {*names} != key.keys():
        raise ArgumentError(f"The key of {table} is {' and '.join(names)}.", hint="Give exactly these attributes.")
    return to_wire_item(key)


def key_in(place: Place, table: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """The key attributes of a legacy item that is to be written whole."""
    names = place.moving.keys.get(table, ())
    return {n: item[n] for n in names if n in item}
