"""Items that are left, skipped or differ, each with its key, for whoever has to look at them: messages only count them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec import Struct

from tablewright.evolve.jobs.leaving import Leave, Left
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.sides import Side
from tablewright.values.types import Item


class BadRow(Struct, frozen=True):
    """One item, and what is wrong with it. Its key is for a file of whoever asked, never for a message or a log."""

    side: Side
    table: str
    """A legacy table, or the new one where only that one has the item."""
    key: Item
    """In DynamoDB's JSON."""
    where: str
    """The move, the table or the entity under which it is counted."""
    reason: str
    """Why, without values."""


Tell: TypeAlias = Callable[[BadRow], object]
"""Gets each of them as it is met, so that none has to be kept."""


def told_of(move: Move, tell: Tell) -> Leave:
    """What the job of a move tells of the items that it leaves; those that it would write for are not among them."""

    def left(some: Sequence[Left]) -> None:
        for one in some:
            if one.reason is not None:
                tell(BadRow("legacy", move.table, one.key, move.called, one.reason))

    return left
