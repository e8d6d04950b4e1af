"""What a part would find when those before it were carried out: their writes, applied to each item in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from tablewright.evolve.jobs.checkpoints import Checkpoints
from tablewright.evolve.jobs.estimating import updated
from tablewright.evolve.jobs.work import Decision, Work, WorkBeside, Writes
from tablewright.evolve.migrations.works.claiming import Claim, Claiming, Release
from tablewright.evolve.migrations.works.first_comers import FirstComers
from tablewright.evolve.migrations.works.gathering import GatherParts
from tablewright.evolve.migrations.works.guarding import ItemWork
from tablewright.evolve.upgrading import Upgrade
from tablewright.values.types import Item


class Foresight:
    """The parts that a dry run has counted, as far as what they write is known to those after them."""

    def __init__(self) -> None:
        self._works: list[Work] = []
        self._beside: list[Work] = []
        self._given_up = FirstComers()

    def add(self, part: Work) -> None:
        """A part that has something to write. Markers are no part of the items that others look at."""
        if isinstance(part, Claiming):
            return
        (self._beside if isinstance(part, WorkBeside) else self._works).append(part)

    def provisional(self, part: Work) -> bool:
        """Whether what a part finds depends on one before it whose writes are not known from the item alone."""
        return any(_entity(one) == _entity(part) for one in self._beside)

    def of(self, part: Work) -> Work:
        """The part, as it would find the items."""
        if isinstance(part, GatherParts):
            part = replace(part, dry=True)
        if isinstance(part, Claim):
            part = replace(part, foreseen=FirstComers(), given_up=self._given_up)
        if isinstance(part, Release):
            part = replace(part, given_up=self._given_up)
        if not self._works:
            return part
        return (
            ForeseenBeside(part, tuple(self._works))
            if isinstance(part, WorkBeside)
            else Foreseen(part, tuple(self._works))
        )


class Foreseen:
    """A part that looks at what those before it make of an item."""

    def __init__(self, part: Work, before: tuple[Work, ...]) -> None:
        self._part = part
        self._before = before
        self.name = part.name
        self.identity = part.identity
        self.table = part.table
        self.reads = part.reads

    def look(self, item: Item) -> Decision:
        """What the part would say."""
        after = self.after(item)
        return None if after is None else self._part.look(after)

    def after(self, item: Item | None) -> Item | None:
        """What became of an item; None where it is gone."""
        for work in self._before:
            decision = None if item is None else work.look(item)
            if item is not None and isinstance(decision, Writes):
                item = _written(item, decision)
        return item


class ForeseenBeside(Foreseen):
    """The same for a part that looks at other items too."""

    def __init__(self, part: WorkBeside, before: tuple[Work, ...]) -> None:
        super().__init__(part, before)
        self._beside = part
        self.writes_to = part.writes_to

    def beside(self, item: Item) -> Sequence[tuple[str, Item]]:
        """What the part would want to know."""
        after = self.after(item)
        return () if after is None else self._beside.beside(after)

    def compare(self, item: Item, found: Sequence[Item | None]) -> Decision:
        """What the part would say."""
        after = self.after(item)
        return None if after is None else self._beside.compare(after, [self.after(one) for one in found])

    def checkpoints(self, lease: float) -> Checkpoints:
        """Those of the part; a dry run has none."""
        return self._beside.checkpoints(lease)


def _written(item: Item, writes: Writes) -> Item | None:
    """The item after what was written for it; one that is deleted goes on as what was put in the same transaction."""
    after: Item | None = item
    put: Item | None = None
    for action in writes.actions:
        ((kind, members),) = action.items()
        if kind == "Put":
            put = put or members["Item"]
        elif after is not None and _is_of(item, members):
            after = updated(after, members) if kind == "Update" else None if kind == "Delete" else after
    return put if after is None else after


def _is_of(item: Item, members: dict[str, Any]) -> bool:
    return all(item.get(name) == value for name, value in members["Key"].items())


def _entity(part: Work) -> str | None:
    return part.plan.name if isinstance(part, ItemWork | Upgrade) else None
