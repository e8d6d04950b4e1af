"""Index keys and unique markers are right after every write, on every path, whoever else writes in between.

A machine makes random calls on a session while a second one writes to the same items between the calls' own requests.
After each call every stored item must carry exactly the index attributes of its fields, every unique value exactly one
marker, and every acknowledged change must be there.
"""

from __future__ import annotations

import itertools
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tablewright import RetryPolicy
from tablewright.client.calls import WRITES
from tablewright.errors import TablewrightError
from tablewright.transport.base import Transport
from tablewright.transport.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from tablewright.transport.http.address import Address
from tablewright.transport.http.credentials import MADE_UP, Fixed
from tablewright.transport.http.route import Route
from tablewright.transport.http.sync import HttpTransport
from tests.client.lab import Account, Note, Survey, Ticket, lab
from tests.property import deeds
from tests.property.deeds import Deed, User
from tests.property.draws import calls
from tests.property.naive import DEFAULTS, ENTITIES, IDS, fields_of, problems
from tests.property.users import AsyncUser, SyncUser
from tests.property.world import Slot, World


class Between:
    """Stands between the session and the engine, and tells the machine of every request."""

    def __init__(self, machine: Machine, inner: Transport) -> None:
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


class Machine(RuleBasedStateMachine):
    """Calls on one session, interrupted by another, checked against the world after each."""

    asynchronous: ClassVar[bool] = False
    steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        ticks = itertools.count()

        def clock() -> datetime:
            return datetime(2026, 3, 1, tzinfo=UTC) + timedelta(microseconds=next(ticks))

        self.interrupting: Deed | None = None
        self.table = f"lab-{uuid.uuid4().hex}"
        self.wire = self.connect()
        options: Any = {"clock": clock, "table_name": self.table, "retry": RetryPolicy(base_delay=0, max_delay=0)}
        lab.open(self.wire, create=True, table_name=self.table)
        self.other: User = SyncUser(lab.open(Second(self, self.wire), **options))
        self.user: SyncUser | AsyncUser
        if self.asynchronous:
            assert isinstance(self.wire, EmbeddedTransport)
            inner = AsyncEmbeddedTransport(self.wire.engine, in_memory=True, owned=False)
            self.user = AsyncUser(lab.open_async(AsyncBetween(self, inner), **options))
        else:
            self.user = SyncUser(lab.open(Between(self, self.wire), **options))
        self.world = World()
        self.deed: Deed | None = None
        self.waiting: list[tuple[int, Deed]] = []
        self.requests = 0

    def connect(self) -> Transport:
        """The way to the table that both sessions share."""
        return EmbeddedTransport.open("memory:")

    def teardown(self) -> None:
        if self.asynchronous:
            self.user.close()
        self.wire.close()

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
        items = self.wire.send("Scan", {"TableName": self.table, "ConsistentRead": True})["Items"]
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


class LocalMachine(Machine):
    """The same on DynamoDB Local."""

    steps = 0
    address: ClassVar[str] = ""

    def connect(self) -> Transport:
        return HttpTransport(Route(Address.parse(self.address)), "us-east-1", Fixed(MADE_UP))

    def teardown(self) -> None:
        self.wire.send("DeleteTable", {"TableName": self.table})
        super().teardown()


class AsyncMachine(Machine):
    """The same on the async session."""

    asynchronous = True
    steps = 0


MACHINES = pytest.mark.parametrize("machine", [Machine, AsyncMachine], ids=["sync", "async"])


@MACHINES
def test_a_few_hundred_calls_leave_every_key_right(machine: type[Machine]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=12, stateful_step_count=40))
    assert machine.steps >= 200


@pytest.mark.full
@MACHINES
def test_twenty_thousand_calls_leave_every_key_right(machine: type[Machine]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=700, stateful_step_count=50))
    assert machine.steps >= 20_000


@pytest.mark.full
def test_a_thousand_calls_leave_every_key_right_on_dynamodb_local(dynamodb_local_url: str) -> None:
    LocalMachine.address = dynamodb_local_url
    run_state_machine_as_test(LocalMachine, settings=settings(max_examples=40, stateful_step_count=50))
    assert LocalMachine.steps >= 1_000


def test_the_plain_account_of_the_model_is_up_to_date() -> None:
    for entity, defaults in DEFAULTS.items():
        made = {n: f.get_default(call_default_factory=True) for n, f in entity.model_fields.items() if n in defaults}
        assert made == defaults
