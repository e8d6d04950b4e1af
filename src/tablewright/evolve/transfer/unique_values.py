"""Unique values in a dry run: who has them in the table, and which rows before would have taken them or given them up."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from msgspec import Struct

from tablewright.client.fetching import fetch_items
from tablewright.client.session import Session
from tablewright.client.writes.action import same_key
from tablewright.compiler.entity_plan import EntityPlan
from tablewright.evolve.transfer.building import Built
from tablewright.evolve.transfer.rows import Problem
from tablewright.model.entity import Entity
from tablewright.values.types import Item

CORRECT = "Correct one of the two."


class Claim(Struct, frozen=True):
    """A value that a row would take."""

    rule: str
    value: bytes
    """A digest of it."""
    taken: bool
    """Whether another item of the table has it."""


class Claims(Struct, frozen=True):
    """All that a row would take and give up."""

    place: str
    plan: EntityPlan
    wanted: tuple[Claim, ...]
    given_up: tuple[bytes, ...]


def claims_of(db: Session, rows: Sequence[tuple[Built, Entity | None]]) -> list[Claims | None]:
    """What each of some rows, with the item that it would replace, would take. Markers of their values are read, together."""
    moves = [_moves(built, stored) for built, stored in rows]
    keys = [key for after, _ in moves for key in after.values()]
    there = db._driver.drive(fetch_items(db._context, keys, strong=True)) if keys else {}
    found: list[Claims | None] = []
    for (built, _), (after, given_up) in zip(rows, moves, strict=True):
        plan, wanted = built.plan, list[Claim]()
        for rule, key in after.items():
            marker = there.get(same_key(key))
            owner = {"M": plan.key(plan.validated(built.entity))}
            wanted.append(Claim(rule, _digest(key), marker is not None and marker.get(plan.names.owner) != owner))
        some = wanted or given_up
        found.append(Claims(built.place, plan, tuple(wanted), tuple(map(_digest, given_up))) if some else None)
    return found


def _moves(built: Built, stored: Entity | None) -> tuple[dict[str, Item], list[Item]]:
    """Markers that would be put, by the name of their rule, and those that would be deleted."""
    if not built.plan.uniques:
        return {}, []
    after = built.plan.markers(built.plan.validated(built.entity))
    before = {} if stored is None else built.plan.markers(built.plan.validated(stored))
    changed = [rule for rule, key in after.items() if before.get(rule) != key]
    wanted = {rule: key for rule in changed if (key := after[rule]) is not None}
    return wanted, [key for rule in changed if (key := before.get(rule)) is not None]


def _digest(key: Item) -> bytes:
    return blake2b(same_key(key), digest_size=16).digest()


class UniqueValues:
    """Judges rows in their order. What it remembers of each value are 16 bytes and where it was."""

    def __init__(self) -> None:
        self._taken: dict[bytes, str] = {}
        self._given_up: set[bytes] = set()

    def judge(self, claims: Claims) -> Problem | None:
        """Why a row would not be taken; None where it would, and has its values from now on."""
        for one in claims.wanted:
            other = self._taken.get(one.value)
            if other is None and one.taken and one.value not in self._given_up:
                other = f"another {claims.plan.name}"
            if other is not None:
                column = one.rule if one.rule in claims.plan.fields else None
                message = f"{claims.plan.name}: the value of {one.rule} belongs to {other}."
                return Problem(claims.place, message, CORRECT, column)
        for value in claims.given_up:
            self._given_up.add(value)
            self._taken.pop(value, None)
        self._taken.update((one.value, claims.place) for one in claims.wanted)
        return None
