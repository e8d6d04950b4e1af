"""The backfill: what was in the legacy tables before both sides were written, moved by a job, item by item."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from tablewright.compiler.wirecodec import format_datetime
from tablewright.errors import ArgumentError
from tablewright.evolve.jobs.checkpoints import Checkpoints
from tablewright.evolve.jobs.in_table import InTable
from tablewright.evolve.jobs.work import Decision, Skipped, Writes
from tablewright.evolve.moving import ledger
from tablewright.evolve.moving.deriving import Part, State, Unfit, derive, digest_of, legacy_key
from tablewright.evolve.moving.expiring import is_over
from tablewright.evolve.moving.gathering import joined_keys
from tablewright.evolve.moving.guarding import check_state, fits, put_part, put_where_older, together
from tablewright.evolve.moving.mapping import Constant, Default, Move, Moving, Source
from tablewright.evolve.moving.settling import TAKEN
from tablewright.evolve.moving.sides import Place
from tablewright.model.indexes import KeyAttribute
from tablewright.values.types import Item


class Backfill:
    """Reads one legacy table, and writes what is absent or older in the new one, only if the legacy item has not changed since.

    What one transaction cannot do (items of several tables merged, more than a hundred parts, sides that no transaction spans) is
    noted in the ledger instead, and written by `repair`."""

    def __init__(self, place: Place, move: Move) -> None:
        self._place = place
        self._move = move
        self._now = place.now()
        self._noted = move.noted or not place.together

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
            sorted((name, _told(source)) for name, source in move.fields.items()),
        )
        return f"moving {sha256(repr(told).encode()).hexdigest()[:16]}"

    @property
    def later(self) -> str | None:
        """That a repair writes, where all is noted."""
        if not self._noted:
            return None
        return f"repair writes them{', which is not priced' if self._move.frozen else ''}"

    @property
    def table(self) -> str:
        """The legacy table."""
        return self._move.table

    @property
    def reads(self) -> dict[str, Any]:
        """Items as they are now: those that were written just before are among them."""
        return {"ConsistentRead": True}

    @property
    def writes_to(self) -> tuple[str, ...]:
        """The new table, and the ledger where its form is only noted; it cannot be asked for the new table on the other side."""
        place = self._place
        return (*((place.moving.ledger,) if self._noted else ()), *((place.table,) if place.together else ()))

    def checkpoints(self, lease: float) -> Checkpoints:
        """In the ledger: legacy tables hold nothing but what is the application's."""
        return InTable(self._place.moving.ledger, (KeyAttribute(ledger.ID),), lease=lease)

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """What a legacy item has become, or its note with all that is merged into it."""
        place, move = self._place, self._move
        try:
            if not self._noted:
                parts = derive(place.moving, move, State(item), self._now)
                if fits(put_where_older(place.moving, place.table, move, item, parts)):
                    return [(place.table, part.key) for part in parts]
            note = (place.moving.ledger, ledger.note_id(place, move, legacy_key(move, item)))
            return [note, *((move.joins[name].table, key) for name, key in joined_keys(place, move, item).items())]
        except Unfit:
            return ()

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """What is still to be written for a legacy item: nothing, where the new table has been told of this state."""
        place, move = self._place, self._move
        try:
            joined = dict(zip(joined_keys(place, move, item), found[1:], strict=True)) if move.joins else {}
            state = State(item, joined)
            # What is frozen is known to whoever settles the note.
            parts = () if move.frozen else derive(place.moving, move, state, self._now)
        except Unfit as error:
            return Skipped(error.reason)
        if self._noted or not fits(put_where_older(place.moving, place.table, move, item, parts)):
            key, digest = legacy_key(move, item), digest_of(move, state)
            there = found[0]
            if there is not None and ("pending" in there or there.get("digest") == {"S": digest}):
                return None
            later = () if move.frozen else self._settling(item, state, parts)
            return Writes((ledger.noting_new(place, move, key, digest),), later=later)
        missing: list[Part] = []
        for part, there in zip(parts, found, strict=True):
            if there is None and is_over(part.expires, self._now):
                continue  # time to live would take it again
            origin, mine = (one.get(place.moving.origin, {}).get("M", {}) for one in (there or {}, part.item))
            if there is None or (origin != mine and _same_source(origin, mine)):
                missing.append(part)
            elif origin != mine:
                return Skipped(TAKEN)
        return Writes(tuple(put_where_older(place.moving, place.table, move, item, missing))) if missing else None

    def _settling(self, item: Item, state: State, parts: Iterable[Part]) -> tuple[Writes, ...]:
        """What a repair writes for a note: the keys on the note, the parts, and that it is settled."""
        place, move = self._place, self._move
        key = legacy_key(move, item)
        note = ledger.noting(place, move, key, [part.key for part in parts])
        guards = check_state(move, key, state, joined_keys(place, move, item)) if place.together else [note]
        puts = [put_part(place.moving, place.table, part) for part in parts]
        return (*(Writes((*guards, *some)) for some in together(guards, puts)), Writes((note,)), Writes((note,)))

    def remarks(self, item: Item) -> Sequence[str]:
        """Attributes that no move reads or drops: they stay behind."""
        return self._place.moving.unmapped(self._move.table, item)

    def look(self, item: Item) -> Decision:
        """What has to be written for a legacy item, for whoever cannot look at the new table."""
        place, move, state = self._place, self._move, State(item)
        key = legacy_key(move, item)
        if not self._noted:
            try:
                parts = derive(place.moving, move, state, self._now)
            except Unfit as error:
                return Skipped(error.reason)
            if not parts:
                return None
            actions = put_where_older(place.moving, place.table, move, item, parts)
            if fits(actions):
                return Writes(tuple(actions))
        # What is merged can change without the leading item, so its own digest does not say that it is done.
        digest = "" if move.joins else digest_of(move, state)
        return Writes((ledger.noting_new(place, move, key, digest),))


def backfills(place: Place) -> list[Backfill]:
    """One for each move."""
    return [Backfill(place, move) for move in place.moving.moves]


def backfill_of(
    moving: str, move: str, table: str, together: bool, schemas: Mapping[str, tuple[KeyAttribute, ...]] | None = None
) -> Backfill:
    """The backfill of one move for another process, which can import the moving: "package.module:name". `schemas` are those of
    merged tables."""
    module, _, name = moving.partition(":")
    found = getattr(importlib.import_module(module), name)
    if not isinstance(found, Moving) or move not in found.by_name:
        raise ArgumentError(
            f"{moving} is no Moving with a move called {move!r}.", hint="Every worker needs the same file."
        )
    place = Place(found, table, together, lambda: format_datetime(datetime.now(UTC)), lambda: "", schemas=schemas or {})
    return Backfill(place, found.by_name[move])


def _same_source(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one.get(name) == other[name] for name in ("move", "key"))


def _told(source: Source) -> str:
    """A source as a text that is another one where it is, as far as that can be seen."""
    if isinstance(source, str):
        return source
    return repr(source) if isinstance(source, Constant | Default) else "a function"
