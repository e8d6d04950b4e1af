"""Notes that were not settled before the phase "new" began: the new table may have been written since, and is newer then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

from tablewright.client.writes.action import same_key
from tablewright.evolve.moving.deriving import Part
from tablewright.evolve.moving.sides import Place
from tablewright.expressions import ast
from tablewright.values.types import Item

Wins: TypeAlias = Literal["legacy", "new"]
LATE = "it was noted before the phase 'new', and the new table may have been written since"


class Late(Struct, frozen=True):
    """How such notes are settled: where nothing of the new table was written since, or as somebody has decided."""

    since: str
    """When the new table began to be written alone, in the one clock format."""
    wins: Wins | None = None

    def guards(
        self, place: Place, parts: tuple[Part, ...], before: tuple[Item, ...], found: Mapping[bytes, Item]
    ) -> dict[bytes, ast.Condition] | None:
        """For each key that is about to be written, that what was `found` there is there still; None where the new table may have been
        written since. `before` are the keys that earlier states had."""
        if self.wins == "legacy":
            return {}
        keys = {same_key(part.key): part.key for part in parts} | {same_key(key): key for key in before}
        known = {same_key(key) for key in before}
        names = place.moving.table.names
        guards: dict[bytes, ast.Condition] = {}
        for name, key in keys.items():
            item = found.get(name)
            if item is None:
                if name in known:
                    return None
                guards[name] = ast.AttributeNotExists((next(iter(key)),))
            elif names.owner in item:  # a marker, which says whose it is
                continue
            else:
                written = item.get(names.updated, {}).get("S", "")
                if not written or written >= self.since:
                    return None
                guards[name] = ast.Compare("=", ast.Attribute((names.updated,)), ast.Value({"S": written}))
        return guards
