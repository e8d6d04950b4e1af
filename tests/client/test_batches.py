"""Batches: 25 a request, 16 MB a request, what is left over again, and what cannot be kept refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tablewright import key, stored
from tablewright.errors import (
    ArgumentError,
    FieldTypeError,
    ItemTooLargeError,
    NetworkError,
    OutcomeUnknownError,
    RequestRefused,
    Throttled,
    UnprocessedError,
)
from tests.client.conftest import AT_ONCE, Laboratory
from tests.client.doubles import Scripted
from tests.client.lab import Account, Invoice, Note, Survey, Ticket, account_by_email, lab, ticket


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
        for number in range(45):
            batch.put(Invoice(invoice_id=f"{number}", body="x" * 399_000))
    sizes = [len(r["RequestItems"]["Lab"]) for _, r in laboratory.wire.sent]
    assert sum(sizes) == 45
    assert len(sizes) == 2
    assert max(sizes) <= 25


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


def test_async_batches_are_the_same() -> None:
    async def work() -> int:
        async with lab.open_async("memory:") as db:
            async with db.batch() as batch:
                for number in range(60):
                    batch.put(Note(note_id=f"{number}"))
            count: int = (await db.send("Scan", {"TableName": "Lab", "Select": "COUNT"}))["Count"]
            return count

    assert asyncio.run(work()) == 60
