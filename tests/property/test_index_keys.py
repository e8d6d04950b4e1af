"""Index keys and unique markers are right after every write, on every path, whoever else writes in between.

A machine makes random calls on a session while a second one writes to the same items between the calls' own requests.
After each call every stored item must carry exactly the index attributes of its fields, every unique value exactly one
marker, and every acknowledged change must be there.
"""

from __future__ import annotations

import itertools
import uuid
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tablewright import RetryPolicy
from tablewright.engine import open_engine
from tablewright.engine.faults import Conflict, Fault, LostReply, Throttle, Unprocessed
from tablewright.errors import (
    NetworkError,
    NotFoundError,
    OutcomeUnknownError,
    TablewrightError,
    Throttled,
    TransactionCanceled,
    TransactionConflict,
    UnprocessedError,
)
from tablewright.transport.base import Transport
from tablewright.transport.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from tablewright.transport.http.address import Address
from tablewright.transport.http.credentials import MADE_UP, Fixed
from tablewright.transport.http.route import Route
from tablewright.transport.http.sync import HttpTransport
from tablewright.values.operations import WRITES
from tests.client.lab import Account, Draft, Note, Sheet, Survey, Ticket, lab
from tests.property import deeds, deeds_of_many
from tests.property.deeds import Deed, User
from tests.property.draws import calls
from tests.property.naive import DEFAULTS, ENTITIES, IDS, fields_of, problems, remains_of, slot_of
from tests.property.users import AsyncUser, SyncUser
from tests.property.world import Slot, World


class Between:
    """Stands between the session and the engine, and tells the machine of every request."""

    def __init__(self, machine: Machine, inner: Transport) -> None:
        self.machine = machine
        self.inner = inner

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.machine.before_request(operation, request)
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
        self.machine.before_request(operation, request)
        response = await self.inner.send(operation, request)
        self.machine.answered(self.machine.deed, operation, response)
        return response

    async def close(self) -> None:
        await self.inner.close()


class AmongFaults(Between):
    """Requests of the first session are throttled, meet conflicts, lose members or their replies, now and then."""

    def __init__(self, machine: FaultyMachine, inner: EmbeddedTransport) -> None:
        super().__init__(machine, inner)
        self.faulty = machine
        self.engine = inner.engine
        self.faults: list[Fault] = [
            Throttle(share=0.05, seed=1),
            Conflict(share=0.05, seed=2),
            Unprocessed(share=0.1, seed=3),
            LostReply(share=0.05, seed=4, carried_out=True),
        ]
        self.tokens: set[str] = set()

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.machine.before_request(operation, request)
        token = request.get("ClientRequestToken")
        done = token in self.tokens
        before = self._items() if operation in WRITES else []
        lost: NetworkError | None = None
        response: dict[str, Any] = {}
        with ExitStack() as stack:
            for fault in self.faults:
                stack.enter_context(self.engine.faults.inject(fault))
            try:
                response = self.inner.send(operation, request)
            except NetworkError as error:
                lost = error
                self.faulty.lost = self.faulty.lost or operation in WRITES
        # Nobody was told whether a lost request was carried out or refused; the table shows it.
        unseen = operation in WRITES and not done
        happened = lost is None or (unseen and (self._items() != before or self._holds(request)))
        if happened and token is not None:
            self.tokens.add(token)
        if operation == "BatchWriteItem":
            self.faulty.did(request, self._left(request) if lost else response)
        elif happened and not done:
            self.machine.answered(self.machine.deed, operation, response)
        if lost is not None:
            raise lost
        return response

    def _holds(self, request: dict[str, Any]) -> bool:
        """Whether a transaction that changed nothing was carried out: then it can be once more, and still changes nothing."""
        if "TransactItems" not in request:
            return False
        try:
            self.inner.send("TransactWriteItems", {"TransactItems": request["TransactItems"]})
        except TablewrightError:
            return False
        return True

    def _items(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.inner.send("Scan", {"TableName": self.machine.table})["Items"]
        return items

    def _left(self, request: dict[str, Any]) -> dict[str, Any]:
        """What a batch whose answer was lost left over shows in the table."""
        (table, members), *_ = request["RequestItems"].items()
        left = []
        for member in members:
            wanted = member.get("PutRequest", {}).get("Item")
            whole = wanted or member["DeleteRequest"]["Key"]
            keys = {n: whole[n] for n in ("PK", "SK")}
            if self.inner.send("GetItem", {"TableName": table, "Key": keys}).get("Item") != wanted:
                left.append(member)
        return {"UnprocessedItems": {table: left}}


class Machine(RuleBasedStateMachine):
    """Calls on one session, interrupted by another, checked against the world after each."""

    asynchronous: ClassVar[bool] = False
    disowned: ClassVar[bool] = False
    steps: ClassVar[int] = 0

    def __init__(self) -> None:
        super().__init__()
        ticks = itertools.count()

        def clock() -> datetime:
            return datetime(2026, 3, 1, tzinfo=UTC) + timedelta(microseconds=next(ticks) ^ 1)  # it goes back, too

        self.interrupting: Deed | None = None
        self.written = False
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
            self.user = SyncUser(lab.open(self.first(), **options))
        self.world = World()
        self.deed: Deed | None = None
        self.waiting: list[tuple[int, Deed]] = []
        self.requests = 0
        self.refused: list[type[Exception]] = []
        """What was wrong with the call when its last transaction was sent."""

    def connect(self) -> Transport:
        """The way to the table that both sessions share."""
        # The clock of the sessions is behind: to the engine's, tombstones are over, and would go if an example lasts a minute.
        return EmbeddedTransport(open_engine("memory:", sweep_every=None))

    def first(self) -> Transport:
        """What the first session talks through."""
        return Between(self, self.wire)

    def teardown(self) -> None:
        if self.asynchronous:
            self.user.close()
        self.wire.close()

    # ------------------------------------------------------------------------- what happens around each request

    def before_request(self, operation: str, request: dict[str, Any]) -> None:
        assert self.deed is not None
        self.deed.asks(operation, request)
        while self.waiting and self.waiting[0][0] <= self.requests:
            _, deed = self.waiting.pop(0)
            self.interrupt(deed)
        self.requests += 1
        if isinstance(self.deed, deeds_of_many.Together) and operation == "TransactWriteItems":
            self.refused = self.deed.errors(self.world)

    def answered(self, deed: Deed | None, operation: str, response: dict[str, Any]) -> None:
        assert deed is not None
        deed.saw(operation, response)
        if operation in WRITES:
            assert deed.error(self.world) is None, f"{deed} must not succeed"
            deed.change(self.world)
            self.learn(deed)
            self.written = self.written or deed is self.deed

    def learn(self, deed: Deed) -> None:
        """When sheets were written last is known by looking; it is later than before, whatever the clock says."""
        for one in deed.parts:
            row = self.world.rows.get(one.slot)
            if one.entity is Sheet and row is not None:
                keys = {n: {"S": f"SHEET#{one.slot[1][0]}"} for n in ("PK", "SK")}
                item = self.wire.send("GetItem", {"TableName": self.table, "Key": keys, "ConsistentRead": True})["Item"]
                stamp: str = item["UpdatedAt"]["S"]
                assert row.version is None or stamp > str(row.version), one
                row.version = stamp

    def interrupt(self, deed: Deed) -> None:
        """A whole call of the second session; nobody interrupts that one."""
        self.interrupting = deed
        try:
            deed.run(self.other)
        except TablewrightError as error:
            self.check_error(deed, error)
        else:
            deed.check_result(self.world)

    def check_result(self, deed: Deed) -> None:
        assert self.written or deed.needs_no_write, f"{deed} wrote nothing"
        deed.check_result(self.world)

    def check_error(self, deed: Deed, error: TablewrightError) -> None:
        if isinstance(deed, deeds_of_many.Together):
            # A refusal brings along the items that failed their conditions, but none where there is no item: that one is read
            # afterwards. Others may write before that; what the refusal said is told nevertheless.
            refused = self.refused if deed is self.deed else []
            assert type(error) in [*refused, *deed.errors(self.world)], (deed, error)
        elif isinstance(deed, deeds.Upsert) and deed is self.deed and self.written and deed.slot not in self.world.rows:
            assert type(error) is NotFoundError, error  # it was changed, and gone before it could be read
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
        self.interrupt(deeds.Create((Sheet, ("1",)), {}))
        self.interrupt(deeds.Create((Draft, ("t", "1")), {"slug": "s"}))
        self.check_table()

    @rule(call=calls())
    def call(self, call: tuple[Deed, list[tuple[int, Deed]]]) -> None:
        self.make(call)

    def make(self, call: tuple[Deed, list[tuple[int, Deed]]]) -> None:
        type(self).steps += 1
        self.deed, self.waiting = call
        self.requests, self.written, self.refused = 0, False, []
        try:
            self.deed.run(self.user)
        except TablewrightError as error:
            self.check_error(self.deed, error)
        else:
            self.check_result(self.deed)
        self.deed, self.waiting = None, []
        self.check_table()

    def check_table(self) -> None:
        items = self.wire.send("Scan", {"TableName": self.table, "ConsistentRead": True})["Items"]
        assert problems(items, disowned=self.disowned) == []
        buried = [remains_of(i) for i in items if "DeletedAt" in i]
        assert sorted(map(fields_of, buried), key=str) == sorted(
            (r.fields for r in self.world.buried.values()), key=str
        )
        rows = [i for i in items if i["Type"]["S"] != "Unique" and "DeletedAt" not in i]
        found: dict[Slot, dict[str, Any]] = {}
        for item in rows:
            fields = fields_of(item)
            entity = ENTITIES[item["Type"]["S"]]
            found[entity, tuple(fields[n] for n in IDS[entity])] = item
        assert {slot: fields_of(i) for slot, i in found.items()} == {s: r.fields for s, r in self.world.rows.items()}
        for slot, item in found.items():
            row = self.world.rows[slot]
            lock = item["UpdatedAt"]["S"] if slot[0] is Sheet else item.get("Version", {}).get("N")
            assert lock == (None if row.version is None else str(row.version))
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


class FaultyMachine(Machine):
    """The same on an engine that misbehaves: what is not acknowledged was not done, or is said to be unknown."""

    steps = 0
    lost = False
    """Whether a reply to a write of the call was lost."""

    def __init__(self) -> None:
        self.possible: set[Any] = set()
        super().__init__()

    def first(self) -> Transport:
        assert isinstance(self.wire, EmbeddedTransport)
        return AmongFaults(self, self.wire)

    def did(self, request: dict[str, Any], response: dict[str, Any]) -> None:
        """The members of a batch that were done, one by one: others may write between those and the rest."""
        assert isinstance(self.deed, deeds_of_many.Batch | deeds_of_many.DeleteCollection)
        left = response.get("UnprocessedItems", {}).get(self.table, [])
        for member in request["RequestItems"][self.table]:
            if member in left:
                continue
            whole = member["PutRequest"]["Item"] if "PutRequest" in member else member["DeleteRequest"]["Key"]
            slot = slot_of(whole)
            assert slot is not None
            self.deed.change_member(self.world, slot)

    def before_request(self, operation: str, request: dict[str, Any]) -> None:
        self.note()
        super().before_request(operation, request)
        self.note()

    def note(self) -> None:
        """A call that needs several requests for one read may tell of what was true before the last of them."""
        deed = self.deed
        with suppress(AssertionError):  # what it has not read yet, it cannot complain of
            if isinstance(deed, deeds_of_many.Together):
                self.possible |= set(deed.errors(self.world))
            elif deed is not None:
                self.possible |= {deed.error(self.world)}

    def check_result(self, deed: Deed) -> None:
        if not self.lost:
            super().check_result(deed)

    def check_error(self, deed: Deed, error: TablewrightError) -> None:
        if isinstance(error, OutcomeUnknownError):
            assert self.lost, error
        elif isinstance(error, Throttled | TransactionConflict | NetworkError | UnprocessedError) or (
            isinstance(error, TransactionCanceled) and error.transient
        ):
            return
        elif deed is not self.deed or type(error) not in self.possible:
            super().check_error(deed, error)

    @rule(call=calls())
    def call(self, call: tuple[Deed, list[tuple[int, Deed]]]) -> None:
        self.lost, self.possible = False, set()
        self.make(call)


class AsyncMachine(Machine):
    """The same on the async session."""

    asynchronous = True
    steps = 0


class DisowningMachine(Machine):
    """The same where other code takes the owners out of all markers before each call, as if it had written them."""

    disowned = True
    steps = 0

    def make(self, call: tuple[Deed, list[tuple[int, Deed]]]) -> None:
        for item in self.wire.send("Scan", {"TableName": self.table, "ConsistentRead": True})["Items"]:
            if "UniqueOwner" in item:
                keys = {n: item[n] for n in ("PK", "SK")}
                disown = {"TableName": self.table, "Key": keys, "UpdateExpression": "REMOVE UniqueOwner"}
                self.wire.send("UpdateItem", disown)
        super().make(call)


MACHINES = pytest.mark.parametrize(
    "machine",
    [Machine, AsyncMachine, FaultyMachine, DisowningMachine],
    ids=["sync", "async", "among faults", "without owners"],
)


@MACHINES
def test_a_few_hundred_calls_leave_every_key_right(machine: type[Machine]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=12, stateful_step_count=40))
    assert machine.steps >= 200


@MACHINES
def test_a_transaction_tells_why_it_was_refused_though_that_is_over(machine: type[Machine]) -> None:
    """One item fails a condition, another is not there; before the second is looked at, the first would do again."""
    state = machine()
    state.fill()
    ticket, missing = (Ticket, ("a#b", "2")), (Account, ("4",))
    both = deeds_of_many.Together(ticket, [deeds.Change(ticket), deeds.Update(missing, by="pattern")])
    others: list[tuple[int, Deed]] = [
        (1, deeds.Update(ticket, {"status": "NEW"})),
        (2, deeds.Update(ticket, {"status": "OPEN"})),
    ]
    state.call((both, others))
    assert (state.requests, state.waiting) == (3, [])
    state.teardown()


@pytest.mark.full
@MACHINES
def test_twenty_thousand_calls_leave_every_key_right(machine: type[Machine]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=700, stateful_step_count=50))
    assert machine.steps >= 20_000


@pytest.mark.dynamodb_local
def test_some_calls_leave_every_key_right_on_dynamodb_local(dynamodb_local_url: str) -> None:
    LocalMachine.address, before = dynamodb_local_url, LocalMachine.steps
    run_state_machine_as_test(LocalMachine, settings=settings(max_examples=3, stateful_step_count=25))
    assert LocalMachine.steps > before


@pytest.mark.full
def test_a_thousand_calls_leave_every_key_right_on_dynamodb_local(dynamodb_local_url: str) -> None:
    LocalMachine.address = dynamodb_local_url
    run_state_machine_as_test(LocalMachine, settings=settings(max_examples=40, stateful_step_count=50))
    assert LocalMachine.steps >= 1_000


def test_the_plain_account_of_the_model_is_up_to_date() -> None:
    for entity, defaults in DEFAULTS.items():
        made = {n: f.get_default(call_default_factory=True) for n, f in entity.model_fields.items() if n in defaults}
        assert made == defaults
