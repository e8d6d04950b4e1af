"""Items that a dry run would put under one key: the first gets it, and the others would be left."""

from __future__ import annotations

import hashlib
import threading
from typing import Any

from tablewright.client.writes.action import same_key
from tablewright.evolve.jobs.work import Decision, Skipped, Work, Writes
from tablewright.evolve.migrations.works.moving import TAKEN, Copy, Move
from tablewright.values.types import Item

COMPARED = 250_000
"""Keys that are kept to be compared, some 40 MB."""


class Colliding:
    """A part that puts items under new keys, with what it has been asked before."""

    def __init__(self, part: Work, names: frozenset[str], most: int, hides: str | None = None) -> None:
        """`hides` is the attribute of what was deleted softly."""
        self._part = part
        self._hides = hides
        self._names = names
        self._most = most
        self._taken: dict[bytes, bytes] = {}
        self._asking = threading.Lock()
        self.full = False
        """Whether there were more keys than are kept."""
        self.name = part.name
        self.identity = part.identity
        self.table = part.table
        self.reads = part.reads

    def look(self, item: Item) -> Decision:
        """What the part would say, when those before it were written."""
        decision = self._part.look(item)
        if not isinstance(decision, Writes):
            return decision
        puts: list[dict[str, Any]] = [action["Put"]["Item"] for action in decision.actions if "Put" in action]
        if self._hides in puts[0]:
            return decision  # a tombstone goes for what lives
        home, source = self._short(puts[0]), self._short(item)
        with self._asking:
            if home in self._taken:
                return decision if self._taken[home] == source else Skipped(TAKEN)
            if len(self._taken) < self._most:
                self._taken[home] = source
            else:
                self.full = True
        return decision

    def _short(self, item: Item) -> bytes:
        key = same_key({name: item[name] for name in sorted(self._names)})
        return hashlib.blake2b(key, digest_size=12).digest()


def colliding(part: Work, seen: Work) -> Colliding | None:
    """A part as a dry run counts it, where it puts items under other keys; `seen` is the part as it would find items."""
    if not isinstance(part, Copy | Move):
        return None
    table = part.plan.table
    names = frozenset(key.name for key in (table.pk, table.sk) if key is not None)
    return Colliding(seen, names, COMPARED, part.plan.hides)
