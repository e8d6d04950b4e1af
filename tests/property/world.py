"""What the table must hold: every write that was acknowledged, in the order in which it took effect."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from tablewright import Entity
from tests.client.lab import Account, Sheet
from tests.property.naive import DEFAULTS, IDS, UNIQUE, Fields

Slot = tuple[type[Entity], tuple[str, ...]]
"""An entity and the values of its key fields."""

VERSIONED = {Account}
TIMED = {Sheet}
LIMITS = {"sum": (0, 99_999), "rank": (0, 9999), "logins": (0, 999_999), "votes": (0, 10**9)}
MOST_NOTES = 20


@dataclass
class Row:
    """One item as it should be."""

    fields: Fields
    version: int | str | None
    """What a lock compares: a version, or the time of the last write."""
    created: str | None = None
    """When it was created; None until the first look at the stored item, which tells."""
    bare: bool = False
    """Whether other code stored it without its fields: readers see defaults, conditions see that nothing is there."""


@dataclass
class World:
    """All items as they should be."""

    rows: dict[Slot, Row] = field(default_factory=dict)
    buried: dict[Slot, Row] = field(default_factory=dict)
    """Items that left tombstones, as they were."""

    def copy(self) -> World:
        return copy.deepcopy(self)

    def clash(self) -> bool:
        """Whether two items hold the same unique value."""
        seen: set[Any] = set()
        for (entity, _), row in self.rows.items():
            for names in UNIQUE.get(entity, []):
                values = tuple(row.fields[n] for n in names)
                if None in values:
                    continue
                if (entity, names, values) in seen:
                    return True
                seen.add((entity, names, values))
        return False


def complete(slot: Slot, given: Fields) -> Fields:
    """All fields of an entity: ids, what was given, and defaults."""
    entity, ids = slot
    return {**dict(zip(IDS[entity], ids, strict=True)), **copy.deepcopy(DEFAULTS[entity]), **given}
