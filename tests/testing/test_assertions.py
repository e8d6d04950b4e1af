"""Assertions about requests, capacity and the items of a table; what they say when they fail."""

from __future__ import annotations

import asyncio

import pytest

from tablewright import Session
from tablewright.engine import Engine
from tablewright.errors import ArgumentError
from tablewright.testing import (
    OpenAsyncTable,
    OpenTable,
    assert_capacity,
    assert_one_request,
    assert_one_request_async,
    assert_requests,
    assert_unchanged,
    expect_requests,
    snapshot,
    snapshot_async,
)
from tests.testing.accounts import Account, account, accounts, accounts_of


@pytest.fixture
def db(tablewright_table: OpenTable) -> Session:
    """A table with three accounts."""
    session = tablewright_table(accounts)
    for number in "123":
        session.create(Account(number=number, branch="main" if number != "3" else "harbour"))
    return session


def test_requests(db: Session) -> None:
    with db.measure() as meter:
        db.run(account, "1")
        db.run(accounts_of, "main").all()
    assert_requests(meter, "GetItem", "Query")
    assert_requests(meter, "GetItem", "Query/GSI1")
    with pytest.raises(AssertionError) as failed:
        assert_requests(meter, "GetItem", "Query/GSI2")
    assert str(failed.value) == (
        "2 requests expected:\n  GetItem\n  Query/GSI2\n2 requests sent:\n  GetItem\n  Query/GSI1"
    )


def test_requests_of_a_block(db: Session) -> None:
    with expect_requests(db, "GetItem"):
        db.run(account, "1")
    nothing = r"1 request expected:\n  GetItem\n0 requests sent:\n  \(none\)"
    with pytest.raises(AssertionError, match=nothing), expect_requests(db, "GetItem"):
        pass
    with pytest.raises(ZeroDivisionError), expect_requests(db, "GetItem"):
        raise ZeroDivisionError


def test_capacity(db: Session) -> None:
    with db.measure() as meter:
        db.run(account, "1")
        db.put(Account(number="4"))
    assert_capacity(meter, read=0.5, write=2)
    assert_capacity(meter)
    with pytest.raises(AssertionError) as failed:
        assert_capacity(meter, read=0.5, write=1)
    assert str(failed.value).startswith("2 write units were consumed; 1 were allowed:\n  GetItem: 0\n")


def test_one_request(db: Session) -> None:
    assert assert_one_request(db, account, "1") == Account(number="1")
    assert [found.number for found in assert_one_request(db, accounts_of, "main")] == ["1", "2"]
    text = "x" * 390_000
    for number in "456":
        # Larger than one page of 1 MB together.
        db.send("PutItem", {"TableName": "Accounts", "Item": _large(db, number, text)})
    with pytest.raises(AssertionError, match="accounts_of took 2 requests, not one:\n  Query/GSI1\n  Query/GSI1"):
        assert_one_request(db, accounts_of, "main")


def _large(db: Session, number: str, text: str) -> dict[str, dict[str, str]]:
    db.put(Account(number=number))
    key = {"PK": {"S": f"ACCOUNT#{number}"}, "SK": {"S": f"ACCOUNT#{number}"}}
    item: dict[str, dict[str, str]] = db.send("GetItem", {"TableName": "Accounts", "Key": key})["Item"]
    return {**item, "text": {"S": text}}


def test_one_request_for_asyncio(tablewright_async_table: OpenAsyncTable) -> None:
    async def work() -> None:
        async with tablewright_async_table(accounts) as db:
            await db.create(Account(number="1"))
            assert await assert_one_request_async(db, account, "1") == Account(number="1")
            assert await assert_one_request_async(db, accounts_of, "main") == [Account(number="1")]
            before = await snapshot_async(db)
            with pytest.raises(AssertionError, match="0 requests"), expect_requests(db, "GetItem"):
                pass
            assert_unchanged(before, await snapshot_async(db))

    asyncio.run(work())


def test_snapshots_tell_what_changed(db: Session) -> None:
    before = snapshot(db)
    assert len(before) == 3
    assert_unchanged(before, snapshot(db))
    db.update(account("1"), set={"balance": 7})
    db.delete(account("2"))
    db.create(Account(number="4"))
    difference = snapshot(db).since(before)
    assert list(difference.added) == [("ACCOUNT#4", "ACCOUNT#4")]
    assert list(difference.removed) == [("ACCOUNT#2", "ACCOUNT#2")]
    ((old, new),) = difference.changed.values()
    assert (old["balance"], new["balance"]) == ({"N": "0"}, {"N": "7"})
    lines = str(difference).split("\n")
    assert [line for line in lines if "UpdatedAt" not in line] == [
        "1 added, 1 removed, 1 changed",
        "+ ACCOUNT#4",
        "- ACCOUNT#2",
        "~ ACCOUNT#1",
        "    balance: 0 -> 7",
    ]
    with pytest.raises(AssertionError, match="The table Accounts has changed: 1 added"):
        assert_unchanged(before, snapshot(db))


def test_long_differences_are_cut(db: Session) -> None:
    before = snapshot(db)
    for number in range(100, 130):
        db.create(Account(number=str(number)))
    assert str(snapshot(db).since(before)).endswith("and 10 lines more")
    assert str(before.since(before)) == "Nothing has changed."


def test_snapshots_of_an_engine(db: Session, tablewright_engine: Engine) -> None:
    assert_unchanged(snapshot(db), snapshot(tablewright_engine, "Accounts"))
    with pytest.raises(ArgumentError, match="many tables"):
        snapshot(tablewright_engine)
