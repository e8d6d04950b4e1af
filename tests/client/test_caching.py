"""The read cache: answers without requests, and never with what a session has written over."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablewright import Entity, Keys, ReadCache, Session, Table, key, number, open_table
from tablewright.client.opening import _place
from tablewright.client.settings import Environment, SessionOptions
from tablewright.engine import Engine, open_engine
from tablewright.errors import ConfigError, OutcomeUnknownError, TablewrightError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE
from tests.client.doubles import OnTheWay
from tests.client.lab import Account, Note, Ticket, lab

NOTE = key(Note, note_id="n")


class Time:
    """Seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def cache(clock: Time) -> ReadCache:
    return ReadCache(max_items=3, max_age=60, settle=0, now=clock)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as opened:
        yield opened


@pytest.fixture
def wire(engine: Engine) -> OnTheWay:
    return OnTheWay(EmbeddedTransport(engine, owned=False))


@pytest.fixture
def db(wire: OnTheWay, cache: ReadCache) -> Session:
    opened = lab.open(wire, create=True, cache=cache, retry=AT_ONCE)
    opened.put(Note(note_id="n", text="one"))
    wire.restart()
    return opened


def text(db: Session, **more: Any) -> str | None:
    found = db.get(NOTE, **more)
    return None if found is None else found.text


def test_an_item_is_fetched_once(db: Session, wire: OnTheWay, cache: ReadCache, clock: Time) -> None:
    assert [text(db), text(db), text(db)] == ["one"] * 3
    assert wire.operations == ["GetItem"]
    assert (cache.hits, cache.misses, len(cache)) == (2, 1, 1)
    found = db.get(NOTE)
    assert found is not None
    found.text = "changed in place"
    assert text(db) == "one"
    clock.now = 60
    assert text(db) == "one"
    assert wire.operations == ["GetItem", "GetItem"]


def test_what_must_be_fresh_or_is_not_there_is_always_fetched(db: Session, wire: OnTheWay, cache: ReadCache) -> None:
    text(db)
    assert text(db, consistent=True) == "one"
    assert [db.get(key(Note, note_id="none")) for _ in range(2)] == [None, None]
    assert wire.operations == ["GetItem"] * 4
    assert len(cache) == 1


def test_the_least_recently_used_item_makes_room(db: Session, wire: OnTheWay, cache: ReadCache) -> None:
    for name in "abcd":
        db.put(Note(note_id=name))
        db.get(key(Note, note_id=name))
    assert len(cache) == 3
    wire.restart()
    for name in "bcd":
        db.get(key(Note, note_id=name))
    assert wire.sent == []
    db.get(key(Note, note_id="a"))
    assert len(wire.sent) == 1


def in_batch(db: Session) -> None:
    with db.batch() as batch:
        batch.put(Note(note_id="n", text="two"))


def in_transaction(db: Session) -> None:
    with db.transaction() as tx:
        tx.update(NOTE, set={"text": "two"})


def raw(db: Session) -> None:
    names = {"PK": {"S": "NOTE#n"}, "SK": {"S": "NOTE#n"}}
    values = {":t": {"S": "two"}}
    db.send(
        "UpdateItem",
        {"TableName": "Lab", "Key": names, "UpdateExpression": "SET #t = :t",
         "ExpressionAttributeNames": {"#t": "text"}, "ExpressionAttributeValues": values},
    )  # fmt: skip


def partiql(db: Session) -> None:
    db.send(
        "ExecuteStatement",
        {"Statement": 'UPDATE "Lab" SET "text" = ? WHERE PK = ? AND SK = ?',
         "Parameters": [{"S": "two"}, {"S": "NOTE#n"}, {"S": "NOTE#n"}]},
    )  # fmt: skip


def edited(db: Session) -> None:
    with db.edit(NOTE) as note:
        note.text = "two"


WRITES: dict[str, Callable[[Session], object]] = {
    "put": lambda db: db.put(Note(note_id="n", text="two")),
    "update": lambda db: db.update(NOTE, set={"text": "two"}),
    "edit": edited,
    "batch": in_batch,
    "transaction": in_transaction,
    "raw": raw,
    "partiql": partiql,
}


@pytest.mark.parametrize("name", WRITES)
def test_every_way_to_write_is_seen(db: Session, name: str) -> None:
    assert text(db) == "one"
    WRITES[name](db)
    assert text(db) == "two"
    db.delete(NOTE)
    assert text(db) is None


@pytest.mark.parametrize("name", ["put", "update", "batch", "transaction"])
def test_a_write_whose_reply_was_lost_is_seen(db: Session, wire: OnTheWay, name: str) -> None:
    assert text(db) == "one"
    wire.restart()
    wire.lose = set(range(5))
    with pytest.raises(TablewrightError) as caught:
        WRITES[name](db)
    assert isinstance(caught.value, OutcomeUnknownError) or caught.value.code == "UNPROCESSED"
    wire.restart()
    assert text(db) == "two"


def test_a_read_that_a_write_overtook_is_not_kept(db: Session, wire: OnTheWay, cache: ReadCache) -> None:
    inner = wire.inner.send

    def slow(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        response = inner(operation, request)
        if operation == "GetItem":
            wire.inner.send = inner  # type: ignore[method-assign]
            db.put(Note(note_id="n", text="two"))  # between the answer and its arrival
        return response

    wire.inner.send = slow  # type: ignore[method-assign]
    assert text(db) == "one"
    assert len(cache) == 0
    assert text(db) == "two"


def test_an_item_just_written_is_kept_only_when_it_has_settled(wire: OnTheWay, clock: Time) -> None:
    cache = ReadCache(settle=2, now=clock)
    db = lab.open(wire, create=True, cache=cache)
    db.put(Note(note_id="n", text="one"))
    wire.restart()
    text(db)
    text(db)
    assert len(wire.sent) == 2
    clock.now = 2
    text(db)
    text(db)
    assert len(wire.sent) == 3
    cache.clear()
    text(db)
    text(db)
    assert len(wire.sent) == 5


def test_sessions_that_share_a_cache_see_each_other(wire: OnTheWay, db: Session, cache: ReadCache) -> None:
    assert text(db) == "one"
    other = lab.open(wire, cache=cache)
    other.update(NOTE, set={"text": "two"})
    assert text(db) == "two"


def test_a_cache_is_for_one_place(engine: Engine, tmp_path: Path) -> None:
    async def asynchronously(target: Any, cache: ReadCache) -> None:
        async with lab.open_async(target, cache=cache):
            pass

    file = tmp_path / "lab.db"
    places: list[Any] = ["memory:", engine, file, "http://127.0.0.1:1", "aws:eu-west-1", "http://127.0.0.1:2"]
    for place in places:
        cache = ReadCache()
        lab.open(place, cache=cache).close()
        for other in places:
            if other is place and place != "memory:":
                lab.open(other, cache=cache).close()
            else:
                with pytest.raises(ConfigError, match="another place"):
                    lab.open(other, cache=cache)
                with pytest.raises(ConfigError, match="another place"):
                    asyncio.run(asynchronously(other, cache))


def test_profiles_are_places_too() -> None:
    cache = ReadCache()
    cache.bind(_place("aws:eu-west-1", Environment.read(), SessionOptions(profile="one")))
    with pytest.raises(ConfigError, match="another place"):
        cache.bind(_place("aws:eu-west-1", Environment.read(), SessionOptions(profile="two")))


def test_a_read_during_a_write_leaves_nothing_old(db: Session, wire: OnTheWay, cache: ReadCache) -> None:
    wire.before = {0: lambda: text(db)}  # the write is under way: what is read now is old when it ends
    db.update(NOTE, set={"text": "two"})
    assert wire.operations == ["UpdateItem", "GetItem"]
    assert len(cache) == 0
    assert text(db) == "two"


SELECT = {"Statement": " select * FROM \"Lab\" WHERE PK = 'NOTE#n'"}
REMOVE = {"Statement": "DELETE FROM \"Lab\" WHERE PK = 'NOTE#n' AND SK = 'NOTE#n'"}


@pytest.mark.parametrize(
    ("operation", "request_", "kept"),
    [
        ("ExecuteStatement", SELECT, 1),
        ("ExecuteStatement", REMOVE, 0),
        ("BatchExecuteStatement", {"Statements": [SELECT]}, 1),
        ("BatchExecuteStatement", {"Statements": [SELECT, REMOVE]}, 0),
        ("ExecuteTransaction", {"TransactStatements": [SELECT]}, 1),
        ("ExecuteTransaction", {"TransactStatements": [REMOVE]}, 0),
    ],
    ids=["select", "delete", "batch of reads", "mixed batch", "reading transaction", "writing transaction"],
)
def test_statements_that_only_read_forget_nothing(
    db: Session, cache: ReadCache, operation: str, request_: dict[str, Any], kept: int
) -> None:
    text(db)
    with suppress(TablewrightError):  # whatever becomes of it
        db.send(operation, request_)
    assert len(cache) == kept


def test_guarded_writes_are_right_beside_a_cache(db: Session) -> None:
    db.create(Ticket(tenant_id="t", ticket_id="1", rank=3))
    db.create(Account(account_id="a", tenant_id="t", email="a@x"))
    ticket, account = key(Ticket, tenant_id="t", ticket_id="1"), key(Account, account_id="a")
    for turn in range(3):
        found = db.get(account)
        assert found is not None
        found.logins += 1
        db.put(found)
        assert db.update(ticket, set={"status": ("OPEN", "DONE", "NEW")[turn]}).rank == 3
    again = db.get(account)
    assert again is not None
    assert again.logins == 3
    assert [t.status for t in db.query(Ticket, Ticket.status == "NEW")] == ["NEW"]


def test_what_a_cache_cannot_be_is_refused() -> None:
    for wrong in ({"max_items": 0}, {"max_items": True}, {"max_age": 0}, {"settle": -1}):
        with pytest.raises(ConfigError):
            ReadCache(**cast(Any, wrong))
    with pytest.raises(ConfigError, match="a ReadCache"):
        lab.open("memory:", cache=cast(Any, {}))
    with pytest.raises(ConfigError, match="needs a model"):
        open_table("Lab", "memory:", definition=lab, cache=ReadCache())


def test_the_same_with_asyncio() -> None:
    async def go() -> None:
        cache = ReadCache(settle=0)
        async with lab.open_async("memory:", cache=cache) as db:
            await db.put(Note(note_id="n", text="one"))
            for _ in range(3):
                found = await db.get(NOTE)
                assert found is not None
                assert found.text == "one"
            assert cache.hits == 2
            await db.update(NOTE, set={"text": "two"})
            found = await db.get(NOTE)
            assert found is not None
            assert found.text == "two"
            assert db.boto3_client is None

    asyncio.run(go())


def test_threads_never_read_what_is_older_than_a_finished_write(engine: Engine) -> None:
    db = lab.open(engine, cache=ReadCache(max_items=2, settle=0))
    db.put(Note(note_id="n", text="0"))
    finished = [0]
    wrong: list[tuple[int, int]] = []

    def write() -> None:
        for turn in range(1, 200):
            db.put(Note(note_id="n", text=str(turn)))
            finished[0] = turn

    def read() -> None:
        while finished[0] < 199:
            before = finished[0]
            found = text(db)
            if found is None or int(found) < before:
                wrong.append((before, int(found or -1)))

    threads = [threading.Thread(target=write), *(threading.Thread(target=read) for _ in range(3))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@given(st.lists(st.tuples(st.sampled_from(["read", "put", "delete", "later"]), st.integers(0, 3)), max_size=40))
@settings(max_examples=60, deadline=None)
def test_reads_are_as_without_a_cache(acts: list[tuple[str, int]]) -> None:
    clock = Time()
    with lab.open("memory:", cache=ReadCache(max_items=2, max_age=5, settle=0, now=clock)) as db:
        known: dict[str, str] = {}
        for number, (act, which) in enumerate(acts):
            name = str(which)
            if act == "put":
                db.put(Note(note_id=name, text=str(number)))
                known[name] = str(number)
            elif act == "delete":
                db.delete(key(Note, note_id=name))
                known.pop(name, None)
            elif act == "later":
                clock.now += which
            else:
                found = db.get(key(Note, note_id=name))
                assert (found.text if found else None) == known.get(name)


NO_REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("GetItem", {}),
    ("GetItem", {"TableName": "Lab"}),
    ("GetItem", {"TableName": "Lab", "Key": 5}),
    ("GetItem", {"TableName": "Lab", "Key": {"PK": 5, "SK": 5}}),
    ("PutItem", {"TableName": "Lab", "Item": 5}),
    ("UpdateItem", {"TableName": "Lab", "Key": {"PK": {"N": "no"}}}),
    ("BatchWriteItem", {"RequestItems": 5}),
    ("BatchWriteItem", {"RequestItems": {"Lab": [{}]}}),
    ("TransactWriteItems", {"TransactItems": [5]}),
    ("TransactWriteItems", {"TransactItems": [{"Put": {}}]}),
    ("BatchExecuteStatement", {"Statements": [5]}),
]


@pytest.mark.parametrize(
    ("operation", "request_"), NO_REQUESTS, ids=[f"{n}-{o}" for n, (o, _) in enumerate(NO_REQUESTS)]
)
def test_what_is_no_request_is_refused_by_whoever_gets_it(
    db: Session, operation: str, request_: dict[str, Any]
) -> None:
    with pytest.raises(TablewrightError):
        db.send(operation, request_)


numbers = Table("Numbers", pk=number("number"), sk=None)


class Numbered(Entity, table=numbers, timestamps=False):
    keys = Keys("{number}")
    number: int
    text: str = ""


def test_a_number_in_a_key_names_the_same_item_however_it_is_written() -> None:
    with numbers.open("memory:", create=True, cache=ReadCache(settle=0.0)) as db:
        one = key(Numbered, number=1)
        db.put(Numbered(number=1, text="old"))
        assert db.get(one) == Numbered(number=1, text="old")
        db.send("PutItem", {"TableName": "Numbers", "Item": {"number": {"N": "1.0"}, "text": {"S": "new"}}})
        assert db.get(one) == Numbered(number=1, text="new")
