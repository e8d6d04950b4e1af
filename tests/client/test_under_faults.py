"""Sessions on an engine that misbehaves: a call does all of its work once, or none, or says that it cannot know."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import (
    GSI,
    AsyncSession,
    Entity,
    Get,
    Keys,
    Query,
    RetryPolicy,
    Session,
    SoftDelete,
    Table,
    exists,
    get,
    key,
    query,
    require,
)
from tablewright.engine import Engine, open_engine
from tablewright.engine.faults import (
    Conflict,
    ExpiredToken,
    Fault,
    LostReply,
    PartitionLimits,
    RequestLimit,
    ServerError,
    Throttle,
    Unprocessed,
)
from tablewright.errors import (
    AccessRefused,
    NetworkError,
    OutcomeUnknownError,
    TablewrightError,
    Throttled,
    TransactionCanceled,
    UnprocessedError,
)
from tablewright.testing import ManualClock
from tablewright.transport.embedded import AsyncEmbeddedTransport, EmbeddedTransport

AT_ONCE = RetryPolicy(base_delay=0.0, max_delay=0.0)
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
MANY = 30

shop = Table("Shop", indexes=[GSI("GSI1")])


class User(Entity, table=shop):
    keys = Keys("USER#{name}", "USER#{name}", unique=["email"])
    name: str
    email: str


class Order(Entity, table=shop):
    keys = Keys("USER#{name}", "ORDER#{number}", GSI1=("STATUS#{status}", "ORDER#{number}"))
    name: str
    number: str
    status: str = "OPEN"
    total: int = 0


class Page(Entity, table=shop, soft_delete=SoftDelete(feed="GSI1")):
    keys = Keys("PAGE#{page}", "PAGE", GSI1=("PAGES", "{updated_at}#{page}"), unique=["slug"])
    page: str
    slug: str | None = None


class Sheet(Entity, table=shop, lock="updated_at"):
    keys = Keys("SHEET#{sheet}", "SHEET")
    sheet: str
    total: int = 0


class Ledger(Entity, table=shop, version=True):
    keys = Keys("LEDGER#{ledger}", "LEDGER")
    ledger: str


@shop.pattern
def user(name: str) -> Get[User]:
    return get(User, User.name == name)


@shop.pattern
def order(name: str, number: str) -> Get[Order]:
    return get(Order, Order.name == name, Order.number == number)


@shop.pattern
def orders_by_status(status: str) -> Query[Order]:
    return query(Order, Order.status == status)


@shop.change
def ship(o: Order) -> None:
    require(o.status == "OPEN")
    o.status = "SHIPPED"


@dataclass(frozen=True)
class Work:
    """A call that changes the table; `awaited` is the same for asyncio where it is a block."""

    call: Callable[[Any], Any]
    awaited: Callable[[AsyncSession], Any] | None = None
    atomic: bool = True


def _transact(db: Session) -> None:
    with db.transaction() as tx:
        tx.update(order("ann", "1"), add={"total": 5})
        tx.apply(ship, order("ann", "2"))
        tx.create(User(name="bob", email="bob@example.org"))


async def _transact_async(db: AsyncSession) -> None:
    async with db.transaction() as tx:
        tx.update(order("ann", "1"), add={"total": 5})
        tx.apply(ship, order("ann", "2"))
        tx.create(User(name="bob", email="bob@example.org"))


def _take_out(db: Session) -> None:
    with db.transaction() as tx:
        tx.delete(order("ann", "1"), when=exists(Order.number))
        tx.delete(user("ann"), when=exists(User.email))
        tx.delete(key(Page, page="plain"), when=exists(Page.page))


async def _take_out_async(db: AsyncSession) -> None:
    async with db.transaction() as tx:
        tx.delete(order("ann", "1"), when=exists(Order.number))
        tx.delete(user("ann"), when=exists(User.email))
        tx.delete(key(Page, page="plain"), when=exists(Page.page))


def _delete_as_read(db: Session) -> None:
    found = db.get(key(Ledger, ledger="l"))
    assert found is not None
    db.delete(found)


async def _delete_as_read_async(db: AsyncSession) -> None:
    found = await db.get(key(Ledger, ledger="l"))
    assert found is not None
    await db.delete(found)


def _fill(db: Session) -> None:
    with db.batch() as batch:
        for number in range(MANY):
            batch.put(Order(name="ann", number=f"b{number}"))


async def _fill_async(db: AsyncSession) -> None:
    async with db.batch() as batch:
        for number in range(MANY):
            batch.put(Order(name="ann", number=f"b{number}"))


WORKS = {
    "create": Work(lambda db: db.create(Order(name="ann", number="9"))),
    "create unique": Work(lambda db: db.create(User(name="bob", email="bob@example.org"))),
    "put": Work(lambda db: db.put(Order(name="ann", number="1", status="PAID", total=7))),
    "move": Work(lambda db: db.update(order("ann", "1"), set={"status": "PAID"})),
    "count": Work(lambda db: db.update(order("ann", "1"), add={"total": 5})),
    "under a condition": Work(lambda db: db.update(order("ann", "1"), set={"total": 5}, when=Order.total == 1)),
    "new unique value": Work(lambda db: db.update(user("ann"), set={"email": "new@example.org"})),
    "change": Work(lambda db: db.apply(ship, order("ann", "1"))),
    "delete": Work(lambda db: db.delete(order("ann", "1"))),
    "delete unique": Work(lambda db: db.delete(user("ann"))),
    "delete what must be there": Work(lambda db: db.delete(order("ann", "1"), when=exists(Order.number))),
    "delete unique that must be there": Work(lambda db: db.delete(user("ann"), when=exists(User.email))),
    "delete as it was read": Work(_delete_as_read, _delete_as_read_async),
    "bury what must be there": Work(lambda db: db.delete(key(Page, page="plain"), when=exists(Page.page))),
    "delete in a transaction": Work(_take_out, _take_out_async),
    "transaction": Work(_transact, _transact_async),
    "batch": Work(_fill, _fill_async, atomic=False),
    "upsert of nothing": Work(lambda db: db.upsert(Order(name="ann", number="9", total=1), add={"total": 1})),
    "upsert of something": Work(lambda db: db.upsert(Order(name="ann", number="1"), add={"total": 1})),
    "upsert unique": Work(lambda db: db.upsert(User(name="bob", email="bob@example.org"))),
    "increment": Work(lambda db: db.increment(order("ann", "1"), Order.total, by=5)),
    "bury": Work(lambda db: db.delete(key(Page, page="plain"))),
    "bury unique": Work(lambda db: db.delete(key(Page, page="named"))),
    "bring back": Work(lambda db: db.undelete(key(Page, page="buried"))),
    "purge": Work(lambda db: db.purge(key(Page, page="buried"))),
    "locked by time": Work(lambda db: db.update(key(Sheet, sheet="s"), add={"total": 1})),
    "put under a lock by time": Work(lambda db: db.put(Sheet(sheet="s", total=3))),
}


class World:
    """A table with a user and two orders, on an engine of its own."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        with shop.open(self.transport, create=True, clock=lambda: MOMENT) as db:
            db.create(User(name="ann", email="ann@example.org"))
            db.create(Order(name="ann", number="1", total=1))
            db.create(Order(name="ann", number="2", total=2))
            db.create(Page(page="plain"))
            db.create(Page(page="named", slug="n"))
            db.delete(db.create(Page(page="buried", slug="b")))
            db.create(Sheet(sheet="s"))
            db.create(Ledger(ledger="l"))

    @property
    def transport(self) -> EmbeddedTransport:
        return EmbeddedTransport(self.engine, owned=False)

    def do(self, work: Work, *, with_asyncio: bool) -> None:
        tokens = map(str, itertools.count())
        options: Any = {"retry": AT_ONCE, "clock": lambda: MOMENT, "token": lambda: f"token-{next(tokens)}"}

        async def do_async() -> None:
            transport = AsyncEmbeddedTransport(self.engine, in_memory=True, owned=False)
            async with shop.open_async(transport, **options) as db:
                await (work.awaited or work.call)(db)

        if with_asyncio:
            asyncio.run(do_async())
        else:
            with shop.open(self.transport, **options) as db:
                work.call(db)

    def items(self) -> dict[tuple[str, str], Any]:
        found = self.engine.execute("Scan", {"TableName": "Shop"})["Items"]
        return {(item["PK"]["S"], item["SK"]["S"]): item for item in found}


def states(work: Work) -> tuple[Any, Any]:
    """The table before the work and after it, where nothing goes wrong."""
    with open_engine("memory:") as engine:
        world = World(engine)
        before = world.items()
        world.do(work, with_asyncio=False)
        return before, world.items()


STATES = {name: states(work) for name, work in WORKS.items()}


def check(name: str, faults: list[Fault], *, with_asyncio: bool) -> TablewrightError | None:
    """Do the work among faults; whatever is said of it must be true."""
    work, (before, after) = WORKS[name], STATES[name]
    said: TablewrightError | None = None
    with open_engine("memory:") as engine:
        world = World(engine)
        for fault in faults:
            engine.faults.inject(fault)
        try:
            world.do(work, with_asyncio=with_asyncio)
        except TablewrightError as error:
            said = error
        engine.faults.clear()
        found = world.items()
        assert engine.verify() == []
    if said is None:
        assert found == after
    elif not work.atomic:
        assert all(found[key] == after[key] for key in found)
        if isinstance(said, UnprocessedError):
            left = {(key["PK"]["S"], key["SK"]["S"]) for key in said.keys}
            assert after.keys() - found.keys() <= left
    elif isinstance(said, OutcomeUnknownError):
        assert found in (before, after)
    else:
        # A refusal that is definite: nothing happened, and it is the fault's, not one that our own writes provoked.
        assert isinstance(said, (Throttled, AccessRefused, TransactionCanceled, NetworkError)) or said.retryable
        assert found == before
    return said


BOTH = pytest.mark.parametrize("with_asyncio", [False, True], ids=["sync", "async"])


@BOTH
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("kind", [Throttle, RequestLimit, Conflict], ids=lambda kind: str(kind.name))
def test_what_is_refused_three_times_is_done_in_the_end(name: str, kind: type[Throttle], with_asyncio: bool) -> None:
    assert check(name, [kind(first=3)], with_asyncio=with_asyncio) is None


@BOTH
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("carried_out", [True, False], ids=["carried out", "lost"])
@pytest.mark.parametrize("kind", [LostReply, ServerError], ids=lambda kind: str(kind.name))
def test_a_lost_reply_is_made_good_or_admitted(
    name: str, kind: type[LostReply], carried_out: bool, nth: int, with_asyncio: bool
) -> None:
    said = check(name, [kind(nth=nth, carried_out=carried_out)], with_asyncio=with_asyncio)
    assert said is None or isinstance(said, OutcomeUnknownError)
    if name in (
        "create unique",
        "put",
        "transaction",
        "batch",
        "delete in a transaction",
        "delete unique that must be there",
    ):
        assert said is None


@pytest.mark.parametrize("name", WORKS)
def test_a_count_is_never_made_twice_and_what_never_ends_is_given_up(name: str) -> None:
    for endless in (Throttle(), LostReply(), ServerError(carried_out=True), LostReply(carried_out=False)):
        said = check(name, [endless], with_asyncio=False)
        assert said is not None
        assert endless.fired <= 4 * (MAX_CALLS if name == "batch" else 1)


MAX_CALLS = 12


@pytest.mark.parametrize("name", WORKS)
def test_expired_credentials_are_told_at_once(name: str) -> None:
    expired = ExpiredToken()
    said = check(name, [expired], with_asyncio=False)
    assert isinstance(said, AccessRefused)
    assert expired.fired == 1


@BOTH
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("carried_out", [True, False], ids=["carried out", "lost"])
def test_credentials_that_expire_after_a_lost_reply_are_no_answer(
    name: str, carried_out: bool, with_asyncio: bool
) -> None:
    faults = [LostReply(operations="writes", nth=1, carried_out=carried_out), ExpiredToken(operations="writes", nth=2)]
    said = check(name, faults, with_asyncio=with_asyncio)
    assert isinstance(said, (OutcomeUnknownError, UnprocessedError))


def test_a_change_that_cannot_be_read_back_is_no_refusal() -> None:
    """It went as a transaction, which returns nothing, so the item is read; that is where it fails."""
    said = check("new unique value", [Throttle(operations="GetItem", nth=(2, 3, 4, 5))], with_asyncio=False)
    assert isinstance(said, OutcomeUnknownError)
    assert "was changed, but could not be read back" in said.message


def test_a_throttled_repetition_does_not_tell_what_became_of_a_lost_one() -> None:
    lost, throttled = LostReply(operations="TransactWriteItems", nth=1), Throttle(operations="TransactWriteItems")
    said = check("delete unique", [lost, Throttle(operations="TransactWriteItems", nth=(2, 3, 4))], with_asyncio=False)
    assert isinstance(said, OutcomeUnknownError)
    assert isinstance(check("delete unique", [throttled], with_asyncio=False), TransactionCanceled)


@BOTH
@pytest.mark.parametrize("schedule", [{"every": 2}, {"share": 0.4, "seed": 4}], ids=["every second", "some"])
def test_leftovers_of_a_batch_are_sent_again(schedule: dict[str, Any], with_asyncio: bool) -> None:
    fault = Unprocessed(**schedule)
    assert check("batch", [fault], with_asyncio=with_asyncio) is None
    assert fault.fired > MANY / 4


def test_leftovers_of_a_read_are_asked_for_again() -> None:
    with open_engine("memory:") as engine:
        world = World(engine)
        world.do(WORKS["batch"], with_asyncio=False)
        with (
            shop.open(world.transport, retry=AT_ONCE) as db,
            engine.faults.inject(Unprocessed(share=0.6, seed=1)) as fault,
        ):
            found = db.get_many([order("ann", f"b{number}") for number in range(MANY)])
        assert [None if one is None else one.number for one in found] == [f"b{number}" for number in range(MANY)]
        assert fault.fired > 10


@BOTH
def test_reads_are_repeated(with_asyncio: bool) -> None:
    def read(db: Any) -> Any:
        return db.run(orders_by_status, "OPEN").all()

    with open_engine("memory:") as engine:
        world = World(engine)

        async def read_async() -> Any:
            transport = AsyncEmbeddedTransport(engine, in_memory=True, owned=False)
            async with shop.open_async(transport, retry=AT_ONCE) as db:
                return await read(db)

        for fault in (Throttle(first=3), LostReply(first=3), ServerError(first=2), LostReply(nth=1)):
            with engine.faults.inject(fault), shop.open(world.transport, retry=AT_ONCE) as db:
                found = asyncio.run(read_async()) if with_asyncio else read(db)
            assert [one.number for one in found] == ["1", "2"]
            assert fault.fired >= 1


def test_a_hot_partition_is_waited_for() -> None:
    clock = ManualClock(MOMENT)

    def waiting() -> float:
        clock.move(0.2)
        return 0.0

    with open_engine("memory:", clock=clock) as engine:
        world = World(engine)
        with (
            engine.faults.inject(PartitionLimits(write=10)) as limits,
            shop.open(world.transport, retry=RetryPolicy(random=waiting)) as db,
        ):
            for number in range(40):
                db.create(Order(name="ann", number=f"h{number}", status=f"S{number}"))
        assert limits.fired == 15
        assert len(world.items()) == 50


some_faults = st.lists(
    st.one_of(
        st.builds(Throttle, share=st.floats(0, 0.6), seed=st.integers(0, 99)),
        st.builds(Conflict, share=st.floats(0, 0.6), seed=st.integers(0, 99)),
        st.builds(LostReply, share=st.floats(0, 0.6), seed=st.integers(0, 99), carried_out=st.booleans()),
        st.builds(ServerError, share=st.floats(0, 0.6), seed=st.integers(0, 99), carried_out=st.booleans()),
        st.builds(Unprocessed, share=st.floats(0, 0.9), seed=st.integers(0, 99)),
    ),
    max_size=3,
)


@given(name=st.sampled_from(sorted(WORKS)), faults=some_faults)
def test_whatever_goes_wrong_what_is_said_is_true(name: str, faults: list[Fault]) -> None:
    check(name, faults, with_asyncio=False)
