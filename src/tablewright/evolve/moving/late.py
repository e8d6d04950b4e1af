"""Notes that were not settled before the new table began to be written alone: it may be newer by now than what they tell of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from tablewright.client.writes.action import same_key
from tablewright.evolve.moving.deriving import Part, differing
from tablewright.evolve.moving.guarding import as_seen
from tablewright.evolve.moving.ledger import Note
from tablewright.evolve.moving.sides import Place
from tablewright.expressions import ast
from tablewright.values.types import Item

Wins: TypeAlias = Literal["legacy", "new"]
LATE = "it was noted before the new table was written alone, which may have happened to the item since"


class Late(Struct, frozen=True):
    """How such notes are settled: where nothing of the new table was written since, or as somebody has decided."""

    since: str
    """When the new table began to be written alone, in the one clock format."""
    wins: Wins | None = None

    def untouched(self, place: Place, item: Item) -> bool:
        """Whether an item was surely not written since, or somebody has decided against it."""
        written = item.get(place.moving.table.names.updated, {}).get("S", "")
        return self.wins == "legacy" or bool(written and written < self.since)

    def wrote(self, place: Place, item: Item, parts: tuple[Part, ...]) -> bool:
        """Whether an item in the way of a note was made by who writes the new table alone: no move brought it, and it is of that time,
        as far as it tells; or it is the marker of a value that one of the `parts` themselves has got there."""
        names = place.moving.table.names
        if place.moving.origin in item:
            return False
        owner = item.get(names.owner)
        if owner is not None:
            return any(owner == {"M": part.key} for part in parts)
        written = item.get(names.updated, {}).get("S", self.since)
        return bool(written >= self.since)

    def guards(
        self, place: Place, parts: tuple[Part, ...], note: Note, found: Mapping[bytes, Item]
    ) -> dict[bytes, ast.Condition] | None:
        """For each key that is about to be written, that what was `found` there is there still; None where the new table may have been
        written since."""
        if self.wins == "legacy":
            return {}
        wanted = {same_key(part.key): part for part in parts}
        keys = {name: part.key for name, part in wanted.items()} | {same_key(key): key for key in note.parts}
        known = {same_key(key) for key in note.parts}
        names = place.moving.table.names
        # What a run wrote that was killed behind it is as it has to be, whenever that was; what it took away is gone.
        there = {n for n, part in wanted.items() if n in found and {*differing(part.item, found[n])} <= part.loose}
        guards: dict[bytes, ast.Condition] = {}
        for name, key in keys.items():
            item = found.get(name)
            if item is None and name not in wanted and wanted.keys() == there:
                continue
            # What a repair before this one has found there is gone because it was deleted since.
            if item is None and (name in known or note.failed == LATE):
                return None
            if item is not None and names.owner in item:  # a marker, which says whose it is
                continue
            if item is None or name in there or self.untouched(place, item):
                guards[name] = as_seen((names.updated, names.version), key, item)
            else:
                return None
        return guards
