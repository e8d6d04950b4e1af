"""`upsert`: a new item where there is none, changes where there is one; whichever it is shows when it is written."""

from __future__ import annotations

from typing import ClassVar

from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write
from tablewright.client.writes.create import Create
from tablewright.client.writes.update import Update
from tablewright.errors import NotFoundError, TablewrightError
from tablewright.values.types import Item


class Upsert(Write, eq=False, kw_only=True):
    """A create and an update of one item. The update is tried first; what a failure brings along decides what is next."""

    must_exist: ClassVar[bool] = False

    creating: Create
    changing: Update
    look: bool = False
    """Whether to read first instead of trying, as in a transaction, where a try costs all others theirs."""
    there: bool = True
    other: Upsert | None = None
    """The upsert of the mirrored item, which is there or not as this one is."""
    doubted: bool = False
    made: Item | None = None
    """The new item, where one was made."""

    def __post_init__(self) -> None:
        self.creating.foreign = self.changing.foreign = self.foreign

    @property
    def needs_current(self) -> bool:
        """As for the update."""
        return self.look or self.changing.needs_current

    @property
    def guarded(self) -> bool:
        """Whether there is an item is a guess."""
        return True

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """Those of the one or the other."""
        self._agree()
        if self.there:
            self.made = None
            return self.changing.actions(current, now)
        actions = self.creating.actions(None, now)
        self.made = actions[0].item
        return actions

    def verdict(self, old: Item | None) -> TablewrightError | None:
        """Nothing is in the way but what the update cannot do."""
        self.there = old is not None
        return self.changing.verdict(old) if old is not None else None

    def _agree(self) -> None:
        """Two items that were read one after the other may differ because somebody wrote between; a transaction sees both
        at once. So one is tried that creates both, and if that finds one of the two again, the other is missing."""
        if self.other is None or self.there == self.other.there:
            return
        if self.doubted:
            lost = self.other if self.there else self
            raise NotFoundError(
                f"Only one half of this link is stored: there is no such {lost.plan.name}.",
                key=lost.plan.told_by_key(lost.key),
                hint="Nothing was written; put() the link, which writes both.",
                context={"entity": lost.plan.name},
            )
        self.there = self.other.there = False
        self.doubted = self.other.doubted = True
