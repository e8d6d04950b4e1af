"""Upserts, saves and increments: right whoever else makes, changes or deletes the item meanwhile."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from tablewright import Session, key, stored
from tablewright.errors import (
    AlreadyExistsError,
    ArgumentError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ContentionError,
    FieldTypeError,
    ImmutableFieldError,
    NotFoundError,
    OutcomeUnknownError,
    UniqueViolationError,
    UnknownEntityTypeError,
)
from tests.client.conftest import Laboratory
from tests.client.lab import Account, Draft, Invoice, Line, Note, Sheet, Survey, Ticket, lab
from tests.property.naive import problems

ONE = key(Ticket, tenant_id="t", ticket_id="1")


def one(**more: Any) -> Ticket:
    return Ticket(tenant_id="t", ticket_id="1", **more)


def ann(**more: Any) -> Account:
    return Account(**{"account_id": "1", "tenant_id": "t", "email": "ann@x", **more})


# ------------------------------------------------------------------------------------------------------- upserts


def test_an_upsert_makes_or_changes(anywhere: Session) -> None:
    db = anywhere
    assert db.upsert(one(rank=1), add={"rank": 5}) == one(rank=1)
    assert db.upsert(one(rank=1), add={"rank": 5}) == one(rank=6)
    assert db.upsert(one(status="OPEN")) == one(rank=6, status="OPEN")  # the fields that were given are set
    assert db.upsert(one(), append={"notes": ["a"]}, include={"tags": ["hot"]}).notes == ["a"]
    assert db.upsert(ann(name="Ann"), set={"name": "Anna"}).name == "Ann"
    again = db.upsert(ann(name="Ann"), set={"name": "Anna", "email": "anna@x"})
    assert (again.name, again.email) == ("Anna", "anna@x")
    assert db.upsert(Survey(tenant_id="t", survey_id="1", votes=1), add={"votes": 1}).votes == 1
    assert db.upsert(Survey(tenant_id="t", survey_id="1", votes=1), add={"votes": 1}).votes == 2
    items = db.send("Scan", {"TableName": db.table_name, "ConsistentRead": True})["Items"]
    assert problems(items) == []


def test_an_upsert_tries_the_change_first(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    db.upsert(Note(note_id="1", text="a"))
    assert wire.operations == ["UpdateItem", "PutItem"]
    wire.restart()
    db.upsert(Note(note_id="1", text="b"))
    assert wire.operations == ["UpdateItem"]


def test_keys_only_is_a_touch(laboratory: Laboratory) -> None:
    made = laboratory.db.upsert(one())
    again = laboratory.db.upsert(one())
    before, after = stored(made), stored(again)
    assert before is not None
    assert after is not None
    assert (before.created, made) == (after.created, again)
    assert before.updated != after.updated


def test_what_is_gone_before_it_can_be_read_back_is_told(laboratory: Laboratory) -> None:
    laboratory.db.create(Note(note_id="1"))
    laboratory.wire.restart()
    laboratory.wire.before = {1: lambda: laboratory.other.delete(key(Note, note_id="1"))}
    with pytest.raises(NotFoundError, match="deleted by somebody else"):
        laboratory.db.upsert(Note(note_id="1"))  # nothing to set, and no time stamp: it is looked at, and read
    assert laboratory.wire.operations[-1] == "GetItem"
    assert laboratory.items() == []


def test_somebody_makes_it_meanwhile(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    wire.before = {1: lambda: laboratory.other.create(one(rank=10))}
    assert db.upsert(one(rank=1), add={"rank": 5}).rank == 15
    assert wire.operations == ["GetItem", "PutItem", "UpdateItem"]
    assert problems(laboratory.items()) == []


def test_somebody_deletes_it_meanwhile(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    db.create(one(rank=10))
    wire.restart()
    wire.before = {1: lambda: laboratory.other.delete(ONE)}
    assert db.upsert(one(rank=1), add={"rank": 5}).rank == 1
    assert problems(laboratory.items()) == []


def test_made_and_deleted_without_end_is_contention(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    there = False

    def flip() -> None:
        nonlocal there
        there = not there
        if there:
            laboratory.other.create(Note(note_id="1"))
        else:
            laboratory.other.delete(key(Note, note_id="1"))

    wire.before = dict.fromkeys(range(1, 30), flip)
    with pytest.raises(ContentionError):
        db.upsert(Note(note_id="1", text="x"))


def test_versions_count_on_and_are_not_locked(laboratory: Laboratory) -> None:
    db = laboratory.db
    made = db.upsert(ann())
    old = db.get(made)
    db.update(made, set={"name": "x"})
    assert old is not None
    old.name = "y"
    again = stored(db.upsert(old, set={"name": "z"}))
    assert again is not None
    assert again.version == 3


def test_unique_values_hold_on_both_ways(laboratory: Laboratory) -> None:
    db = laboratory.db
    db.create(ann(account_id="2", email="bob@x"))
    with pytest.raises(UniqueViolationError):
        db.upsert(ann(email="bob@x"))
    db.upsert(ann(email="ann@x"))
    with pytest.raises(UniqueViolationError):
        db.upsert(ann(email="bob@x"))
    assert problems(laboratory.items()) == []


def test_what_the_change_cannot_do(laboratory: Laboratory) -> None:
    db = laboratory.db
    db.create(one(rank=9999))
    with pytest.raises(ConditionalCheckError):
        db.upsert(one(), add={"rank": 1})
    with pytest.raises(ImmutableFieldError):
        db.upsert(one(), set={"ticket_id": "2"})
    with pytest.raises(FieldTypeError):
        db.upsert(one(), set={"rank": "x"})
    with pytest.raises(FieldTypeError):
        spoilt = one()
        vars(spoilt)["rank"] = -1
        db.upsert(spoilt, set={"status": "OPEN"})  # it could not be made, so nothing is tried
    laboratory.overwrite("TENANT#t", "TICKET#1", "Type", {"S": "Stranger"})
    with pytest.raises(UnknownEntityTypeError):
        db.upsert(one(status="OPEN"))


def test_a_tombstone_is_nothing(laboratory: Laboratory) -> None:
    draft = Draft(tenant_id="t", draft_id="1", rank=1)
    laboratory.db.create(draft)
    laboratory.db.delete(draft)
    assert laboratory.db.upsert(Draft(tenant_id="t", draft_id="1", rank=2), add={"rank": 5}).rank == 2
    assert laboratory.db.upsert(Draft(tenant_id="t", draft_id="1", rank=2), add={"rank": 5}).rank == 7


@pytest.mark.parametrize("lost", [0, 1], ids=["the change", "the creation"])
def test_a_lost_reply_is_reported_and_nothing_repeated(laboratory: Laboratory, lost: int) -> None:
    db, wire = laboratory.db, laboratory.wire
    if lost == 0:
        db.create(Note(note_id="1"))
    wire.restart()
    wire.lose = {lost}
    with pytest.raises(OutcomeUnknownError):
        db.upsert(Note(note_id="1", text="x"))
    assert len(wire.sent) == lost + 1


def test_upserts_in_transactions(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    db.create(one(rank=1))
    wire.restart()
    with db.transaction() as tx:
        tx.upsert(one(rank=7), add={"rank": 5})
        tx.upsert(ann())
        tx.upsert(Note(note_id="1", text="a"), set={"text": "b"})
    assert wire.operations == ["BatchGetItem", "TransactWriteItems"]
    found = db.get(ONE)
    assert found is not None
    assert found.rank == 6
    assert db.get(key(Note, note_id="1")) == Note(note_id="1", text="a")
    wire.restart()
    wire.before = {1: lambda: laboratory.other.delete(ONE)}
    with db.transaction() as tx:
        tx.upsert(one(rank=7), add={"rank": 5})
        tx.upsert(Note(note_id="1", text="a"), set={"text": "b"})
    found = db.get(ONE)
    assert found is not None
    assert found.rank == 7
    assert problems(laboratory.items()) == []
    with db.transaction("a token") as tx:  # it is planned only once, so it is read first
        tx.upsert(Note(note_id="2"))
    assert db.get(key(Note, note_id="2")) is not None


def test_what_a_transaction_was_given_is_written(laboratory: Laboratory) -> None:
    ticket = one(notes=["a"])
    with laboratory.db.transaction() as tx:
        tx.upsert(ticket, set={"rank": 1})
        ticket.notes.append("b")
    assert laboratory.db.get(ONE) == one(notes=["a"])


def test_async_upserts() -> None:
    async def work() -> None:
        async with lab.open_async("memory:") as db:
            assert (await db.upsert(one(rank=1), add={"rank": 5})).rank == 1
            assert (await db.upsert(one(rank=1), add={"rank": 5})).rank == 6
            assert await db.increment(ONE, Ticket.rank, by=2) == 8
            with pytest.raises(AlreadyExistsError):
                await db.save(await db.save(ann()) and ann())

    asyncio.run(work())


# --------------------------------------------------------------------------------------------------------- saves


def test_a_save_creates_what_is_new_and_locks_what_was_read(laboratory: Laboratory) -> None:
    db = laboratory.db
    made = db.save(ann())
    with pytest.raises(AlreadyExistsError):
        db.save(ann())
    old = db.get(made)
    made.name = "Ann"
    known = stored(db.save(made))
    assert known is not None
    assert known.version == 2
    assert old is not None
    with pytest.raises(ConcurrentModificationError):
        db.save(old)
    db.delete(made)
    with pytest.raises(NotFoundError):
        db.save(made)
    sheet = db.save(Sheet(sheet_id="1"))
    sheet.note = "x"
    assert db.save(sheet) is sheet
    with pytest.raises(ArgumentError, match="nothing to lock"):
        db.save(one())


# ---------------------------------------------------------------------------------------------------- increments


def test_an_increment_returns_the_new_number(anywhere: Session) -> None:
    db = anywhere
    db.create(one())
    assert db.increment(ONE, Ticket.rank) == 1  # it feeds a key
    assert db.increment(ONE, Ticket.rank, by=-1) == 0
    invoice = db.create(Invoice(invoice_id="1", lines=[Line(product="a", quantity=1)], extra={"x": 1}))
    assert db.increment(invoice, Invoice.total, by=Decimal("1.50")) == Decimal("1.50")
    assert db.increment(invoice, Invoice.total) == Decimal("2.50")
    assert db.increment(invoice, Invoice.lines[0].quantity, by=3) == 4
    assert db.increment(invoice, Invoice.extra["x"], by=2) == 3
    assert db.increment(invoice, Invoice.share, by=0.25) == 0.75
    with pytest.raises(ConditionalCheckError):
        db.increment(ONE, Ticket.rank, by=-1)
    with pytest.raises(NotFoundError):
        db.increment(key(Ticket, tenant_id="t", ticket_id="9"), Ticket.rank)
    items = db.send("Scan", {"TableName": db.table_name, "ConsistentRead": True})["Items"]
    assert problems([i for i in items if i["Type"] != {"S": "Invoice"}]) == []


def test_a_number_that_is_not_stored_starts_from_its_default(laboratory: Laboratory) -> None:
    db = laboratory.db
    invoice = db.create(Invoice(invoice_id="1"))
    for name in ("share", "total"):
        laboratory.engine.execute(
            "UpdateItem",
            {
                "TableName": "Lab",
                "Key": {"PK": {"S": "INVOICE#1"}, "SK": {"S": "INVOICE#1"}},
                "UpdateExpression": "REMOVE #n",
                "ExpressionAttributeNames": {"#n": name},
            },
        )
    assert db.increment(invoice, Invoice.share, by=0.25) == 0.75
    assert db.increment(invoice, Invoice.total, by=2) == Decimal(2)
    assert type(db.increment(invoice, Invoice.total, by=2)) is Decimal


def test_an_increment_sends_one_request_and_gets_one_number(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    invoice = db.create(Invoice(invoice_id="1", body="long" * 1000))
    wire.restart()
    db.increment(key(Invoice, invoice_id=invoice.invoice_id), Invoice.total)
    ((operation, request),) = wire.sent
    assert operation == "UpdateItem"
    assert request["ReturnValues"] == "UPDATED_NEW"


def test_a_lost_reply_to_an_increment_is_not_repeated(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    db.create(Invoice(invoice_id="1"))
    wire.restart()
    wire.lose = {0}
    with pytest.raises(OutcomeUnknownError):
        db.increment(key(Invoice, invoice_id="1"), Invoice.total)
    assert len(wire.sent) == 1


@pytest.mark.parametrize(
    ("field", "by", "error"),
    [
        ("rank", 1, ArgumentError),
        (Invoice.total, 1, ArgumentError),
        (Ticket.status, 1, FieldTypeError),
        (Ticket.ticket_id, 1, ImmutableFieldError),
        (Ticket.rank, Decimal("1.5"), FieldTypeError),
        (Ticket.rank, True, FieldTypeError),
    ],
    ids=["a text", "another entity's", "no number", "a key", "a fraction", "a bool"],
)
def test_what_cannot_be_increased(laboratory: Laboratory, field: Any, by: Any, error: type[Exception]) -> None:
    laboratory.db.create(one())
    laboratory.wire.restart()
    with pytest.raises(error):
        laboratory.db.increment(ONE, field, by)
    assert laboratory.wire.sent == []
