"""Some fields of many items, pages that say what they read, and large results of which one page is in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, cast

import pytest
from pydantic import BaseModel

from tablewright import Session, key, query
from tablewright.errors import ArgumentError, PatternError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import CURSOR_KEYS
from tests.client.doubles import OnTheWay
from tests.client.lab import Account, Note, Ticket, lab, tickets_in, tickets_of


class Brief(BaseModel):
    """Little of a ticket."""

    ticket_id: str
    rank: int


class Named(BaseModel):
    """Little of an account."""

    name: str


@pytest.fixture
def wire() -> OnTheWay:
    return OnTheWay(EmbeddedTransport.open("memory:"))


@pytest.fixture
def db(wire: OnTheWay) -> Iterator[Session]:
    with lab.open(wire, create=True, cursor_keys=CURSOR_KEYS) as opened:
        with opened.batch() as batch:
            for n in range(40):
                batch.put(Ticket(tenant_id="t", ticket_id=f"{n:02}", rank=n, notes=["long"] * 3))
        wire.restart()
        yield opened


def tickets(*numbers: int) -> list[Any]:
    return [key(Ticket, tenant_id="t", ticket_id=f"{n:02}") for n in numbers]


def test_many_items_are_read_in_part(db: Session, wire: OnTheWay) -> None:
    expected = [Brief(ticket_id="03", rank=3), None, Brief(ticket_id="01", rank=1)]
    assert db.get_many(tickets(3, 99, 1), only=Brief) == expected
    assert db.get_many(tickets(3, 99, 1), only=Brief, together=True) == expected
    assert db.get_many(tickets(3), only=Brief, consistent=True) == expected[:1]
    request = wire.sent[0][1]["RequestItems"]["Lab"]
    assert "notes" not in request["ExpressionAttributeNames"].values()
    db.create(Account(account_id="a", tenant_id="t", email="e", name="Ada"))
    assert db.get_many([key(Account, account_id="a")], only=Named) == [Named(name="Ada")]
    wire.restart()
    with pytest.raises(PatternError, match="has the field 'name'"):
        db.get_many(tickets(1), only=Named)
    assert wire.sent == []


def test_many_items_are_asked_for_in_chunks_of_a_size(db: Session, wire: OnTheWay) -> None:
    assert all(db.get_many(tickets(*range(40)), chunk_size=15))
    assert [len(r["RequestItems"]["Lab"]["Keys"]) for _, r in wire.sent] == [15, 15, 10]
    for wrong in (0, 101, True):
        with pytest.raises(ArgumentError, match="chunk_size"):
            db.get_many(tickets(1, 2), chunk_size=cast(int, wrong))


def test_a_page_says_what_was_read_and_within_a_measure_what_it_cost(db: Session) -> None:
    filtered = db.execute(query(Ticket, Ticket.tenant_id == "t").filter(Ticket.rank >= 30))
    page = filtered.page(5)
    assert (len(page), page.capacity) == (5, None)
    assert page.scanned is not None
    assert page.scanned >= 35
    with db.measure() as meter:
        page = db.run(tickets_of, "t").page(10)
    assert page.scanned == 10
    assert page.capacity == meter.capacity
    with db.measure():
        merged = db.run(tickets_in, "NEW").page(3)
    assert merged.capacity is not None
    assert merged.capacity.read > 0


class Pages:
    """A long partition, as a transport that makes its pages up and counts them."""

    def __init__(self, size: int, count: int) -> None:
        self.size, self.count, self.asked = size, count, 0

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        assert operation == "Query"
        self.asked += 1
        items = [
            {"PK": {"S": "TOPIC"}, "SK": {"S": f"{self.asked:06}"}, "GSI1PK": {"S": "TOPIC#x"}, "GSI1SK": {"S": f"{n:09}"},
             "Type": {"S": "Note"}, "note_id": {"S": f"{n:09}"}, "topic": {"S": "x"}, "text": {"S": ""}}
            for n in range(self.asked * self.size, (self.asked + 1) * self.size)
        ]  # fmt: skip
        more = {"LastEvaluatedKey": items[-1]} if self.asked < self.count else {}
        return {"Items": items, "Count": self.size, "ScannedCount": self.size, **more}

    def close(self) -> None:
        pass


def test_iterating_reads_one_page_ahead_of_nobody() -> None:
    pages = Pages(size=50, count=200)
    with lab.open(pages, create=False) as db:
        seen = 0
        for note in db.query(Note, Note.topic == "x"):
            seen += 1
            assert note.topic == "x"
            assert pages.asked == (seen + 49) // 50  # a page is asked for when its first item is, and none before
        assert seen == 10_000


def test_the_same_with_asyncio() -> None:
    async def go() -> None:
        async with lab.open_async("memory:", cursor_keys=CURSOR_KEYS) as db:
            for n in range(3):
                await db.create(Ticket(tenant_id="t", ticket_id=f"{n:02}", rank=n))
            assert await db.get_many(tickets(2, 9), only=Brief, chunk_size=1) == [Brief(ticket_id="02", rank=2), None]
            page = await db.run(tickets_of, "t").page(2)
            assert page.scanned == 2

    asyncio.run(go())
