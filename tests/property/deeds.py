"""Deeds: one call on a session each, with the error it must get in a given world, or what it must change there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from tablewright import Entity, key, stored
from tablewright.errors import (
    AlreadyExistsError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ConditionalCheckFailed,
    NotFoundError,
    UniqueViolationError,
)
from tests.client.lab import (
    Account,
    Draft,
    Ticket,
    account,
    account_by_email,
    close,
    ticket,
    vote,
)
from tests.property.naive import DEFAULTS, IDS, Fields, escape
from tests.property.world import LIMITS, MOST_NOTES, TIMED, VERSIONED, Row, Slot, World, complete

Expected = type[Exception] | None


class User(Protocol):
    """A session, sync or async, used the same way."""

    def get(self, target: Any) -> Any: ...
    def create(self, entity: Any) -> Any: ...
    def put(self, entity: Any) -> Any: ...
    def update(self, target: Any, **changes: Any) -> Any: ...
    def upsert(self, entity: Any, **changes: Any) -> Any: ...
    def increment(self, target: Any, field: Any, by: int) -> Any: ...
    def undelete(self, target: Any) -> Any: ...
    def purge(self, target: Any) -> None: ...
    def apply(self, change: Any, target: Any, *arguments: Any) -> Any: ...
    def edit(self, target: Any, edit: Callable[[Any], None]) -> None: ...
    def revise(self, target: Any, edit: Callable[[Any], None]) -> None: ...
    def delete(self, target: Any) -> Any: ...
    def send(self, operation: str, request: dict[str, Any]) -> None: ...
    def transaction(self, fill: Callable[[Any], None]) -> None: ...
    def batch(self, fill: Callable[[Any], None], *, transactional: bool = False) -> None: ...
    def delete_collection(self, what: Any, reach: Any) -> Any: ...


def live(fields: Fields) -> Fields:
    """Field values as Python objects: times as datetimes, collections of their own."""
    values = dict(fields)
    if values.get("due_at"):
        values["due_at"] = datetime.fromisoformat(values["due_at"])
    return {n: set(v) if isinstance(v, set) else list(v) if isinstance(v, list) else v for n, v in values.items()}


def plain_fields(entity: Any) -> Fields:
    """The fields of an entity as the world keeps them."""
    names = [n for n in type(entity).model_fields if n != "answer"]
    values = {n: getattr(entity, n) for n in names}
    if values.get("due_at"):
        values["due_at"] = values["due_at"].isoformat(timespec="microseconds").replace("+00:00", "Z")
    return {n: set(v) if isinstance(v, set) else list(v) if isinstance(v, list) else v for n, v in values.items()}


def lock_in(entity: Any) -> int | str | None:
    """What an entity that was read is locked by."""
    known = stored(entity)
    assert known is not None
    return known.updated if type(entity) in TIMED else known.version


def named(slot: Slot) -> Any:
    entity, ids = slot
    return key(entity, **dict(zip(IDS[entity], ids, strict=True)))


@dataclass
class Deed:
    """One call. `run` makes it; `error` and `change` say what it must do to a world."""

    slot: Slot

    @property
    def entity(self) -> type[Entity]:
        return self.slot[0]

    def run(self, user: User) -> None:
        raise NotImplementedError

    def add_to(self, transaction: Any) -> None:
        raise NotImplementedError

    def own_error(self, world: World) -> Expected:
        """The error by this item alone."""
        return None

    def change(self, world: World) -> None:
        raise NotImplementedError

    def error(self, world: World) -> Expected:
        own = self.own_error(world)
        if own is not None:
            return own
        after = world.copy()
        self.change(after)
        return UniqueViolationError if after.clash() else None

    def check_result(self, world: World) -> None:
        """What the call returned must be right."""

    def asks(self, operation: str, request: dict[str, Any]) -> None:
        """A request that the call is about to send."""

    def saw(self, operation: str, response: dict[str, Any]) -> None:
        """A response that the call got on its way."""

    @property
    def parts(self) -> Sequence[Deed]:
        """What its last request did, item by item."""
        return [self]

    @property
    def needs_no_write(self) -> bool:
        """Whether the call may succeed without any."""
        return False

    def replace(self, world: World, fields: Fields, created: str | None = None) -> None:
        """The row is these fields now, one version on."""
        old = world.rows.get(self.slot, Row({}, None))
        assert not isinstance(old.version, str) or self.entity in TIMED
        version = int(old.version or 0) + 1 if self.entity in VERSIONED else old.version
        world.rows[self.slot] = Row(fields, version, created or old.created)
        world.buried.pop(self.slot, None)


@dataclass
class Create(Deed):
    values: Fields

    def made(self) -> Any:
        return self.entity(**live(complete(self.slot, self.values)))

    def run(self, user: User) -> None:
        made = user.create(self.made())
        known = stored(made)
        assert known is not None
        assert known.version == (1 if self.entity in VERSIONED else None)

    def add_to(self, transaction: Any) -> None:
        transaction.create(self.made())

    def own_error(self, world: World) -> Expected:
        return AlreadyExistsError if self.slot in world.rows else None

    def change(self, world: World) -> None:
        self.replace(world, complete(self.slot, self.values))


@dataclass
class PutFresh(Create):
    told: int | str | None = None
    became: int | str | None = None

    def run(self, user: User) -> None:
        known = stored(user.put(self.made()))
        assert known is not None
        self.told = known.version

    def change(self, world: World) -> None:
        Create.change(self, world)
        self.became = world.rows[self.slot].version if self.entity in VERSIONED else None

    def check_result(self, world: World) -> None:
        assert self.told == self.became, "put() tells another version than it stored"

    def add_to(self, transaction: Any) -> None:
        transaction.put(self.made())

    def own_error(self, world: World) -> Expected:
        return None


@dataclass
class PutRead(Deed):
    """Reads, changes the copy in place, and puts it back: locked by the version where there is one."""

    values: Fields
    seen: Row | None = None
    gone: bool = False

    @property
    def needs_no_write(self) -> bool:
        return self.gone

    def run(self, user: User) -> None:
        entity = user.get(named(self.slot))
        self.gone = entity is None
        if entity is None:
            return
        known = stored(entity)
        assert known is not None
        self.seen = Row({**plain_fields(entity), **self.values}, lock_in(entity), known.created)
        for name, value in live(self.values).items():
            setattr(entity, name, value)
        user.put(entity)

    def own_error(self, world: World) -> Expected:
        assert self.seen is not None
        if self.entity not in VERSIONED | TIMED:
            return None
        row = world.rows.get(self.slot)
        if row is None:
            return NotFoundError
        return ConcurrentModificationError if row.version != self.seen.version else None

    def change(self, world: World) -> None:
        assert self.seen is not None
        # An item that was made anew meanwhile keeps the time at which that happened.
        self.replace(world, dict(self.seen.fields), None if self.slot in world.rows else self.seen.created)


@dataclass
class Update(Deed):
    """Any changes at once, by bare key, by an index, or by a copy that was read before."""

    set: Fields = field(default_factory=dict)
    add: dict[str, int] = field(default_factory=dict)
    remove: list[str] = field(default_factory=list)
    append: dict[str, list[str]] = field(default_factory=dict)
    include: dict[str, list[str]] = field(default_factory=dict)
    discard: dict[str, list[str]] = field(default_factory=dict)
    by: str = "key"
    """key, copy, pattern or index"""
    when: tuple[str, Any] | None = None
    expected: int | None = None
    seen: int | str | None = None
    gone: bool = False
    returned: Fields | None = None
    became: Fields | None = None

    def check_result(self, world: World) -> None:
        # A transaction returns nothing, so what it did is read afterwards, perhaps with what others did since.
        row = world.rows.get(self.slot)
        assert self.gone or self.returned in (self.became, row.fields if row is not None else None)

    def arguments(self) -> dict[str, Any]:
        given: dict[str, Any] = {
            "set": live(self.set),
            "add": self.add,
            "remove": self.remove,
            "append": self.append,
            "include": self.include,
            "discard": self.discard,
        }
        if self.when is not None:
            given["when"] = getattr(self.entity, self.when[0]) == self.when[1]
        if self.expected is not None and self.entity in VERSIONED:
            given["expected_version"] = self.expected
        return given

    def target(self, user: User | None) -> Any:
        if self.by == "copy" and user is not None:
            found = user.get(named(self.slot))
            self.gone = found is None
            self.seen = lock_in(found) if found is not None else None
            return found
        if self.by == "pattern" and self.entity is Ticket:
            return ticket(*self.slot[1])
        if self.by == "pattern" and self.entity is Account:
            return account(*self.slot[1])
        return named(self.slot)

    @property
    def needs_no_write(self) -> bool:
        return self.gone

    def run(self, user: User) -> None:
        target = self.target(user)
        if not self.gone:
            self.returned = plain_fields(user.update(target, **self.arguments()))

    def add_to(self, transaction: Any) -> None:
        transaction.update(self.target(None), **self.arguments())

    def own_error(self, world: World) -> Expected:
        row = world.rows.get(self.slot)
        if row is None:
            return NotFoundError
        if self.when is not None and (
            row.fields[self.when[0]] != self.when[1] or (row.bare and self.when[1] is not None)
        ):
            return ConditionalCheckError
        lock = self.expected if self.expected is not None else self.seen
        if self.entity in VERSIONED | TIMED and lock is not None and lock != row.version:
            return ConcurrentModificationError
        for name, amount in self.add.items():
            low, high = LIMITS[name]
            if not low <= row.fields[name] + amount <= high:
                return ConditionalCheckError
        if "notes" in self.append and len(row.fields["notes"]) + len(self.append["notes"]) > MOST_NOTES:
            return ConditionalCheckError
        return None

    def change(self, world: World) -> None:
        fields = dict(world.rows[self.slot].fields)
        fields |= self.set
        fields |= {n: fields[n] + amount for n, amount in self.add.items()}
        fields |= {n: DEFAULTS[self.entity][n] for n in self.remove}
        fields |= {n: fields[n] + more for n, more in self.append.items()}
        fields |= {n: fields[n] | {*more} for n, more in self.include.items()}
        fields |= {n: fields[n] - {*less} for n, less in self.discard.items()}
        self.became = dict(fields)
        self.replace(world, fields)


@dataclass
class UpdateByEmail(Update):
    """The account that an index names; which one that is shows when the index is asked."""

    email: str = ""
    found: bool = False

    def check_result(self, world: World) -> None:
        """What the call returned must be right."""

    def saw(self, operation: str, response: dict[str, Any]) -> None:
        if operation == "Query" and response["Items"]:
            self.found = True
            self.slot = (Account, (response["Items"][0]["account_id"]["S"],))

    def run(self, user: User) -> None:
        self.returned = plain_fields(user.update(account_by_email(self.email), **self.arguments()))

    def own_error(self, world: World) -> Expected:
        row = world.rows.get(self.slot)
        # What has another email by now is no longer the one that was asked for, whatever the index says.
        if not self.found or (row is not None and row.fields["email"] != self.email):
            return NotFoundError
        return Update.own_error(self, world)


@dataclass
class Change(Deed):
    """A declared change."""

    note: str = "n"

    def run(self, user: User) -> None:
        if self.entity is Ticket:
            user.apply(close, named(self.slot), self.note)
        else:
            user.apply(vote, named(self.slot))

    def add_to(self, transaction: Any) -> None:
        if self.entity is Ticket:
            transaction.apply(close, named(self.slot), self.note)
        else:
            transaction.apply(vote, named(self.slot))

    def own_error(self, world: World) -> Expected:
        row = world.rows.get(self.slot)
        if row is None:
            return NotFoundError
        if self.entity is Ticket and (row.fields["status"] != "OPEN" or len(row.fields["notes"]) >= MOST_NOTES):
            return ConditionalCheckError
        return None

    def change(self, world: World) -> None:
        fields = dict(world.rows[self.slot].fields)
        if self.entity is Ticket:
            fields |= {"status": "DONE", "assignee": None, "notes": [*fields["notes"], self.note]}
        else:
            fields["votes"] += 1
        self.replace(world, fields)


@dataclass
class Edit(Deed):
    """Read, change, write: only what was changed, and only if it is still as it was read."""

    values: Fields
    read: Fields | None = None
    version: int | str | None = None

    @property
    def needs_no_write(self) -> bool:
        return self.read is not None and not self.changed

    def run(self, user: User) -> None:
        user.edit(named(self.slot), self.edited)

    def edited(self, entity: Any) -> None:
        self.version = lock_in(entity)
        self.read = {n: v for n, v in plain_fields(entity).items() if n in self.values}
        for name, value in live(self.values).items():
            setattr(entity, name, value)

    @property
    def changed(self) -> list[str]:
        assert self.read is not None
        return [n for n, value in self.values.items() if self.read[n] != value]

    def own_error(self, world: World) -> Expected:
        row = world.rows.get(self.slot)
        if row is None:
            return NotFoundError
        assert self.read is not None
        if any(row.fields[n] != self.read[n] for n in self.changed):
            return ConcurrentModificationError
        if self.entity in VERSIONED | TIMED and row.version != self.version:
            return ConcurrentModificationError
        return None

    def change(self, world: World) -> None:
        if self.changed:
            self.replace(world, {**world.rows[self.slot].fields, **{n: self.values[n] for n in self.changed}})


@dataclass
class Revise(Edit):
    """The same by a function that is called again when another writer was faster."""

    def run(self, user: User) -> None:
        user.revise(named(self.slot), self.edited)


@dataclass
class Delete(Deed):
    returned: Fields | None = None
    was: Fields | None = None

    @property
    def needs_no_write(self) -> bool:
        return True

    def run(self, user: User) -> None:
        old = user.delete(named(self.slot))
        self.returned = None if old is None else plain_fields(old)

    def check_result(self, world: World) -> None:
        assert self.returned == self.was, "delete() returns something else than it deleted"

    def add_to(self, transaction: Any) -> None:
        transaction.delete(named(self.slot))

    def change(self, world: World) -> None:
        old = world.rows.pop(self.slot, None)
        self.was = None if old is None else old.fields
        if old is not None and self.entity is Draft:
            world.buried[self.slot] = old


@dataclass
class Undelete(Deed):
    """A deleted item comes back as it was."""

    def run(self, user: User) -> None:
        user.undelete(named(self.slot))

    def add_to(self, transaction: Any) -> None:
        transaction.undelete(named(self.slot))

    def own_error(self, world: World) -> Expected:
        if self.slot in world.rows:
            return AlreadyExistsError
        return None if self.slot in world.buried else NotFoundError

    def change(self, world: World) -> None:
        world.rows[self.slot] = world.buried.pop(self.slot)


@dataclass
class Purge(Deed):
    """An item, or its tombstone, goes for good."""

    @property
    def needs_no_write(self) -> bool:
        return True

    def run(self, user: User) -> None:
        user.purge(named(self.slot))

    def change(self, world: World) -> None:
        world.rows.pop(self.slot, None)
        world.buried.pop(self.slot, None)


@dataclass
class Upsert(Update):
    """A new item where there is none, changes where there is one."""

    values: Fields = field(default_factory=dict)

    def made(self) -> Any:
        return self.entity(**live(complete(self.slot, self.values)))

    def arguments(self) -> dict[str, Any]:
        return {n: v for n, v in Update.arguments(self).items() if n not in ("when", "expected_version")}

    def run(self, user: User) -> None:
        self.returned = plain_fields(user.upsert(self.made(), **self.arguments()))

    def add_to(self, transaction: Any) -> None:
        transaction.upsert(self.made(), **self.arguments())

    def own_error(self, world: World) -> Expected:
        self.when = self.expected = None
        return Update.own_error(self, world) if self.slot in world.rows else None

    def change(self, world: World) -> None:
        if self.slot in world.rows:
            Update.change(self, world)
        else:
            self.became = complete(self.slot, self.values)
            self.replace(world, self.became)


@dataclass
class Count(Update):
    """One number, counted up, and told."""

    number: int | None = None

    def run(self, user: User) -> None:
        ((name, by),) = self.add.items()
        self.number = user.increment(named(self.slot), getattr(self.entity, name), by)

    def check_result(self, world: World) -> None:
        ((name, _),) = self.add.items()
        assert self.became is not None
        assert self.number == self.became[name], "increment() tells another number than it stored"


@dataclass
class Strip(Deed):
    """Other code writes a survey without the map that its fields live in, though with the right keys."""

    @property
    def needs_no_write(self) -> bool:
        return True

    def run(self, user: User) -> None:
        tenant, number = (escape(part) for part in self.slot[1])
        item = {
            "PK": f"TENANT#{tenant}",
            "SK": f"SURVEY#{number}",
            "tenant_id": self.slot[1][0],
            "survey_id": self.slot[1][1],
            "Type": "Survey",
            "CreatedAt": "2026-01-01T00:00:00.000000Z",
            "UpdatedAt": "2026-01-01T00:00:00.000000Z",
            "GSI1PK": f"SURVEYS#{tenant}",
            "GSI1SK": f"untitled#{number}",
            "GSI3PK": f"CHANGED#{tenant}",
            "GSI3SK": f"2026-01-01T00:00:00.000000Z#{number}",
        }
        request: dict[str, Any] = {
            "Item": {n: {"S": v} for n, v in item.items()},
            # A code would leave its marker behind.
            "ConditionExpression": "attribute_not_exists(survey.code)",
        }
        with suppress(ConditionalCheckFailed):
            user.send("PutItem", request)

    def own_error(self, world: World) -> Expected:
        return None

    def change(self, world: World) -> None:
        world.rows[self.slot] = Row(complete(self.slot, {}), None, bare=True)
