"""Deeds on several items at once: transactions, batches, and collections that are deleted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tablewright.errors import NotFoundError, UniqueViolationError
from tests.client.lab import Survey, Ticket, drafts_by, drafts_of, tickets_in, tickets_of
from tests.property.deeds import Deed, Delete, Expected, PutFresh, User, live, named
from tests.property.naive import Fields, keys_in, slot_of
from tests.property.world import Row, Slot, World, complete


@dataclass
class Together(Deed):
    """Several deeds on different items, in one transaction."""

    deeds: list[Deed] = field(default_factory=list)

    def run(self, user: User) -> None:
        def fill(transaction: Any) -> None:
            for deed in self.deeds:
                deed.add_to(transaction)

        user.transaction(fill)

    def errors(self, world: World) -> list[type[Exception]]:
        found = [e for e in (d.own_error(world) for d in self.deeds) if e is not None]
        if found:
            # Two claims of one value are seen before anything is sent, whatever else is wrong.
            return [*found, UniqueViolationError]
        after = world.copy()
        self.change(after)
        return [UniqueViolationError] if after.clash() else []

    def error(self, world: World) -> Expected:
        return next(iter(self.errors(world)), None)

    @property
    def parts(self) -> Sequence[Deed]:
        return self.deeds

    def change(self, world: World) -> None:
        for deed in self.deeds:
            deed.change(world)


@dataclass
class Batch(Deed):
    """Puts (fields) and deletes (None), without conditions; the last one on an item counts."""

    writes: list[tuple[Slot, Fields | None]] = field(default_factory=list)
    others: list[Deed] = field(default_factory=list)
    """What somebody else does meanwhile."""
    made: set[Slot] = field(default_factory=set)

    def fill(self, batch: Any) -> None:
        for slot, values in self.writes:
            if values is None:
                batch.delete(named(slot))
            else:
                batch.put(slot[0](**live(complete(slot, values))))

    def run(self, user: User) -> None:
        user.batch(self.fill)

    @property
    def parts(self) -> Sequence[Deed]:
        return []

    def error(self, world: World) -> Expected:
        return None

    def change(self, world: World) -> None:
        for slot, _ in self.writes:
            self.change_member(world, slot)

    def change_member(self, world: World, slot: Slot) -> None:
        """One of its writes was made."""
        self.made.add(slot)
        values = dict(self.writes)[slot]
        if values is None:
            world.rows.pop(slot, None)
        else:
            world.rows[slot] = Row(complete(slot, values), None)

    @property
    def needs_no_write(self) -> bool:
        return True  # see below

    def check_result(self, world: World) -> None:
        touched = {d.slot for d in self.others}
        for slot, values in dict(self.writes).items():
            gone = values is None and (slot not in world.rows or slot in touched)
            assert slot in self.made or gone, "a batch left something undone"


@dataclass
class GuardedBatch(Batch):
    """The same for entities that need conditions, which are written one by one after all others: each for itself."""

    at: Deed | None = None
    """What it is about to write."""

    def run(self, user: User) -> None:
        user.batch(self.fill, transactional=True)

    def asks(self, operation: str, request: dict[str, Any]) -> None:
        if operation == "BatchWriteItem":
            plain = [slot_of(k) for k in keys_in(request)]
            self.at = Batch(self.slot, [(s, v) for s, v in self.writes if s in plain])
            return
        last = dict(self.writes)
        for slot in filter(None, map(slot_of, keys_in(request))):
            values = last[slot]
            self.at = Delete(slot) if values is None else PutFresh(slot, values)

    @property
    def parts(self) -> Sequence[Deed]:
        return [] if self.at is None else self.at.parts

    def error(self, world: World) -> Expected:
        return None if self.at is None else self.at.error(world)

    def change(self, world: World) -> None:
        assert self.at is not None
        self.at.change(world)
        self.made |= self.at.made if isinstance(self.at, Batch) else {self.at.slot}


@dataclass
class DeleteCollection(Deed):
    """Everything that a query finds, or that lies in a partition."""

    of: str = "item"
    """item, partition, tickets, drafts, status or author"""
    word: Any = None
    """The status or author."""
    others: list[Deed] = field(default_factory=list)
    """What somebody else does meanwhile."""
    at: list[Slot] = field(default_factory=list)
    deleted: set[Slot] = field(default_factory=set)
    told: int | None = None

    def run(self, user: User) -> None:
        tenant = self.slot[1][0]
        what: Any = named(self.slot)
        if self.of in ("tickets", "drafts"):
            what = tickets_of(tenant) if self.of == "tickets" else drafts_of(tenant)
        elif self.of in ("status", "author"):
            what = tickets_in(self.word) if self.of == "status" else drafts_by(self.word)
        found = user.delete_collection(what, "partition" if self.of == "partition" else "below")
        assert found.done
        self.told = found.items

    def asks(self, operation: str, request: dict[str, Any]) -> None:
        self.at = [s for s in map(slot_of, keys_in(request)) if s is not None]

    def asked_for(self, slot: Slot, fields: Fields) -> bool:
        """Whether an item is one of those."""
        entity, ids = slot
        match self.of:
            case "item":
                return slot == self.slot
            case "partition":
                return entity in (Ticket, Survey) and ids[0] == self.slot[1][0]
            case "tickets" | "drafts":
                return entity is self.entity and ids[0] == self.slot[1][0]
        return entity is self.entity and fields[self.of] == self.word

    def error(self, world: World) -> Expected:
        strangers = (s for s in self.at if s in world.rows and not self.asked_for(s, world.rows[s].fields))
        return NotFoundError if next(strangers, None) else None

    def change(self, world: World) -> None:
        for slot in self.at:
            self.change_member(world, slot)

    def change_member(self, world: World, slot: Slot) -> None:
        """One of them was deleted."""
        if slot in world.rows:
            self.deleted.add(slot)
        Delete(slot).change(world)

    @property
    def parts(self) -> Sequence[Deed]:
        return []

    @property
    def needs_no_write(self) -> bool:
        return True

    def check_result(self, world: World) -> None:
        touched = {d.slot for d in self.others}
        left = [s for s, row in world.rows.items() if self.asked_for(s, row.fields) and s not in touched]
        assert left == [], "delete_collection() left something"
        assert self.others or self.told == len(self.deleted), "delete_collection() counts something else"
