"""Soft delete: an item becomes a tombstone, comes back from it, or goes for good.

All that the item held moves into one map of the tombstone, so it leaves every index, those of its own fields included, and
whatever is stored under its key next starts from nothing.
"""

from __future__ import annotations

from typing import ClassVar

from tablewright.client.writes import markers
from tablewright.client.writes.action import Action
from tablewright.client.writes.base import Write
from tablewright.client.writes.delete import Delete
from tablewright.client.writes.items import describing, with_stamps
from tablewright.compiler.conditions import conjunction
from tablewright.compiler.fields import UPDATED
from tablewright.compiler.noted import COPIED_TO, COPY_OF, PART_OF
from tablewright.compiler.tombstones import unreadable_tombstone
from tablewright.compiler.wirecodec import parse_datetime
from tablewright.errors import AlreadyExistsError, NotFoundError, TablewrightError
from tablewright.model.entity import Stored
from tablewright.values.sizes import MAX_ITEM_SIZE, item_size
from tablewright.values.types import Item


class Bury(Write, eq=False):
    """Puts a tombstone in the place of an item. One that is gone already is no error, as for any delete."""

    must_exist: ClassVar[bool] = False

    @property
    def called(self) -> str:
        return "delete"

    @property
    def needs_current(self) -> bool:
        """The tombstone keeps what the item held."""
        return True

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One put, and the unique values given up."""
        plan = self.plan
        if current is None:
            return [Action("ConditionCheck", self.key, condition=conjunction(self.own_conditions(self.absent())))]
        guard = [self.exists(), *self.in_version(), *self.exactly(current)]  # what is kept must be all that there was
        bury = Action(
            "Put", self.key, item=self._tombstone(current, now), condition=conjunction(self.own_conditions(*guard))
        )
        return [bury, *markers.moves(self, markers.stored_markers(plan, current), {})]

    def _tombstone(self, current: Item, now: str) -> Item:
        plan, names = self.plan, self.plan.names
        soft, expires = plan.options.soft_delete, plan.table.ttl_attribute
        assert soft is not None
        assert expires is not None
        seconds = int(parse_datetime(now).timestamp() + soft.keep.total_seconds())
        item: Item = {
            **self.key,
            names.type: {"S": plan.options.type},
            names.updated: {"S": now},
            names.deleted: {"S": now},
            expires: {"N": str(seconds)},
        }
        if plan.feed is not None:
            values = plan.values_in(current, plan.feed.sources)
            if UPDATED in values and UPDATED not in plan.fields:
                values[UPDATED] = parse_datetime(now)
            item.update(plan.feed.compute(values) or {})
        made = {name for b in plan.kept for name in b.written} | {names.type} | self.key.keys()
        # What comes back is new to a migration that is under way, and must not be taken for what it noted something about.
        made |= {COPY_OF, COPIED_TO, PART_OF}
        item |= {n: current[n] for n in (COPY_OF, COPIED_TO) if n in current}
        remains: Item = {n: v for n, v in current.items() if n not in made}
        whole: Item = {**item, names.remains: {"M": remains}}
        return whole if item_size(whole) <= MAX_ITEM_SIZE else item  # a delete must not fail for want of room


class Unbury(Write, eq=False):
    """Brings an item back from its tombstone, one version on, and takes its unique values again."""

    made: Item | None = None
    """The item as it was planned last."""

    @property
    def called(self) -> str:
        return "undelete"

    @property
    def needs_current(self) -> bool:
        """What comes back is what the tombstone keeps."""
        return True

    def seen(self, item: Item | None) -> Item | None:
        """A tombstone is what this is about."""
        return item

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One put over the tombstone, and the markers."""
        plan, names, options = self.plan, self.plan.names, self.plan.options
        if current is None:
            raise self.missing()
        if names.remains not in current:
            raise NotFoundError(
                f"This {plan.name} was too large for its tombstone to keep, and cannot be brought back.",
                key=plan.told_by_key(self.key),
                hint="Nothing was written; create() makes a new one.",
                context={"entity": plan.name},
            )
        try:
            kept: Item = plan.current({**current[names.remains]["M"], **self.key})
            created = kept.get(names.created, {}).get("S", now)
            version = int(kept.get(names.version, {}).get("N", "0")) + 1
            values = with_stamps(plan, plan.values_in(kept, plan.fields), created, now)
        except (LookupError, ValueError):
            raise unreadable_tombstone(plan.name) from None
        attributes, _ = plan.index_attributes(values)
        stamps = describing(plan, now, Stored(version if options.version else None, created))
        schema = {n: v for n, v in kept.items() if n == names.schema}
        self.made = {**kept, **stamps, **schema, **attributes}
        guard = self.as_before(current, names.deleted, names.remains)
        back = Action("Put", self.key, item=self.made, condition=conjunction(self.own_conditions(*guard)))
        return [back, *markers.moves(self, {}, markers.stored_markers(plan, self.made))]

    def verdict(self, old: Item | None) -> TablewrightError | None:
        """There must be a tombstone."""
        if old is None:
            return self.missing()
        if self.plan.alive(old) is None:
            return None
        return AlreadyExistsError(
            f"This {self.plan.name} is not deleted.",
            item=self.met(old),
            key=self.plan.told_by_key(self.key),
            hint="Nothing was written.",
            context={"entity": self.plan.name},
        )

    def missing(self) -> TablewrightError:
        """The error where nothing is kept."""
        return NotFoundError(
            f"There is no deleted {self.plan.name} to bring back.",
            key=self.plan.told_by_key(self.key),
            hint="It never was, or the time that its tombstone was kept is over.",
            context={"entity": self.plan.name},
        )


class Purge(Delete, eq=False):
    """Deletes an item or its tombstone for good."""

    def seen(self, item: Item | None) -> Item | None:
        """A tombstone goes too."""
        return item

    def actions(self, current: Item | None, now: str) -> list[Action]:
        """One delete; a tombstone has given its unique values up already."""
        if current is None or self.plan.alive(current) is not None:
            return Delete.actions(self, current, now)
        guard = self.as_before(current, self.plan.names.deleted)
        return [Action("Delete", self.key, condition=conjunction(guard))]
