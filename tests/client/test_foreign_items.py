"""An item that something else wrote under a key of ours: it is named as such, and never changed or deleted by mistake."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablewright import Session, key
from tablewright.errors import UnknownEntityTypeError
from tests.client.conftest import Laboratory
from tests.client.lab import Account, Note, Ticket, ticket


def _in_transaction(db: Session) -> None:
    with db.transaction() as tx:
        tx.delete(ticket("t", "1"))


WRITES: list[Callable[[Session], object]] = [
    lambda db: db.update(ticket("t", "1"), set={"city": "Bonn"}),
    lambda db: db.update(ticket("t", "1"), set={"rank": 2}),
    lambda db: db.delete(ticket("t", "1")),
    lambda db: db.delete(ticket("t", "1"), when=Ticket.city == "Bonn"),
    lambda db: db.get(ticket("t", "1")),
    lambda db: db.put(Ticket(tenant_id="t", ticket_id="1", city="Bonn")),
    _in_transaction,
]


@pytest.mark.parametrize(
    "write", WRITES, ids=["update", "guarded", "delete", "delete-when", "get", "put", "transaction"]
)
def test_an_item_of_another_type_is_refused_and_unchanged(
    laboratory: Laboratory, write: Callable[[Session], object]
) -> None:
    laboratory.db.create(Ticket(tenant_id="t", ticket_id="1"))
    (before,) = laboratory.items()
    pk, sk = before["PK"]["S"], before["SK"]["S"]
    laboratory.overwrite(pk, sk, "Type", {"S": "Lorry"})
    before = laboratory.item(pk, sk)
    with pytest.raises(
        UnknownEntityTypeError, match=r"Ticket.* met an item whose 'Type' is 'Lorry', not 'Ticket'.* one entity"
    ):
        write(laboratory.db)
    assert laboratory.item(pk, sk) == before


def test_an_item_without_a_type_is_taken_for_what_its_key_says(laboratory: Laboratory) -> None:
    laboratory.db.create(Ticket(tenant_id="t", ticket_id="1"))
    (item,) = laboratory.items()
    del item["Type"]
    laboratory.engine.execute("PutItem", {"TableName": "Lab", "Item": item})
    assert laboratory.db.update(ticket("t", "1"), set={"city": "Bonn"}).city == "Bonn"
    assert laboratory.db.delete(ticket("t", "1")) is not None
    assert laboratory.items() == []


def test_a_put_keeps_off_too(laboratory: Laboratory) -> None:
    laboratory.db.create(Account(account_id="1", tenant_id="t", email="a@b"))
    (found,) = [i for i in laboratory.items() if i["Type"] == {"S": "Account"}]
    laboratory.overwrite(found["PK"]["S"], found["SK"]["S"], "Type", {"S": "Lorry"})
    before = laboratory.items()
    with pytest.raises(UnknownEntityTypeError, match="Lorry"):
        laboratory.db.put(Account(account_id="1", tenant_id="t", email="c@d"))
    assert laboratory.items() == before


def test_a_put_is_still_repeated_after_a_lost_reply(laboratory: Laboratory) -> None:
    laboratory.wire.restart()
    laboratory.wire.lose = {0}
    laboratory.db.put(Note(note_id="1", text="x"))
    assert laboratory.wire.operations == ["UpdateItem", "UpdateItem"]
    assert laboratory.db.get(key(Note, note_id="1")) == Note(note_id="1", text="x")


def test_a_delete_is_still_repeated_after_a_lost_reply(laboratory: Laboratory) -> None:
    laboratory.db.create(Note(note_id="1"))
    laboratory.wire.restart()
    laboratory.wire.lose = {0}
    laboratory.db.delete(key(Note, note_id="1"))
    assert laboratory.items() == []
