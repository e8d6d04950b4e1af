"""The same promises in memory, in a file and on AWS's own DynamoDB Local."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tablewright import Session, key, query, stored
from tablewright.errors import (
    AlreadyExistsError,
    ArgumentError,
    ConcurrentModificationError,
    ConditionalCheckError,
    DecodeError,
    EmptySetError,
    ItemTooLargeError,
    NotFoundError,
    NumberError,
    TransactionError,
    UniqueViolationError,
)
from tests.client.lab import (
    Account,
    Address,
    Invoice,
    Note,
    Survey,
    Ticket,
    account,
    account_by_email,
    close,
    ticket,
    tickets_due,
    tickets_in,
    tickets_of,
    vote,
)
from tests.property.naive import problems

DAY = datetime(2026, 1, 1, 10, tzinfo=UTC)
ONE = ticket("t", "1")


def items(db: Session) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = db.send("Scan", {"TableName": db.table_name, "ConsistentRead": True})["Items"]
    return [i for i in found if i["Type"]["S"] != "Invoice"]


def test_keys_are_right_on_every_path(anywhere: Session) -> None:
    db = anywhere
    made = db.create(Ticket(tenant_id="t", ticket_id="1", due_at=DAY, country="DE", city="Bonn", tags={"hot"}))
    db.create(Ticket(tenant_id="a#b", ticket_id="1", assignee="bob"))
    db.update(ONE, set={"status": "OPEN", "assignee": "a #b"}, add={"rank": 5})
    db.update(made, discard={"tags": ["hot"]}, append={"notes": ["n"]})
    db.apply(close, ONE, "done")
    assert problems(items(db)) == []
    db.put(made)
    db.put(Ticket(tenant_id="t", ticket_id="2", tags={"hot"}, assignee="ann"))
    with db.edit(ticket("t", "2")) as t:
        t.tags.clear()
        t.due_at = DAY + timedelta(days=3)
    db.revise(ticket("t", "2"), lambda t: t.notes.append("n"))
    db.create(Survey(tenant_id="t", survey_id="1", code="c"))
    for _ in range(3):
        db.apply(vote, key(Survey, tenant_id="t", survey_id="1"))
    db.update(key(Survey, tenant_id="t", survey_id="1"), set={"title": "q"}, remove=["code"])
    assert problems(items(db)) == []
    with db.transaction() as tx:
        tx.update(ticket("t", "2"), set={"status": "DONE"}, remove=["due_at"])
        tx.put(Ticket(tenant_id="t", ticket_id="3", city="Ulm"))
        tx.create(Note(note_id="1", topic="m"))
        tx.delete(key(Survey, tenant_id="t", survey_id="1"))
        tx.check(ONE, Ticket.city == "Bonn")
    with db.batch() as batch:
        for number in range(30):
            batch.put(Ticket(tenant_id="b", ticket_id=f"{number}", rank=number))
        batch.delete(ticket("t", "3"))
    assert problems(items(db)) == []
    assert len(items(db)) == 34


def test_every_kind_of_index_answers(anywhere: Session) -> None:
    db = anywhere
    for number in range(6):
        db.create(
            Ticket(
                tenant_id="t",
                ticket_id=f"{number}",
                rank=number,
                due_at=DAY + timedelta(days=number),
                country="DE",
                city="Bonn" if number % 2 else None,
                tags={"hot"} if number < 3 else set(),
                assignee=f"p{number}",
            )
        )
    db.update(ticket("t", "5"), set={"status": "DONE"})

    def ids(results: Any) -> list[str]:
        return [t.ticket_id for t in results]

    assert ids(db.run(tickets_in, "NEW")) == ["0", "1", "2", "3", "4"]
    assert ids(db.run(tickets_in, "NEW", 3)) == ["3", "4"]
    assert ids(db.run(tickets_of, "t")) == ["0", "1", "2", "3", "4", "5"]
    assert ids(db.run(tickets_due, DAY + timedelta(days=1), DAY + timedelta(days=3))) == ["1", "2", "3"]
    place = query(Ticket, Ticket.tenant_id == "t", Ticket.country == "DE", Ticket.city == "Bonn", Ticket.rank >= 2)
    assert ids(db.execute(place.via("ByPlace"))) == ["3", "5"]
    db.update(ticket("t", "3"), set={"city": None})
    assert ids(db.execute(place.via("ByPlace"))) == ["5"]
    hot = query(Ticket, Ticket.tenant_id == "t").via("GSI2")
    assert ids(db.execute(hot)) == ["0", "1", "2"]
    local = query(Ticket, Ticket.tenant_id == "t", Ticket.status == "NEW").via("LSI1").consistent()
    assert ids(db.execute(local)) == ["0", "1", "2", "3", "4"]
    assert db.run(tickets_in, "NEW").count() == 5


def test_pages(anywhere: Session) -> None:
    db = anywhere
    with db.batch() as batch:
        for number in range(23):
            batch.put(
                Ticket(
                    tenant_id="t", ticket_id=f"{number:02}", rank=number % 4, due_at=DAY + timedelta(days=number % 5)
                )
            )

    def pages(results: Any, size: int) -> list[str]:
        page = results.page(size)
        found = [page]
        while page.cursor is not None:
            page = results.page(size, page.cursor)
            found.append(page)
        return [t.ticket_id for t in itertools.chain(*found)]

    by_rank = sorted(range(23), key=lambda n: (n % 4, n))
    assert pages(db.run(tickets_in, "NEW"), 5) == [f"{n:02}" for n in by_rank]
    by_day = sorted(range(23), key=lambda n: (n % 5, n))
    assert pages(db.run(tickets_due, DAY, DAY + timedelta(days=9)), 4) == [f"{n:02}" for n in by_day]
    filtered = query(Ticket, Ticket.tenant_id == "t").filter(Ticket.rank == 3)
    assert pages(db.execute(filtered), 2) == ["03", "07", "11", "15", "19"]


def test_versions_and_unique_values(anywhere: Session) -> None:
    db = anywhere
    ann = db.create(Account(account_id="1", tenant_id="t", email="ann@x", handle="ann"))
    db.create(Account(account_id="2", tenant_id="t", email="bob@x"))
    with pytest.raises(AlreadyExistsError):
        db.create(Account(account_id="1", tenant_id="t", email="new@x"))
    with pytest.raises(UniqueViolationError):
        db.create(Account(account_id="3", tenant_id="t", email="ann@x"))
    with pytest.raises(UniqueViolationError):
        db.update(account("2"), set={"handle": "ann"})
    changed = db.update(account_by_email("ann@x"), set={"email": "ann@y"}, add={"logins": 1})
    with pytest.raises(ConcurrentModificationError):
        db.update(ann, set={"name": "x"})
    with pytest.raises(ConcurrentModificationError):
        db.put(ann)
    known = stored(db.put(changed))
    assert known is not None
    assert known.version == 3
    with db.transaction() as tx:
        tx.update(account("1"), set={"email": "bob@x"})
        tx.update(account("2"), set={"email": "ann@y", "handle": "ann2"})
    with db.transaction() as tx:
        tx.delete(account("1"))
        tx.create(Account(account_id="3", tenant_id="t", email="bob@x", handle="ann"))
    assert problems(items(db)) == []
    deleted = db.delete(account("2"))
    assert deleted is not None
    assert deleted.email == "ann@y"
    assert db.delete(account("2")) is None
    assert problems(items(db)) == []
    with pytest.raises(NotFoundError):
        db.update(account("2"), set={"name": "x"})


def test_limits(anywhere: Session) -> None:
    db = anywhere
    with db.transaction() as tx:
        for number in range(33):
            tx.create(Account(account_id=f"p{number}", tenant_id="t", email=f"{number}@x", handle=f"h{number}"))
    with pytest.raises(TransactionError), db.transaction() as tx:
        for number in range(34):
            tx.create(Account(account_id=f"q{number}", tenant_id="t", email=f"q{number}@x", handle=f"q{number}"))
    assert problems(items(db)) == []
    one = key(Invoice, invoice_id="1")
    db.create(Invoice(invoice_id="1", body="x" * 300_000))
    for change, error in (
        ({"append": {"lines": [{"product": "y" * 200_000, "quantity": 1}]}}, ItemTooLargeError),
        ({"set": {"body": "x" * 410_000}}, ItemTooLargeError),
        ({"set": {"address.city": "x"}}, ArgumentError),
        ({"set": {"lines[0].product": "x"}}, ArgumentError),
        ({"add": {"total": -1}}, ConditionalCheckError),
        ({"discard": {"labels": ["draft"]}}, EmptySetError),
    ):
        with pytest.raises(error):
            db.update(one, **change)  # type: ignore[arg-type]
        with pytest.raises(error), db.transaction() as tx:
            tx.update(one, **change)  # type: ignore[arg-type]
    db.update(one, set={"address": Address(city="Bonn"), "share": 9e125})
    db.update(one, set={"address.street": "Main"})
    with pytest.raises(NumberError):
        db.update(one, add={"share": 9e125})


def test_stored_items_of_another_shape(anywhere: Session) -> None:
    db = anywhere
    db.create(Survey(tenant_id="t", survey_id="1"))
    where = {"TableName": db.table_name, "Key": {"PK": {"S": "TENANT#t"}, "SK": {"S": "SURVEY#1"}}}
    db.send("UpdateItem", {**where, "UpdateExpression": "REMOVE survey"})
    survey = key(Survey, tenant_id="t", survey_id="1")
    assert db.update(survey, add={"votes": 2}).votes == 2
    db.send("UpdateItem", {**where, "UpdateExpression": "REMOVE survey"})
    with db.transaction() as tx:
        tx.update(survey, set={"title": "q"}, add={"votes": 1})
    assert problems(items(db)) == []
    odd = {"UpdateExpression": "SET survey = :o", "ExpressionAttributeValues": {":o": {"S": "no map"}}}
    db.send("UpdateItem", {**where, **odd})
    with pytest.raises(DecodeError):
        db.update(survey, set={"title": "q"})
    db.create(Ticket(tenant_id="t", ticket_id="1"))
    where["Key"] = {"PK": {"S": "TENANT#t"}, "SK": {"S": "TICKET#1"}}
    notes = {"UpdateExpression": "SET notes = :o", "ExpressionAttributeValues": {":o": {"S": "no list"}}}
    db.send("UpdateItem", {**where, **notes})
    with pytest.raises(DecodeError):
        db.update(ONE, append={"notes": ["x"]})
    with pytest.raises(DecodeError), db.transaction() as tx:
        tx.update(ONE, append={"notes": ["x"]})
