"""Read, change, write: only what changed, only if it is still as it was read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tablewright import key, stored
from tablewright.errors import (
    ArgumentError,
    ConcurrentModificationError,
    FieldTypeError,
    ImmutableFieldError,
    NotFoundError,
    UniqueViolationError,
)
from tests.client.conftest import Laboratory
from tests.client.lab import Account, Note, Survey, Ticket, account, account_by_email, lab

ONE = key(Ticket, tenant_id="t", ticket_id="1")


@pytest.fixture(autouse=True)
def made(laboratory: Laboratory) -> None:
    """A ticket and an account."""
    laboratory.other.create(Ticket(tenant_id="t", ticket_id="1", rank=3, tags={"hot"}, assignee="bob"))
    laboratory.other.create(Account(account_id="1", tenant_id="t", email="ann@x"))
    laboratory.wire.restart()


def test_only_what_changed_is_written(laboratory: Laboratory) -> None:
    with laboratory.db.edit(ONE) as t:
        t.status = "OPEN"
        laboratory.other.update(ONE, set={"city": "Bonn"})
    assert laboratory.wire.operations == ["GetItem", "UpdateItem"]
    found = laboratory.db.get(ONE)
    assert found is not None
    assert (found.status, found.city) == ("OPEN", "Bonn")
    assert laboratory.item("TENANT#t", "TICKET#1")["GSI1PK"]["S"] == "STATUS#OPEN"


def test_changes_inside_collections_count(laboratory: Laboratory) -> None:
    with laboratory.db.edit(ONE) as t:
        t.tags.discard("hot")
        t.notes.append("n")
    item = laboratory.item("TENANT#t", "TICKET#1")
    assert ("GSI2PK" in item, item["notes"]) == (False, {"L": [{"S": "n"}]})


def test_nothing_changed_writes_nothing(laboratory: Laboratory) -> None:
    with laboratory.db.edit(ONE) as t:
        t.status = "OPEN"
        t.status = "NEW"
    assert laboratory.wire.operations == ["GetItem"]


def test_an_exception_in_the_block_writes_nothing(laboratory: Laboratory) -> None:
    with pytest.raises(ZeroDivisionError), laboratory.db.edit(ONE) as t:
        t.status = "OPEN"
        raise ZeroDivisionError
    assert laboratory.wire.operations == ["GetItem"]


def test_the_same_field_changed_by_another_is_a_conflict(laboratory: Laboratory) -> None:
    with pytest.raises(ConcurrentModificationError) as caught, laboratory.db.edit(ONE) as t:
        t.rank, t.status = 4, "OPEN"
        laboratory.other.update(ONE, set={"rank": 5})
    assert caught.value.context["fields"] == ["rank", "status"]
    assert caught.value.item.rank == 5
    assert laboratory.item("TENANT#t", "TICKET#1")["status"] == {"S": "NEW"}


def test_a_key_s_other_source_changed_by_another_is_not(laboratory: Laboratory) -> None:
    with laboratory.db.edit(ONE) as t:
        t.status = "OPEN"
        laboratory.other.update(ONE, set={"rank": 5})
    assert laboratory.item("TENANT#t", "TICKET#1")["GSI1SK"]["S"] == "0005#1"


def test_a_version_makes_every_other_change_a_conflict(laboratory: Laboratory) -> None:
    with pytest.raises(ConcurrentModificationError), laboratory.db.edit(account("1")) as a:
        a.name = "Ann"
        laboratory.other.update(account("1"), add={"logins": 1})
    with laboratory.db.edit(account("1")) as a:
        a.name = "Ann"
    with laboratory.db.edit(account("1")) as b:
        b.name = "Anna"
    known = [s.version for s in (stored(a), stored(b)) if s is not None]
    assert known == [3, 4]
    with pytest.raises(ConcurrentModificationError):
        laboratory.db.put(a)
    laboratory.db.put(b)


def test_an_item_deleted_meanwhile_is_not_found(laboratory: Laboratory) -> None:
    with pytest.raises(NotFoundError), laboratory.db.edit(ONE) as t:
        t.status = "OPEN"
        laboratory.other.delete(ONE)
    assert laboratory.item("TENANT#t", "TICKET#1") == {}
    with pytest.raises(NotFoundError), laboratory.db.edit(ONE):
        pass
    with pytest.raises(NotFoundError), laboratory.db.edit(account_by_email("nobody")):
        pass


def test_unique_values_move_with_an_edit(laboratory: Laboratory) -> None:
    laboratory.other.create(Account(account_id="2", tenant_id="t", email="bob@x"))
    with laboratory.db.edit(account_by_email("ann@x")) as a:
        a.email = "new@x"
    with pytest.raises(UniqueViolationError), laboratory.db.edit(account("1")) as a:
        a.email = "bob@x"
    owners = {i["PK"]["S"] for i in laboratory.items() if i["Type"]["S"] == "Unique"}
    assert owners == {"UNIQUE#Account#email#new@x", "UNIQUE#Account#email#bob@x"}


def test_wrong_values_and_keys_are_refused(laboratory: Laboratory) -> None:
    with pytest.raises(ImmutableFieldError), laboratory.db.edit(ONE) as t:
        t.ticket_id = "2"
    with pytest.raises(FieldTypeError), laboratory.db.edit(ONE) as t:
        t.tags.add(5)  # type: ignore[arg-type]
    assert laboratory.wire.operations == ["GetItem", "GetItem"]


def test_fields_that_are_not_stored_yet_can_be_edited(laboratory: Laboratory) -> None:
    """An item of an older model lacks a field with a default: reading gives the default, and that is no conflict."""
    keys = {"PK": {"S": "TENANT#t"}, "SK": {"S": "TICKET#1"}}
    old = {"ExpressionAttributeNames": {"#s": "status"}, "UpdateExpression": "REMOVE #s, notes"}
    laboratory.other.send("UpdateItem", {"TableName": "Lab", "Key": keys, **old})
    with laboratory.db.edit(ONE) as t:
        t.status = "OPEN"
        t.notes.append("x")
    item = laboratory.item("TENANT#t", "TICKET#1")
    assert (item["status"], item["notes"]) == ({"S": "OPEN"}, {"L": [{"S": "x"}]})


def test_a_value_that_another_writer_spelt_differently_is_no_conflict(laboratory: Laboratory) -> None:
    laboratory.overwrite("TENANT#t", "TICKET#1", "due_at", {"S": "2026-01-01T10:00:00Z"})
    with laboratory.db.edit(ONE) as t:
        t.due_at = None
    assert "due_at" not in laboratory.item("TENANT#t", "TICKET#1")


def test_nested_and_plain_entities_can_be_edited(laboratory: Laboratory) -> None:
    laboratory.db.create(Survey(tenant_id="t", survey_id="1"))
    laboratory.db.create(Note(note_id="1"))
    with laboratory.db.edit(key(Survey, tenant_id="t", survey_id="1")) as s:
        s.title, s.votes = "q", 2
    with laboratory.db.edit(key(Note, note_id="1")) as n:
        n.topic = "m"
    assert laboratory.item("TENANT#t", "SURVEY#1")["GSI2SK"]["S"] == "00002#1"
    assert laboratory.item("NOTE#1", "NOTE#1")["GSI1PK"]["S"] == "TOPIC#m"


def test_revise_calls_its_function_again_when_another_writer_was_faster(laboratory: Laboratory) -> None:
    ranks: list[int] = []

    def raise_rank(t: Ticket) -> None:
        ranks.append(t.rank)
        if len(ranks) < 3:
            laboratory.other.update(ONE, add={"rank": 10})
        t.rank += 1

    revised = laboratory.db.revise(ONE, raise_rank)
    assert ranks == [3, 13, 23]
    assert revised.rank == 24
    assert laboratory.item("TENANT#t", "TICKET#1")["GSI1SK"]["S"] == "0024#1"


def test_revise_gives_up_after_its_attempts(laboratory: Laboratory) -> None:
    calls = 0

    def never(t: Ticket) -> None:
        nonlocal calls
        calls += 1
        laboratory.other.update(ONE, add={"rank": 1})
        t.rank = 100

    with pytest.raises(ConcurrentModificationError):
        laboratory.db.revise(ONE, never, attempts=3)
    assert calls == 3
    with pytest.raises(ConcurrentModificationError):
        laboratory.db.revise(ONE, never)
    assert calls == 3 + 10
    with pytest.raises(ArgumentError):
        laboratory.db.revise(ONE, never, attempts=0)


def test_the_async_session_edits_too() -> None:
    async def work() -> tuple[Any, Any]:
        async with lab.open_async("memory:") as db:
            await db.create(Ticket(tenant_id="t", ticket_id="1"))
            async with db.edit(ONE) as t:
                t.rank = 7
            with pytest.raises(ZeroDivisionError):
                async with db.edit(ONE) as t:
                    t.rank = 8
                    raise ZeroDivisionError

            def further(t: Ticket) -> None:
                t.rank += 1

            revised = await db.revise(ONE, further)
            return revised.rank, await db.get(ONE)

    rank, found = asyncio.run(work())
    assert (rank, found.rank) == (8, 8)
