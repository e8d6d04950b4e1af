"""`create`: a new item, never over an existing one."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import field

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write
from tablewright.client.writes.items import full_item
from tablewright.errors import AlreadyExistsError, TablewrightError
from tablewright.model.entity import Stored, with_article
from tablewright.values.types import Item


class Create(Write, eq=False):
    """Puts an item that must not be there yet, with its markers. One that comes back is again what it `was`."""

    must_exist: ClassVar[bool] = False

    values: dict[str, Any] = field(default_factory=dict)
    was: Stored = Stored()
    made: Item | None = None
    """The item as it was planned last."""

    def becomes(self, now: str) -> Stored:
        """What the new item will say of itself."""
        options, was = self.plan.options, self.was
        return Stored(
            (was.version or 1) if options.version else None,
            (was.created or now) if options.timestamps else None,
            (was.updated or now) if options.timestamps else None,
            options.schema_version,
        )

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One put, and one for each unique value."""
        item = full_item(self.plan, self.values, self.key, self.was.updated or now, self.becomes(now))
        self.made = item
        owner = Action("Put", self.key, item=item, condition=self.absent())
        return [owner, *markers.moves(self, {}, self.plan.markers(self.values))]

    def verdict(self, old: Item | None) -> TablewrightError | None:
        """Its only condition is that no item is in the way."""
        return AlreadyExistsError(
            f"There is already such {with_article(self.plan.name)}.",
            item=self.met(old) if old is not None else None,
            key=self.plan.told_by_key(self.key),
            hint="Nothing was written; use put() to replace it, or update() to change it.",
            context={"entity": self.plan.name},
        )
