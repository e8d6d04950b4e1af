"""The backfill: what was in the legacy tables before both sides were written, moved by a job, item by item."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from tablewright.evolve.jobs.work import Decision, Skipped, Writes
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.deriving import State, Unfit, derive, digest_of, legacy_key
from tablewright.evolve.moving.guarding import MOST, put_where_older
from tablewright.evolve.moving.mapping import Move
from tablewright.evolve.moving.sides import Place
from tablewright.values.types import Item


class Backfill:
    """Reads one legacy table, and writes what is absent or older in the new one, only if the legacy item has not changed since.

    What one transaction cannot do (items of several tables merged, more than a hundred parts, sides that no transaction spans) is
    noted in the ledger instead, and written by `repair`."""

    def __init__(self, place: Place, move: Move) -> None:
        self._place = place
        self._move = move
        self._now = place.now()
        self._noted = bool(move.joins) or not place.together

    @property
    def name(self) -> str:
        """What is done."""
        return f"move {self._move.called} to {', '.join(e.__name__ for e in self._move.entities)}"

    @property
    def identity(self) -> str:
        """Another text where the mapping is another."""
        move = self._move
        told = (
            self._place.moving.name,
            self._place.table,
            self._noted,
            self.name,
            sorted(move.read),
            sorted(move.fields),
        )
        return f"moving {sha256(repr(told).encode()).hexdigest()[:16]}"

    @property
    def table(self) -> str:
        """The legacy table."""
        return self._move.table

    @property
    def reads(self) -> dict[str, Any]:
        """Items as they are now: those that were written just before are among them."""
        return {"ConsistentRead": True}

    def look(self, item: Item) -> Decision:
        """What has to be written for a legacy item."""
        place, move, state = self._place, self._move, State(item)
        key = legacy_key(move, item)
        if not self._noted:
            try:
                parts = derive(place.moving, move, state, self._now)
            except Unfit as error:
                return Skipped(error.reason)
            if not parts:
                return None
            if len(parts) < MOST:
                return Writes(tuple(put_where_older(place.moving, place.table, move, item, parts)))
        # What is merged can change without the leading item, so its own digest does not say that it is done.
        digest = "" if move.joins else digest_of(move, state)
        return Writes((ledger.noting_new(place, move, key, digest),))


def backfills(place: Place) -> list[Backfill]:
    """One for each move."""
    return [Backfill(place, move) for move in place.moving.moves]
