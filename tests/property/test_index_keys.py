"""Index keys and unique markers are right after every write, on every path, whoever else writes in between.

A machine makes random calls on a session while a second one writes to the same items between the calls' own requests.
After each call every stored item must carry exactly the index attributes of its fields, every unique value exactly one
marker, and every acknowledged change must be there.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tablewright import AsyncSession, Entity, Session, stored
from tablewright.client.calls import WRITES
from tablewright.engine import open_engine
from tablewright.errors import TablewrightError
from tablewright.transport.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from tests.client.lab import Account, Note, Survey, Ticket, lab
from tests.property import deeds
from tests.property.deeds import Deed, User
from tests.property.naive import DEFAULTS, ENTITIES, IDS, fields_of, problems
from tests.property.world import Slot, World

# ------------------------------------------------------------------------------------------------ both sessions


class SyncUser:
    """The sync session as a User."""

    def __init__(self, db: Session) -> None:
        self.db = db

    def get(self, target: Any) -> Any:
        return self.db.get(target, consistent=True)

    def create(self, entity: Any) -> Any:
        return self.db.create(entity)

    def put(self, entity: Any) -> Any:
        return self.db.put(entity)

    def update(self, target: Any, **changes: Any) -> Any:
        return self.db.update(target, **changes)

    def apply(self, change: Any, target: Any, *arguments: Any) -> Any:
        return self.db.apply(change, target, *arguments)

    def edit(self, target: Any, edit: Callable[[Any], None]) -> None:
        with self.db.edit(target) as entity:
            edit(entity)

    def revise(self, target: Any, edit: Callable[[Any], None]) -> None:
        self.db.revise(target, edit)

    def delete(self, target: Any) -> Any:
        return self.db.delete(target)

    def send(self, operation: str, request: dict[str, Any]) -> None:
        self.db.send(operation, request)

    def transaction(self, fill: Callable[[Any], None]) -> None:
        with self.db.transaction() as transaction:
            fill(transaction)

    def batch(self, fill: Callable[[Any], None]) -> None:
        with self.db.batch() as batch:
            fill(batch)

    def close(self) -> None:
        self.db.close()


class AsyncUser:
    """The async session as a User, on a loop of its own."""

    def __init__(self, db: AsyncSession) -> None:
        self.db = db
        self.runner = asyncio.Runner()
        self.runner.run(db.__aenter__())

    def get(self, target: Any) -> Any:
        return self.runner.run(self.db.get(target, consistent=True))

    def create(self, entity: Any) -> Any:
        return self.runner.run(self.db.create(entity))

    def put(self, entity: Any) -> Any:
        return self.runner.run(self.db.put(entity))

    def update(self, target: Any, **changes: Any) -> Any:
        return self.runner.run(self.db.update(target, **changes))

    def apply(self, change: Any, target: Any, *arguments: Any) -> Any:
        return self.runner.run(self.db.apply(change, target, *arguments))

    def edit(self, target: Any, edit: Callable[[Any], None]) -> None:
        async def work() -> None:
            async with self.db.edit(target) as entity:
                edit(entity)

        self.runner.run(work())

    def revise(self, target: Any, edit: Callable[[Any], None]) -> None:
        self.runner.run(self.db.revise(target, edit))

    def delete(self, target: Any) -> Any:
        return self.runner.run(self.db.delete(target))

    def send(self, operation: str, request: dict[str, Any]) -> None:
        self.runner.run(self.db.send(operation, request))

    def transaction(self, fill: Callable[[Any], None]) -> None:
        async def work() -> None:
            async with self.db.transaction() as transaction:
                fill(transaction)

        self.runner.run(work())

    def batch(self, fill: Callable[[Any], None]) -> None:
        async def work() -> None:
            async with self.db.batch() as batch:
                fill(batch)

        self.runner.run(work())

    def close(self) -> None:
        self.runner.run(self.db.close())
        self.runner.close()


class Between:
    """Stands between the session and the engine, and tells the machine of every request."""

    def __init__(self, machine: Machine, inner: EmbeddedTransport) -> None:
        self.machine = machine
        self.inner = inner

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.machine.before_request()
        response = self.inner.send(operation, request)
        self.machine.answered(self.machine.deed, operation, response)
        return response

    def close(self) -> None:
        self.inner.close()


class Second(Between):
    """The same for the session that interrupts."""

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        response = self.inner.send(operation, request)
        self.machine.answered(self.machine.interrupting, operation, response)
        return response


class AsyncBetween:
    """The same for the async session."""

    def __init__(self, machine: Machine, inner: AsyncEmbeddedTransport) -> None:
        self.machine = machine
        self.inner = inner

    async def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.machine.before_request()
        response = await self.inner.send(operation, request)
        self.machine.answered(self.machine.deed, operation, response)
        return response

    async def close(self) -> None:
        await self.inner.close()


# ------------------------------------------------------------------------------------------------- what is drawn

TENANTS = st.sampled_from(["t", "a#b"])
IDENTITIES: dict[type[Entity], st.SearchStrategy[tuple[str, ...]]] = {
    Ticket: st.tuples(TENANTS, st.sampled_from(["1", "2"])),
    Account: st.tuples(st.sampled_from(["1", "2", "3"])),
    Survey: st.tuples(TENANTS, st.sampled_from(["1", "2"])),
    Note: st.tuples(st.sampled_from(["1", "2"])),
}
MEMBERS = st.sampled_from(["hot", "cold"])
VALUES: dict[type[Entity], dict[str, st.SearchStrategy[Any]]] = {
    Ticket: {
        "status": st.sampled_from(["NEW", "OPEN", "DONE"]),
        "rank": st.one_of(st.integers(0, 12), st.just(9998)),
        "tags": st.frozensets(MEMBERS).map(set),
        "notes": st.lists(st.sampled_from(["x", "y"]), max_size=2),
        "assignee": st.sampled_from([None, "bob", "a #b"]),
        "due_at": st.sampled_from([None, "2026-01-01T10:00:00.000000Z", "2026-02-01T00:00:00.500000Z"]),
        "country": st.sampled_from([None, "DE"]),
        "city": st.sampled_from([None, "Bonn", "Köln"]),
    },
    Account: {
        "tenant_id": TENANTS,
        "email": st.sampled_from(["w", "x", "y", "z"]),
        "handle": st.sampled_from([None, "h", "i"]),
        "plan": st.sampled_from(["free", "paid"]),
        "state": st.sampled_from(["active", "locked"]),
        "logins": st.integers(0, 3),
        "name": st.sampled_from(["", "Ann"]),
    },
    Survey: {
        "title": st.sampled_from(["q", "a $b"]),
        "code": st.sampled_from([None, "c", "d"]),
        "votes": st.integers(0, 3),
    },
    Note: {"topic": st.sampled_from([None, "m", "n"]), "text": st.sampled_from(["", "long"])},
}
COUNTERS = {"rank", "logins", "votes"}
NULLABLE = {"assignee", "due_at", "country", "city", "handle", "code", "topic"}
REQUIRED = {"tenant_id", "email"}


@st.composite
def some_values(draw: st.DrawFn, entity: type[Entity], *, at_least: int = 0) -> dict[str, Any]:
    names = sorted(VALUES[entity])
    chosen = draw(st.lists(st.sampled_from(names), min_size=at_least, max_size=4, unique=True))
    return {n: draw(VALUES[entity][n]) for n in chosen}


@st.composite
def whole_values(draw: st.DrawFn, entity: type[Entity]) -> dict[str, Any]:
    given = draw(some_values(entity))
    return {**{n: draw(VALUES[entity][n]) for n in REQUIRED & VALUES[entity].keys()}, **given}


@st.composite
def updates(draw: st.DrawFn, slot: Slot) -> Deed:
    """Changes of any subset of fields, each in one of the ways that it can be changed."""
    entity = slot[0]
    deed = deeds.Update(slot)
    for name in draw(st.lists(st.sampled_from(sorted(VALUES[entity])), max_size=4, unique=True)):
        ways = ["set"]
        if name not in REQUIRED:
            ways.append("remove")
        ways += ["add"] * 3 if name in COUNTERS else []
        ways += ["include", "discard"] if name == "tags" else []
        ways += ["append"] if name == "notes" else []
        way = draw(st.sampled_from(ways))
        if way == "set":
            deed.set[name] = draw(VALUES[entity][name])
        elif way == "remove":
            deed.remove.append(name)
        elif way == "add":
            deed.add[name] = draw(st.integers(-2, 3))
        elif way == "append":
            deed.append[name] = draw(st.lists(st.sampled_from(["x", "y"]), max_size=3))
        else:
            getattr(deed, way)[name] = draw(st.lists(MEMBERS, min_size=1, max_size=2, unique=True))
    deed.by = draw(st.sampled_from(["key", "copy", "pattern"]))
    if draw(st.integers(0, 3)) == 0:
        name = draw(st.sampled_from(sorted(VALUES[entity].keys() - NULLABLE - {"tags", "notes"})))
        deed.when = (name, draw(VALUES[entity][name]))
    if entity is Account and draw(st.integers(0, 3)) == 0:
        deed.expected = draw(st.integers(1, 3))
    return deed


@st.composite
def by_email(draw: st.DrawFn, slot: Slot) -> Deed:
    plain = draw(updates(slot))
    assert isinstance(plain, deeds.Update)
    deed = deeds.UpdateByEmail(slot, plain.set, plain.add, plain.remove, email=draw(VALUES[Account]["email"]))
    deed.when, deed.expected = plain.when, plain.expected
    return deed


@st.composite
def single(draw: st.DrawFn, slot: Slot, *, in_transaction: bool = False) -> Deed:
    entity = slot[0]
    kinds = ["update", "update", "update", "update", "put", "create", "delete"]
    kinds += ["change"] if entity in (Ticket, Survey) else []
    kinds += ["strip"] if entity is Survey and not in_transaction else []
    if not in_transaction:
        kinds += ["put read", "edit", "revise"]
        kinds += ["by email"] if entity is Account else []
    kind = draw(st.sampled_from(kinds))
    if kind == "create":
        return deeds.Create(slot, draw(whole_values(entity)))
    if kind == "put":
        return deeds.PutFresh(slot, draw(whole_values(entity)))
    if kind == "put read":
        return deeds.PutRead(slot, draw(some_values(entity)))
    if kind == "edit":
        return deeds.Edit(slot, draw(some_values(entity, at_least=1)))
    if kind == "revise":
        return deeds.Revise(slot, draw(some_values(entity, at_least=1)))
    if kind == "delete":
        return deeds.Delete(slot)
    if kind == "change":
        return deeds.Change(slot)
    if kind == "by email":
        return draw(by_email(slot))
    if kind == "strip":
        return deeds.Strip(slot)
    deed = draw(updates(slot))
    assert isinstance(deed, deeds.Update)
    if in_transaction and deed.by == "copy":
        deed.by = "key"
    return deed


SLOTS = st.sampled_from([Ticket, Ticket, Account, Account, Survey, Note]).flatmap(
    lambda entity: IDENTITIES[entity].map(lambda ids: (entity, ids))
)


@st.composite
def together(draw: st.DrawFn) -> Deed:
    slots = draw(st.lists(SLOTS, min_size=1, max_size=4, unique=True))
    parts = [draw(single(s, in_transaction=True)) for s in slots]
    return deeds.Together(slots[0], parts)


@st.composite
def trades(draw: st.DrawFn) -> Deed:
    """Accounts that hand unique values to each other, or try to."""
    numbers = draw(st.lists(st.sampled_from(["1", "2", "3"]), min_size=2, max_size=3, unique=True))
    names = draw(st.sampled_from([["email"], ["handle"], ["email", "handle", "tenant_id"]]))
    parts: list[Deed] = []
    for number in numbers:
        slot: Slot = (Account, (number,))
        if draw(st.integers(0, 4)) == 0:
            parts.append(deeds.Delete(slot))
        else:
            parts.append(deeds.Update(slot, set={n: draw(VALUES[Account][n]) for n in names}))
    return deeds.Together(parts[0].slot, parts)


@st.composite
def batches(draw: st.DrawFn) -> Deed:
    entities = st.sampled_from([Ticket, Note])
    slots = draw(st.lists(entities.flatmap(lambda e: IDENTITIES[e].map(lambda ids: (e, ids))), min_size=1, max_size=4))
    writes = [(s, draw(st.one_of(st.none(), whole_values(s[0])))) for s in slots]
    return deeds.Batch(slots[0], writes)


@st.composite
def nudges(draw: st.DrawFn, slot: Slot) -> Deed:
    """A small change that nearly always succeeds."""
    name = draw(st.sampled_from(sorted(VALUES[slot[0]])))
    if name in COUNTERS and draw(st.booleans()):
        return deeds.Update(slot, add={name: 1})
    return deeds.Update(slot, set={name: draw(VALUES[slot[0]][name])})


@st.composite
def interruptions(draw: st.DrawFn, touched: list[Slot]) -> list[tuple[int, Deed]]:
    """What somebody else does to the same items, and before which request of the call."""
    if draw(st.integers(0, 3)) == 3:
        return []
    slots = st.one_of(st.sampled_from(touched), st.sampled_from(touched), SLOTS)
    others = st.one_of(slots.flatmap(nudges), slots.flatmap(nudges), slots.flatmap(single))
    # Between reading and writing, that is before the second request, is where it hurts.
    found = draw(st.lists(st.tuples(st.sampled_from([1, 1, 1, 0, 2, 3]), others), min_size=1, max_size=3))
    return sorted(found, key=lambda pair: pair[0])


@st.composite
def calls(draw: st.DrawFn) -> tuple[Deed, list[tuple[int, Deed]]]:
    deed = draw(
        st.one_of(SLOTS.flatmap(single), SLOTS.flatmap(single), SLOTS.flatmap(single), together(), trades(), batches())
    )
    if isinstance(deed, deeds.Together):
        touched = [d.slot for d in deed.deeds]
    elif isinstance(deed, deeds.Batch):
        touched = [slot for slot, _ in deed.writes]
    else:
        touched = [deed.slot]
    return deed, draw(interruptions(touched))


# ------------------------------------------------------------------------------------------------- the machine


class Machine(RuleBasedStateMachine):
    """Calls on one session, interrupted by another, checked against the world after each."""

    asynchronous: ClassVar[bool] = False
    steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        self.engine = open_engine("memory:")
        ticks = itertools.count()

        def clock() -> datetime:
            return datetime(2026, 3, 1, tzinfo=UTC) + timedelta(microseconds=next(ticks))

        self.interrupting: Deed | None = None
        lab.open(EmbeddedTransport(self.engine, owned=False), create=True)
        self.other: User = SyncUser(lab.open(Second(self, EmbeddedTransport(self.engine, owned=False)), clock=clock))
        self.user: SyncUser | AsyncUser
        if self.asynchronous:
            inner = AsyncEmbeddedTransport(self.engine, in_memory=True, owned=False)
            self.user = AsyncUser(lab.open_async(AsyncBetween(self, inner), clock=clock))
        else:
            self.user = SyncUser(lab.open(Between(self, EmbeddedTransport(self.engine, owned=False)), clock=clock))
        self.world = World()
        self.deed: Deed | None = None
        self.waiting: list[tuple[int, Deed]] = []
        self.requests = 0

    def teardown(self) -> None:
        self.user.close()
        self.engine.close()

    # ------------------------------------------------------------------------- what happens around each request

    def before_request(self) -> None:
        while self.waiting and self.waiting[0][0] <= self.requests:
            _, deed = self.waiting.pop(0)
            self.interrupt(deed)
        self.requests += 1

    def answered(self, deed: Deed | None, operation: str, response: dict[str, Any]) -> None:
        assert deed is not None
        deed.saw(operation, response)
        if operation in WRITES:
            assert deed.error(self.world) is None, f"{deed} must not succeed"
            deed.change(self.world)

    def interrupt(self, deed: Deed) -> None:
        """A whole call of the second session; nobody interrupts that one."""
        self.interrupting = deed
        try:
            deed.run(self.other)
        except TablewrightError as error:
            self.check_error(deed, error)
        else:
            deed.check_result(self.world)

    def check_error(self, deed: Deed, error: TablewrightError) -> None:
        if isinstance(deed, deeds.Together):
            assert type(error) in deed.errors(self.world), (deed, error)
        else:
            assert deed.error(self.world) is type(error), (deed, error)

    # ------------------------------------------------------------------------------------------------ the rules

    @initialize()
    def fill(self) -> None:
        """Most items are there from the start, so that most calls find theirs."""
        for tenant, number in itertools.product(["t", "a#b"], ["1", "2"]):
            self.interrupt(deeds.Create((Ticket, (tenant, number)), {"status": "OPEN", "assignee": "bob"}))
            self.interrupt(deeds.Create((Survey, (tenant, number)), {}))
        for number, email in (("1", "x"), ("2", "y"), ("3", "z")):
            self.interrupt(deeds.Create((Account, (number,)), {"tenant_id": "t", "email": email}))
        self.interrupt(deeds.Create((Note, ("1",)), {}))
        self.check_table()

    @rule(call=calls())
    def call(self, call: tuple[Deed, list[tuple[int, Deed]]]) -> None:
        type(self).steps += 1
        self.deed, self.waiting = call
        self.requests = 0
        try:
            self.deed.run(self.user)
        except TablewrightError as error:
            self.check_error(self.deed, error)
        else:
            self.deed.check_result(self.world)
        self.deed, self.waiting = None, []
        self.check_table()

    def check_table(self) -> None:
        items = self.engine.execute("Scan", {"TableName": "Lab"})["Items"]
        assert problems(items) == []
        rows = [i for i in items if i["Type"]["S"] != "Unique"]
        found: dict[Slot, dict[str, Any]] = {}
        for item in rows:
            fields = fields_of(item)
            entity = ENTITIES[item["Type"]["S"]]
            found[entity, tuple(fields[n] for n in IDS[entity])] = item
        assert {slot: fields_of(i) for slot, i in found.items()} == {s: r.fields for s, r in self.world.rows.items()}
        for slot, item in found.items():
            row = self.world.rows[slot]
            assert item.get("Version", {}).get("N") == (None if row.version is None else str(row.version))
            created = item.get("CreatedAt", {}).get("S")
            assert row.created in (None, created), slot
            row.created = created


class AsyncMachine(Machine):
    """The same on the async session."""

    asynchronous = True
    steps = 0


MACHINES = pytest.mark.parametrize("machine", [Machine, AsyncMachine], ids=["sync", "async"])


@MACHINES
def test_a_few_hundred_calls_leave_every_key_right(machine: type[Machine]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=10, stateful_step_count=30))  # type: ignore[no-untyped-call]
    assert machine.steps >= 100


@pytest.mark.full
@MACHINES
def test_twenty_thousand_calls_leave_every_key_right(machine: type[Machine]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=400, stateful_step_count=50))  # type: ignore[no-untyped-call]
    assert machine.steps >= 10_000


def test_defaults_are_those_of_the_model() -> None:
    for entity, defaults in DEFAULTS.items():
        made = {n: f.get_default(call_default_factory=True) for n, f in entity.model_fields.items() if n in defaults}
        assert made == defaults
    assert stored(Note(note_id="1")) is None
