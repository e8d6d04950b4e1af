"""Items that a dry run would put under one key: the first gets it, and the others would be left."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from typing import Any

from tablewright.client.writes.action import same_key
from tablewright.evolve.jobs.checkpoints import Checkpoints
from tablewright.evolve.jobs.in_table import InTable
from tablewright.evolve.jobs.work import Again, Decision, Skipped, Work, Writes
from tablewright.evolve.migrations.works.moving import TAKEN, Copy, Move
from tablewright.values.types import Item

COMPARED = 250_000
"""Keys that are kept to be compared, some 40 MB."""


class Colliding:
    """A part that puts items under new keys, with what it has been asked before."""

    def __init__(self, part: Work, names: frozenset[str], most: int) -> None:
        self._part = part
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
        home, source = self._short(self.home(decision)), self._short(item)
        with self._asking:
            if home in self._taken:
                return decision if self._taken[home] == source else Skipped(TAKEN)
            if len(self._taken) < self._most:
                self._taken[home] = source
            else:
                self.full = True
        return decision

    def home(self, writes: Writes) -> Item:
        """Where an item goes."""
        puts: list[dict[str, Any]] = [action["Put"]["Item"] for action in writes.actions if "Put" in action]
        return {name: puts[0][name] for name in sorted(self._names)}

    def _short(self, item: Item) -> bytes:
        key = same_key({name: item[name] for name in sorted(self._names)})
        return hashlib.blake2b(key, digest_size=12).digest()


class Arriving:
    """The same, with a look at what lies where items should go: for a dry run after a run, which has left few of them."""

    def __init__(self, part: Colliding, checkpoints: Callable[[float], Checkpoints]) -> None:
        self._part = part
        self.name = part.name
        self.identity = part.identity
        self.table = part.table
        self.reads = part.reads
        self.writes_to = (part.table,)
        self.checkpoints = checkpoints

    @property
    def full(self) -> bool:
        """Whether there were more keys than are kept."""
        return self._part.full

    def look(self, item: Item) -> Decision:
        """What the part would say."""
        return self._part.look(item)

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """What lies where it should go."""
        decision = self._part.look(item)
        return [(self.table, self._part.home(decision))] if isinstance(decision, Writes) else ()

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """What the part would say when it met that."""
        decision = self._part.look(item)
        there = found[0] if found else None
        if not isinstance(decision, Writes) or decision.met is None or there is None:
            return decision
        put = next(action for action in decision.actions if "Put" in action)
        meaning = decision.met(put, there)
        return decision if isinstance(meaning, Again) else meaning


def colliding(part: Work, seen: Work, *, looking: bool = False) -> Colliding | Arriving | None:
    """A part as a dry run counts it, where it puts items under other keys; `seen` is the part as it would find items. `looking`: at
    what lies there."""
    if not isinstance(part, Copy | Move):
        return None
    table = part.plan.table
    keys = tuple(key for key in (table.pk, table.sk) if key is not None)
    found = Colliding(seen, frozenset(key.name for key in keys), COMPARED)
    return Arriving(found, lambda lease: InTable(part.table, keys, lease=lease)) if looking else found
