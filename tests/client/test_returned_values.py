"""What writes return: the item after or before, only what changed, or nothing, and never something that it was not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tablewright import Session, key, stored
from tablewright.errors import ArgumentError
from tests.client.conftest import Laboratory
from tests.client.lab import Account, Note, Ticket, lab

ONE = key(Ticket, tenant_id="t", ticket_id="1")


def one(**more: Any) -> Ticket:
    return Ticket(tenant_id="t", ticket_id="1", **more)


def ann(**more: Any) -> Account:
    return Account(**{"account_id": "1", "tenant_id": "t", "email": "ann@x", **more})


def test_a_put_returns_what_was_there(anywhere: Session) -> None:
    db = anywhere
    first = one(rank=1)
    assert db.put(first, returns="old") is None
    assert stored(first) is not None
    second = one(rank=2)
    assert db.put(second, returns="old") == first
    before, after = stored(first), stored(second)
    assert before is not None
    assert after is not None
    assert before.created == after.created
    db.put(one(rank=3), returns="none")
    assert db.put(one(rank=4), returns="new").rank == 4
    assert db.put(ann(), returns="old") is None
    renamed = ann(email="anna@x")
    assert db.put(renamed, returns="old") == ann()
    known = stored(renamed)
    assert known is not None
    assert known.version == 2
    assert stored(db.put(renamed)) is not None


def test_an_update_returns_what_it_is_asked_for(anywhere: Session) -> None:
    db = anywhere
    db.create(one())
    db.create(ann())
    account = key(Account, account_id="1")
    assert db.update(ONE, set={"rank": 1}) == one(rank=1)
    assert db.update(ONE, set={"rank": 2}, returns="new") == one(rank=2)
    assert db.update(ONE, set={"rank": 3}, returns="old") == one(rank=2)
    db.update(ONE, set={"rank": 4}, add={}, returns="none")
    assert db.update(ONE, set={"rank": 5, "city": "Bonn"}, returns="old_fields") == {"rank": 4, "city": None}
    assert db.update(ONE, set={"rank": 6}, append={"notes": ["n"]}, returns="new_fields") == {"rank": 6, "notes": ["n"]}
    assert db.update(account, set={"email": "b@x"}, returns="old") == ann()
    assert db.update(account, set={"email": "c@x"}, returns="old_fields") == {"email": "b@x"}
    assert db.update(account, set={"email": "d@x"}, returns="new_fields") == {"email": "d@x"}
    db.update(account, set={"email": "e@x"}, returns="none")
    note = db.create(Note(note_id="1"))
    assert db.update(note, set={}, returns="old") == note


def test_a_delete_returns_what_it_deleted_or_nothing(anywhere: Session) -> None:
    db = anywhere
    db.create(one())
    assert db.delete(ONE) == one()
    db.create(one())
    db.delete(ONE, returns="none")
    assert db.get(ONE) is None


def test_what_was_there_is_what_was_written_over(laboratory: Laboratory) -> None:
    """A transaction returns nothing, so what was read must be what was there at the moment of the write."""
    db, wire = laboratory.db, laboratory.wire
    db.create(ann())
    account = key(Account, account_id="1")
    wire.restart()
    wire.before = {1: lambda: laboratory.other.update(account, set={"name": "faster"})}
    assert db.update(account, set={"email": "b@x"}, returns="old") == ann(name="faster")
    wire.restart()
    wire.before = {1: lambda: laboratory.other.update(account, set={"name": "again"})}
    assert db.put(ann(email="c@x"), returns="old") == ann(email="b@x", name="again")


def test_nothing_returned_is_nothing_sent_back(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    db.create(one())
    db.create(ann())
    wire.restart()
    db.put(one(), returns="none")
    db.delete(ONE, returns="none")
    db.update(key(Account, account_id="1"), set={"email": "b@x"}, returns="none")
    assert [o for o, _ in wire.sent] == ["UpdateItem", "DeleteItem", "GetItem", "TransactWriteItems"]
    assert all("ReturnValues" not in r for _, r in wire.sent)


@pytest.mark.parametrize("wrong", ["ALL_NEW", "updated", None, 1])
def test_other_values_are_refused_before_anything_is_sent(laboratory: Laboratory, wrong: Any) -> None:
    db, wire = laboratory.db, laboratory.wire
    wire.restart()
    calls: list[Callable[[], object]] = [
        lambda: db.put(one(), returns=wrong),
        lambda: db.update(ONE, set={"rank": 1}, returns=wrong),
        lambda: db.delete(ONE, returns=wrong),
        lambda: db.delete(ONE, returns="new"),  # type: ignore[call-overload]
        lambda: db.put(one(), returns="old_fields"),  # type: ignore[call-overload]
    ]
    for call in calls:
        with pytest.raises(ArgumentError, match=r"returns=\.\.\."):
            call()
    assert wire.sent == []


def test_async_writes_return_the_same() -> None:
    async def work() -> None:
        async with lab.open_async("memory:") as db:
            assert await db.put(one(), returns="old") is None
            assert await db.put(one(rank=1), returns="old") == one()
            assert await db.update(ONE, set={"rank": 2}, returns="old_fields") == {"rank": 1}
            await db.delete(ONE, returns="none")
            assert await db.get(ONE) is None

    asyncio.run(work())
