"""Actions of transactions and their conditions: what may be written, and what must not have changed meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

from tablewright.client.writes.action import Action
from tablewright.evolve.moving.deriving import Part, State, differing, legacy_key
from tablewright.evolve.moving.mapping import Move, Moving
from tablewright.expressions import ast
from tablewright.expressions.builder import all_of, any_of
from tablewright.expressions.limits import MAX_EXPRESSION_SIZE, MAX_OPERATORS
from tablewright.values.sizes import item_size
from tablewright.values.types import Item

MOST = 100
"""Actions in one transaction."""
_COMPARED, _ABSENT = len(" AND #999 = :999"), len(" AND attribute_not_exists(#999)")
_BESIDE = 1_500
"""Characters that a condition on what was seen leaves to others."""
BYTES = 3_500_000
"""What the items of one transaction may hold together; the service takes 4 MB."""


def unchanged(read: Iterable[str], key: tuple[str, ...], item: Item | None) -> ast.Condition:
    """That a legacy item is still as it was read, in every attribute that decides what becomes of it."""
    if item is None:
        return ast.AttributeNotExists((key[0],))
    terms: list[ast.Condition] = [ast.AttributeExists((key[0],))]
    for name in sorted({*read} - {*key}):
        if name in item:
            terms.append(ast.Compare("=", ast.Attribute((name,)), ast.Value(item[name])))
        else:
            terms.append(ast.AttributeNotExists((name,)))
    return all_of(*terms)


def names_seen(read: Iterable[str], key: tuple[str, ...], old: Item, new: Item) -> set[str] | None:
    """The attributes that have to be as they were read where a function made a new item of an old one: what is read anyway, what
    the function changed, added or removed, and all the rest as far as a condition holds it. None where it does not hold the first.
    """
    needed = sorted({*read, *differing(old, new)} - {*key})
    rest = sorted(old.keys() - {*needed, *key})
    # As the longest placeholders are printed, each with AND.
    ends = list(accumulate((_COMPARED if name in old else _ABSENT for name in [*needed, *rest]), initial=_ABSENT))
    held = sum(1 for end in ends[1 : MAX_OPERATORS // 2] if end <= MAX_EXPRESSION_SIZE)
    return None if held < len(needed) else {*[*needed, *rest][:held]}


def check_state(move: Move, key: Item, state: State, joined: dict[str, Item]) -> list[dict[str, Any]]:
    """Checks that all that was read for a move is as it was. `joined` has the keys of what is merged."""
    checks = [(move.table, key, unchanged(move.read, move.key, state.item))]
    for name, found in joined.items():
        join = move.joins[name]
        checks.append((join.table, found, unchanged({*join.key, *join.uses}, join.key, state.joined.get(name))))
    return [{"ConditionCheck": Action("ConditionCheck", k, condition=c).body(table)} for table, k, c in checks]


def as_seen(first: Iterable[str], key: Item, item: Item | None) -> ast.Condition:
    """That an item of the new table is as it was read, in as many attributes as a condition holds, those that come `first` before
    others; or that it is not there."""
    (name, *_) = key
    if item is None:
        return ast.AttributeNotExists((name,))
    ahead = [n for n in first if n in item]
    names = [*ahead, *sorted(item.keys() - {*ahead, *key})]
    held = min((MAX_EXPRESSION_SIZE - _BESIDE) // _COMPARED, MAX_OPERATORS // 3)
    return all_of(
        ast.AttributeExists((name,)), *(ast.Compare("=", ast.Attribute((n,)), ast.Value(item[n])) for n in names[:held])
    )


def put_part(
    moving: Moving,
    table: str,
    part: Part,
    *,
    older_only: bool = False,
    also: ast.Condition | None = None,
    of: Iterable[Move] = (),
    over_new: bool = False,
) -> dict[str, Any]:
    """Writes an item of the new table, where nothing is or what came from the same legacy item, by its own move or one `of` those
    that read the same table, and what `also` has to hold does; `older_only` leaves what was made of the same state, and `over_new` takes the place of an
    item of the same type that no move brought, too."""
    origin = part.item[moving.origin]["M"]
    moves = sorted({origin["move"]["S"], *(move.called for move in of)})
    brought = any_of(*(_from(moving, "move", "=", {"move": {"S": called}}) for called in moves))
    mine = [brought, _from(moving, "key", "=", origin)]
    if older_only:
        mine.append(_from(moving, "digest", "<>", origin))
    alike = (
        ast.Compare("=", ast.Attribute((name,)), ast.Value(part.item[name]))
        for name in (moving.table.names.type, moving.table.names.owner)  # a marker of the same item, that is
        if name in part.item
    )
    new = [all_of(ast.AttributeNotExists((moving.origin,)), *alike)] if over_new else []
    free = any_of(ast.AttributeNotExists((next(iter(part.key)),)), all_of(*mine), *_remains(moving, part), *new)
    condition = free if also is None else all_of(free, also)
    return {"Put": Action("Put", part.key, item=part.item, condition=condition).body(table)}


def _remains(moving: Moving, part: Part) -> list[ast.Condition]:
    """What is left of an item that was deleted softly is in nobody's way, as where a session creates one."""
    hidden = {plan.hides for plan in moving.table.plan.entities.values() if plan.name == part.entity}
    return [ast.AttributeExists((name,)) for name in hidden if name is not None]


def delete_part(
    moving: Moving, table: str, key: Item, move: Move, origin_key: str, *, also: ast.Condition | None = None
) -> dict[str, Any]:
    """Removes an item of the new table that came from this legacy item; one of anybody else stays."""
    origin = {"move": {"S": move.called}, "key": {"S": origin_key}}
    mine = all_of(_from(moving, "move", "=", origin), _from(moving, "key", "=", origin))
    free = any_of(ast.AttributeNotExists((next(iter(key)),)), mine)
    condition = free if also is None else all_of(free, also)
    return {"Delete": Action("Delete", key, condition=condition).body(table)}


def _from(moving: Moving, member: str, op: ast.Comparator, origin: dict[str, Any]) -> ast.Condition:
    return ast.Compare(op, ast.Attribute((moving.origin, member)), ast.Value(origin[member]))


def put_where_older(moving: Moving, table: str, move: Move, item: Item, parts: Iterable[Part]) -> list[dict[str, Any]]:
    """The whole of a backfilled item: the legacy item is as it was read, and nothing was made of that state yet."""
    checks = check_state(move, legacy_key(move, item), State(item), {})
    return checks + [put_part(moving, table, part, older_only=True) for part in parts]


def together(guards: list[dict[str, Any]], actions: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Actions in as many transactions as they need, each with the guards; one of none where there are no actions."""
    held = sum(map(_size, guards))
    some: list[dict[str, Any]] = []
    size = held
    for action in actions:
        more = _size(action)
        if some and (len(guards) + len(some) == MOST or size + more > BYTES):
            yield some
            some, size = [], held
        some.append(action)
        size += more
    yield some


def fits(actions: list[dict[str, Any]]) -> bool:
    """Whether one transaction takes them all."""
    return len(actions) <= MOST and sum(map(_size, actions)) <= BYTES


def _size(action: dict[str, Any]) -> int:
    """What an action brings along: the item that it puts, or the values that it compares."""
    (body,) = action.values()
    return item_size(body.get("Item") or body.get("ExpressionAttributeValues") or {})
