"""Batches: 25 a request, 16 MB a request, what is left over again, and what cannot be kept refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tablewright import key, stored
from tablewright.errors import (
    AccessRefused,
    ArgumentError,
    FieldTypeError,
    ItemTooLargeError,
    NetworkError,
    OutcomeUnknownError,
    RequestRefused,
    Throttled,
    UniqueViolationError,
    UnprocessedError,
)
from tablewright.values.wire import dumps
from tests.client.conftest import AT_ONCE, Laboratory
from tests.client.doubles import Scripted
from tests.client.lab import Account, Draft, Invoice, Note, Sheet, Survey, Ticket, account_by_email, lab, ticket


def test_a_batch_that_has_not_begun_says_how_it_begins(laboratory: Laboratory) -> None:
    forgotten: Any = laboratory.db.batch()
    with pytest.raises(AttributeError, match=r"has not begun\. Write it as with db\.batch\(\) as batch: batch\.put"):
        forgotten.put(Note(note_id="1"))
    with pytest.raises(AttributeError, match=r"^'Batch' object has no attribute 'nothing'$"):
        _ = forgotten.nothing
    waiting: Any = lab.open_async("memory:").batch()
    with pytest.raises(AttributeError, match="Write it as async with db"):
        waiting.delete(key(Note, note_id="1"))
    with forgotten as batch:
        batch.put(Note(note_id="1"))
    assert laboratory.db.get(key(Note, note_id="1")) is not None


def test_a_batch_whose_block_failed_sends_nothing(laboratory: Laboratory) -> None:
    with pytest.raises(ZeroDivisionError), laboratory.db.batch() as batch:
        batch.put(Note(note_id="1"))
        raise ZeroDivisionError
    assert laboratory.wire.sent == []

    async def work() -> None:
        async with lab.open_async("memory:") as db:
            with pytest.raises(ZeroDivisionError):
                async with db.batch() as batch:
                    batch.put(Note(note_id="1"))
                    raise ZeroDivisionError
            assert await db.get(key(Note, note_id="1")) is None

    asyncio.run(work())


def test_puts_and_deletes_go_out_by_25(laboratory: Laboratory) -> None:
    with laboratory.db.batch() as batch:
        for number in range(100):
            batch.put(Ticket(tenant_id="t", ticket_id=f"{number}", rank=number))
        assert laboratory.wire.sent == []
    assert [len(r["RequestItems"]["Lab"]) for _, r in laboratory.wire.sent] == [25] * 4
    assert laboratory.item("TENANT#t", "TICKET#7")["GSI1SK"]["S"] == "0007#7"
    with laboratory.db.batch() as batch:
        for number in range(100):
            batch.delete(ticket("t", f"{number}"))
    assert laboratory.items() == []


def test_the_last_write_of_an_item_counts(laboratory: Laboratory) -> None:
    with laboratory.db.batch() as batch:
        batch.put(Note(note_id="1", text="first"))
        batch.put(Note(note_id="2"))
        batch.delete(key(Note, note_id="2"))
        batch.put(Note(note_id="1", text="last"))
    assert [len(r["RequestItems"]["Lab"]) for _, r in laboratory.wire.sent] == [2]
    assert [i["text"]["S"] for i in laboratory.items()] == ["last"]


def test_sixteen_megabytes_fill_a_request(laboratory: Laboratory) -> None:
    with laboratory.db.batch() as batch:
        for number in range(10):
            batch.put(Invoice(invoice_id=f"{number}", body="\x01" * 390_000))  # six bytes each in JSON
    requests = [request for _, request in laboratory.wire.sent]
    assert [len(r["RequestItems"]["Lab"]) for r in requests] == [7, 3]
    assert all(len(dumps(r)) <= 16 * 1024 * 1024 for r in requests)


def test_what_is_long_but_not_in_json_goes_out_by_25(laboratory: Laboratory) -> None:
    with laboratory.db.batch() as batch:
        for number in range(30):
            batch.put(Invoice(invoice_id=f"{number}", body="x" * 100_000))
    assert [len(r["RequestItems"]["Lab"]) for _, r in laboratory.wire.sent] == [25, 5]


def test_a_whole_entity_lies_in_its_indexes_and_leaves_others(laboratory: Laboratory) -> None:
    with laboratory.db.batch() as batch:
        batch.put(Ticket(tenant_id="t", ticket_id="1", tags={"hot"}, assignee="bob"))
    assert "GSI2PK" in laboratory.item("TENANT#t", "TICKET#1")
    with laboratory.db.batch() as batch:
        batch.put(Ticket(tenant_id="t", ticket_id="1", assignee="bob"))
    assert "GSI2PK" not in laboratory.item("TENANT#t", "TICKET#1")


def test_a_copy_keeps_its_time_of_creation(laboratory: Laboratory) -> None:
    made = laboratory.db.create(Ticket(tenant_id="t", ticket_id="1"))
    known = stored(made)
    with laboratory.db.batch() as batch:
        batch.put(made)
    item = laboratory.item("TENANT#t", "TICKET#1")
    assert known is not None
    assert item["CreatedAt"]["S"] == known.created
    assert item["UpdatedAt"]["S"] > item["CreatedAt"]["S"]


@pytest.mark.parametrize(
    ("entity", "reason"),
    [
        (Account(account_id="1", tenant_id="t", email="a"), "unique fields"),
        (Survey(tenant_id="t", survey_id="1"), "unique fields"),
    ],
    ids=["account", "survey"],
)
def test_what_a_batch_cannot_keep_is_refused_with_the_reason(laboratory: Laboratory, entity: Any, reason: str) -> None:
    with laboratory.db.batch() as batch:
        with pytest.raises(ArgumentError, match=reason):
            batch.put(entity)
        with pytest.raises(ArgumentError, match=reason):
            batch.delete(entity)
    assert laboratory.wire.sent == []


def test_wrong_input_is_refused_where_it_is_given(laboratory: Laboratory) -> None:
    spoilt = Ticket(tenant_id="t", ticket_id="1")
    spoilt.__dict__["rank"] = "many"
    with laboratory.db.batch() as batch:
        with pytest.raises(FieldTypeError):
            batch.put(spoilt)
        with pytest.raises(ItemTooLargeError):
            batch.put(Invoice(invoice_id="1", body="x" * 420_000))
        with pytest.raises(ArgumentError):
            batch.delete(account_by_email("a"))
        with pytest.raises(ArgumentError):
            batch.delete("nothing")
    assert laboratory.wire.sent == []


def test_an_exception_in_the_block_sends_nothing(laboratory: Laboratory) -> None:
    with pytest.raises(ZeroDivisionError), laboratory.db.batch() as batch:
        batch.put(Note(note_id="1"))
        raise ZeroDivisionError
    assert laboratory.wire.sent == []


def test_a_batch_that_is_over_takes_nothing_more(laboratory: Laboratory) -> None:
    with laboratory.db.batch() as batch:
        batch.put(Note(note_id="1"))
    with pytest.raises(ArgumentError, match="over"):
        batch.put(Note(note_id="2"))
    with laboratory.db.batch():
        pass
    assert len(laboratory.wire.sent) == 1


# ---------------------------------------------------------------------------------------------------- leftovers


def left(*numbers: int) -> dict[str, Any]:
    keys = [{"DeleteRequest": {"Key": {n: {"S": f"NOTE#{number}"} for n in ("PK", "SK")}}} for number in numbers]
    return {"UnprocessedItems": {"Lab": keys}}


def delete_notes(wire: Scripted, count: int) -> None:
    with lab.open(wire, retry=AT_ONCE) as db, db.batch() as batch:
        for number in range(count):
            batch.delete(key(Note, note_id=f"{number}"))


def test_what_is_left_over_is_sent_again_with_the_rest() -> None:
    wire = Scripted(left(3, 4), left(4), {})
    delete_notes(wire, 27)
    assert [len(r["RequestItems"]["Lab"]) for _, r in wire.sent] == [25, 4, 1]


def test_a_batch_goes_on_as_long_as_there_is_progress() -> None:
    wire = Scripted(*[left(*range(n)) for n in range(24, 0, -1)], {})
    delete_notes(wire, 25)
    assert len(wire.sent) == 25


def test_leftovers_are_reported_one_by_one() -> None:
    wire = Scripted(left(1, 2), *[left(1, 2)] * 20)
    with pytest.raises(UnprocessedError) as caught:
        delete_notes(wire, 3)
    assert [k["PK"]["S"] for k in caught.value.keys] == ["NOTE#1", "NOTE#2"]
    assert caught.value.retryable
    assert len(wire.sent) == 10


def test_puts_are_left_over_with_their_keys() -> None:
    item = {"PK": {"S": "NOTE#1"}, "SK": {"S": "NOTE#1"}, "text": {"S": "x"}}
    wire = Scripted(*[{"UnprocessedItems": {"Lab": [{"PutRequest": {"Item": item}}]}}] * 20)
    with pytest.raises(UnprocessedError) as caught, lab.open(wire, retry=AT_ONCE) as db, db.batch() as batch:
        batch.put(Note(note_id="1", text="x"))
    assert caught.value.keys == [{"PK": {"S": "NOTE#1"}, "SK": {"S": "NOTE#1"}}]


@pytest.mark.parametrize("error", [Throttled("x"), NetworkError("x")], ids=repr)
def test_a_batch_that_breaks_off_lists_what_is_undone(error: Exception) -> None:
    wire = Scripted({}, *[error] * 4)
    with pytest.raises(UnprocessedError) as caught:
        delete_notes(wire, 60)
    assert len(caught.value.keys) == 35
    assert caught.value.__cause__ is error or isinstance(caught.value.__cause__, OutcomeUnknownError)


def test_a_refused_batch_is_not_hidden() -> None:
    with pytest.raises(RequestRefused):
        delete_notes(Scripted(RequestRefused("no")), 1)


def test_a_batch_that_is_refused_midway_lists_what_is_undone() -> None:
    expired = AccessRefused("The token has expired.")
    with pytest.raises(AccessRefused) as caught:
        delete_notes(Scripted({}, left(25), expired), 60)
    assert sorted(k["PK"]["S"] for k in caught.value.context["undone"]) == sorted(
        f"NOTE#{number}" for number in (25, *range(50, 60))
    )


def test_async_batches_are_the_same() -> None:
    async def work() -> int:
        async with lab.open_async("memory:") as db:
            async with db.batch() as batch:
                for number in range(60):
                    batch.put(Note(note_id=f"{number}"))
            count: int = (await db.send("Scan", {"TableName": "Lab", "Select": "COUNT"}))["Count"]
            return count

    assert asyncio.run(work()) == 60


# ---------------------------------------------------------------------------------- beside what a batch can keep


@pytest.mark.parametrize(("size", "requests"), [(1, 7), (3, 3), (25, 1)])
def test_a_chunk_has_the_size_that_was_asked_for(laboratory: Laboratory, size: int, requests: int) -> None:
    laboratory.wire.restart()
    with laboratory.db.batch(chunk_size=size) as batch:
        for number in range(7):
            batch.put(Note(note_id=str(number)))
    assert laboratory.wire.operations == ["BatchWriteItem"] * requests


@pytest.mark.parametrize("size", [0, 26, True, "5"])
def test_a_chunk_has_1_to_25_writes(laboratory: Laboratory, size: Any) -> None:
    with pytest.raises(ArgumentError, match="1 to 25"), laboratory.db.batch(chunk_size=size):
        pass


def test_what_needs_conditions_goes_one_by_one_when_asked(laboratory: Laboratory) -> None:
    db, wire = laboratory.db, laboratory.wire
    old = db.create(Account(account_id="1", tenant_id="t", email="ann@x"))
    drafted = db.create(Draft(tenant_id="t", draft_id="1"))
    wire.restart()
    with db.batch(transactional=True) as batch:
        batch.put(Note(note_id="1"))
        old.email = "anna@x"
        batch.put(old)
        old.email = "changed later"
        batch.put(Account(account_id="2", tenant_id="t", email="ann@x"))
        batch.delete(drafted)
        batch.put(Sheet(sheet_id="1"))
        batch.delete(key(Account, account_id="3"))
    emails = {i["account_id"]["S"]: i["email"]["S"] for i in laboratory.items() if i["Type"] == {"S": "Account"}}
    assert emails == {"1": "anna@x", "2": "ann@x"}
    assert "DeletedAt" in laboratory.item("DRAFTS#t", "DRAFT#1")
    assert wire.operations[0] == "BatchWriteItem"
    markers = sorted(i["PK"]["S"] for i in laboratory.items() if i["Type"] == {"S": "Unique"})
    assert markers == ["UNIQUE#Account#email#ann@x", "UNIQUE#Account#email#anna@x"]


def test_of_two_writes_of_an_item_the_last_counts_however_it_goes(laboratory: Laboratory) -> None:
    db = laboratory.db
    with db.batch(transactional=True) as batch:
        batch.put(Draft(tenant_id="t", draft_id="1", slug="a"))
        batch.delete(key(Draft, tenant_id="t", draft_id="1"))
        batch.put(Draft(tenant_id="t", draft_id="1", slug="b"))
    assert db.get(key(Draft, tenant_id="t", draft_id="1")) == Draft(tenant_id="t", draft_id="1", slug="b")


def test_one_that_fails_says_what_was_not_tried(laboratory: Laboratory) -> None:
    db = laboratory.db
    db.create(Account(account_id="9", tenant_id="t", email="taken@x"))
    with pytest.raises(UniqueViolationError) as caught, db.batch(transactional=True) as batch:
        for number, email in enumerate(["a@x", "taken@x", "b@x", "c@x"]):
            batch.put(Account(account_id=str(number), tenant_id="t", email=email))
    assert [k["PK"]["S"] for k in caught.value.context["undone"]] == ["ACCOUNT#2", "ACCOUNT#3"]
    assert db.get(key(Account, account_id="0")) is not None


def test_leftovers_of_a_batch_include_what_would_have_come_after_it() -> None:
    wire = Scripted(*[Throttled("x")] * 4)
    with (
        pytest.raises(UnprocessedError) as caught,
        lab.open(wire, retry=AT_ONCE) as db,
        db.batch(transactional=True) as batch,
    ):
        batch.put(Note(note_id="1"))
        batch.put(Account(account_id="1", tenant_id="t", email="a@x"))
    assert [k["PK"]["S"] for k in caught.value.keys] == ["NOTE#1", "ACCOUNT#1"]


def test_a_refused_batch_lists_what_would_have_come_after_it() -> None:
    wire = Scripted(AccessRefused("The token has expired."))
    with (
        pytest.raises(AccessRefused) as caught,
        lab.open(wire, retry=AT_ONCE) as db,
        db.batch(transactional=True) as batch,
    ):
        batch.put(Note(note_id="1"))
        batch.put(Account(account_id="1", tenant_id="t", email="a@x"))
        batch.put(Account(account_id="2", tenant_id="t", email="b@x"))
    assert [k["PK"]["S"] for k in caught.value.context["undone"]] == ["NOTE#1", "ACCOUNT#1", "ACCOUNT#2"]


def test_tombstones_are_a_reason_too(laboratory: Laboratory) -> None:
    with pytest.raises(ArgumentError, match="has tombstones"), laboratory.db.batch() as batch:
        batch.delete(key(Draft, tenant_id="t", draft_id="1"))
    with pytest.raises(ArgumentError, match="has a lock by time"), laboratory.db.batch() as batch:
        batch.put(Sheet(sheet_id="1"))
