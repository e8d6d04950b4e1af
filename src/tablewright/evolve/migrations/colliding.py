"""Items that a dry run would put under one key: the first gets it, and the others would be left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tablewright.client.writes.action import same_key
from tablewright.evolve.jobs.checkpoints import Checkpoints
from tablewright.evolve.jobs.work import Again, Decision, Skipped, Work, Writes
from tablewright.evolve.migrations.works.first_comers import FirstComers
from tablewright.evolve.migrations.works.guarding import kept_in
from tablewright.evolve.migrations.works.moving import TAKEN, Copy, Move
from tablewright.values.types import Item


class Colliding:
    """A part that puts items under new keys, with what it has been asked before."""

    def __init__(self, part: Work, names: frozenset[str], hides: str | None = None) -> None:
        """`hides` is the attribute of what was deleted softly."""
        self._part = part
        self._hides = hides
        self._names = names
        self._comers = FirstComers()
        self.name = part.name
        self.identity = part.identity
        self.table = part.table
        self.reads = part.reads

    @property
    def full(self) -> bool:
        """Whether there were more keys than are kept."""
        return self._comers.full

    def look(self, item: Item) -> Decision:
        """What the part would say, when those before it were written."""
        decision = self._part.look(item)
        if not isinstance(decision, Writes):
            return decision
        if self._hides in next(action["Put"]["Item"] for action in decision.actions if "Put" in action):
            return decision  # a tombstone goes for what lives
        key = same_key({name: item[name] for name in sorted(self._names)})
        return decision if self._comers.gets(same_key(self.home(decision)), key) else Skipped(TAKEN)

    def home(self, writes: Writes) -> Item:
        """Where an item goes."""
        puts: list[dict[str, Any]] = [action["Put"]["Item"] for action in writes.actions if "Put" in action]
        return {name: puts[0][name] for name in sorted(self._names)}


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
    names = frozenset(key.name for key in (table.pk, table.sk) if key is not None)
    found = Colliding(seen, names, part.plan.hides)
    return Arriving(found, lambda lease: kept_in(part.plan, part.table, lease)) if looking else found
