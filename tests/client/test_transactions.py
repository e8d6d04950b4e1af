"""The unit of work: everything or nothing, unique values that change hands, limits after expansion, and tokens."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tablewright import key, stored
from tablewright.errors import (
    AlreadyExistsError,
    CancellationReason,
    ConcurrentModificationError,
    ConditionalCheckError,
    ContentionError,
    DecodeError,
    FieldTypeError,
    IdempotentParameterMismatch,
    ItemTooLargeError,
    NotFoundError,
    NumberError,
    OutcomeUnknownError,
    TransactionCanceled,
    TransactionError,
    UniqueViolationError,
    UnknownFieldError,
)
from tests.client.conftest import Laboratory
from tests.client.lab import Account, Invoice, Note, Survey, Ticket, account, account_by_email, close, lab, ticket, vote

ONE, TWO = account("1"), account("2")


@pytest.fixture(autouse=True)
def people(laboratory: Laboratory) -> None:
    """Two accounts and a ticket."""
    laboratory.other.create(Account(account_id="1", tenant_id="t", email="ann@x", handle="ann"))
    laboratory.other.create(Account(account_id="2", tenant_id="t", email="bob@x"))
    laboratory.other.create(Ticket(tenant_id="t", ticket_id="1", status="OPEN", rank=3))


def markers(laboratory: Laboratory) -> dict[str, str]:
    found = {i["PK"]["S"]: i["UniqueOwner"]["M"]["PK"]["S"] for i in laboratory.items() if i["Type"]["S"] == "Unique"}
    return {text.rpartition("#")[2]: owner.rpartition("#")[2] for text, owner in found.items()}


def test_all_writes_happen_and_move_their_keys(laboratory: Laboratory) -> None:
    db = laboratory.db
    made = Note(note_id="1", topic="a")
    with db.transaction() as tx:
        tx.create(made)
        tx.put(Survey(tenant_id="t", survey_id="1", votes=2))
        tx.apply(close, ticket("t", "1"), "done")
        tx.update(ONE, set={"plan": "paid"}, add={"logins": 1})
        tx.delete(TWO)
        assert laboratory.wire.sent == []
    assert laboratory.wire.operations == ["BatchGetItem", "TransactWriteItems"]
    item = laboratory.item("TENANT#t", "TICKET#1")
    assert (item["GSI1PK"]["S"], item["GSI1SK"]["S"], "LSI1SK" in item) == ("STATUS#DONE", "0003#1", False)
    assert laboratory.item("TENANT#t", "SURVEY#1")["GSI2SK"]["S"] == "00002#1"
    assert laboratory.item("ACCOUNT#1", "ACCOUNT#1")["GSI2SK"]["S"] == "000001#1"
    assert laboratory.item("ACCOUNT#2", "ACCOUNT#2") == {}
    assert markers(laboratory) == {"ann@x": "1", "ann": "1"}


def test_entities_remember_what_became_of_them(laboratory: Laboratory) -> None:
    db = laboratory.db
    known = db.get(ONE)
    assert known is not None
    fresh, blind = Account(account_id="3", tenant_id="t", email="c@x"), Ticket(tenant_id="t", ticket_id="1")
    known.name = "Ann"
    over = Account(account_id="2", tenant_id="t", email="bob@x")
    with db.transaction() as tx:
        tx.put(known)
        tx.create(fresh)
        tx.put(over)
        tx.put(blind)
    versions = [s.version for s in map(stored, (known, fresh, over)) if s is not None]
    assert versions == [2, 1, 2]
    assert stored(blind) is None
    for entity in (known, fresh, over):
        db.put(entity)


def test_one_failure_stops_all_and_says_which(laboratory: Laboratory) -> None:
    before = laboratory.items()
    for fail, error in (
        (lambda tx: tx.create(Account(account_id="1", tenant_id="t", email="z@x")), AlreadyExistsError),
        (lambda tx: tx.update(account("9"), set={"name": "x"}), NotFoundError),
        (lambda tx: tx.update(ONE, set={"name": "x"}, when=Account.plan == "paid"), ConditionalCheckError),
        (lambda tx: tx.update(ONE, set={"name": "x"}, expected_version=7), ConcurrentModificationError),
        (lambda tx: tx.update(ONE, set={"email": "bob@x"}), UniqueViolationError),
        (lambda tx: tx.check(ONE, Account.plan == "paid"), ConditionalCheckError),
        (lambda tx: tx.check(account("9")), NotFoundError),
        (lambda tx: tx.check(ONE, expected_version=2), ConcurrentModificationError),
        (lambda tx: tx.delete(ONE, when=Account.plan == "paid"), ConditionalCheckError),
        (lambda tx: tx.update(ticket("t", "1"), add={"rank": -4}), ConditionalCheckError),
        (lambda tx: tx.update(account("9"), set={"email": "z@x"}), NotFoundError),
        (lambda tx: tx.update(ONE, set={"email": "z@x"}, when=Account.plan == "paid"), ConditionalCheckError),
        (lambda tx: tx.delete(account_by_email("nobody@x")), NotFoundError),
    ):
        with pytest.raises(ConditionalCheckError) as caught, laboratory.db.transaction() as tx:
            tx.put(Note(note_id="1"))
            fail(tx)  # type: ignore[no-untyped-call]
        assert type(caught.value) is error
        assert caught.value.context["action"] == 1
        assert caught.value.context["reasons"] == {1: caught.value.message}
        assert laboratory.items() == before
    with pytest.raises(ConditionalCheckError) as caught, laboratory.db.transaction() as tx:
        tx.put(Note(note_id="1"))
        tx.update(TWO, set={"name": "x"}, when=Account.plan == "paid")
        tx.check(account("9"))
    assert caught.value.context["action"] == 1
    assert set(caught.value.context["reasons"]) == {1, 2}


def test_checks_and_conditions_that_hold(laboratory: Laboratory) -> None:
    with laboratory.db.transaction() as tx:
        tx.check(ONE, Account.plan == "free", Account.logins == 0)
        tx.check(TWO, expected_version=1)
        tx.put(Note(note_id="1"))
    assert laboratory.item("NOTE#1", "NOTE#1") != {}


def test_an_exception_in_the_block_sends_nothing(laboratory: Laboratory) -> None:
    with pytest.raises(ZeroDivisionError), laboratory.db.transaction() as tx:
        tx.put(Note(note_id="1"))
        raise ZeroDivisionError
    assert laboratory.wire.sent == []


def test_an_empty_transaction_sends_nothing(laboratory: Laboratory) -> None:
    with laboratory.db.transaction():
        pass
    assert laboratory.wire.sent == []


def test_wrong_input_is_refused_where_it_is_given(laboratory: Laboratory) -> None:
    with laboratory.db.transaction() as tx:
        for wrong, error in (
            (lambda: tx.update(ONE, set={"nme": "x"}), UnknownFieldError),
            (lambda: tx.update(account_by_email("ann@x"), set={"nme": "x"}), UnknownFieldError),
            (lambda: tx.update(account_by_email("ann@x"), set={"logins": "many"}), FieldTypeError),
            (lambda: tx.apply(close, ticket("t", 5), "done"), FieldTypeError),
        ):
            with pytest.raises(error):
                wrong()
    assert laboratory.wire.sent == []


def test_a_transaction_that_is_over_takes_nothing_more(laboratory: Laboratory) -> None:
    with laboratory.db.transaction() as tx:
        tx.put(Note(note_id="1"))
    with pytest.raises(TransactionError, match="over"):
        tx.put(Note(note_id="2"))
    with pytest.raises(ZeroDivisionError), laboratory.db.transaction() as broken:
        raise ZeroDivisionError
    with pytest.raises(TransactionError, match="over"):
        broken.put(Note(note_id="2"))


def test_a_transaction_that_has_not_begun_takes_nothing(laboratory: Laboratory) -> None:
    forgotten = laboratory.db.transaction()
    with pytest.raises(TransactionError, match="would never be sent"):
        forgotten.put(Note(note_id="2"))
    with forgotten:
        forgotten.put(Note(note_id="3"))
    assert laboratory.db.get(key(Note, note_id="3")) is not None
    assert laboratory.db.get(key(Note, note_id="2")) is None


def test_an_item_is_named_once(laboratory: Laboratory) -> None:
    with pytest.raises(TransactionError, match="writes 0 and 1 of the transaction"), laboratory.db.transaction() as tx:
        tx.update(ONE, set={"name": "x"})
        tx.delete(account("1"))
    assert laboratory.wire.sent == []
    with pytest.raises(TransactionError, match="writes 0 and 1 of the transaction"), laboratory.db.transaction() as tx:
        tx.update(ONE, set={"name": "x"})
        tx.delete(account_by_email("ann@x"))
    assert laboratory.wire.operations == ["Query"]


# ---------------------------------------------------------------------------------------------- changing hands


def test_a_value_changes_hands(laboratory: Laboratory) -> None:
    with laboratory.db.transaction() as tx:
        tx.update(TWO, set={"email": "ann@x", "handle": "ann"})
        tx.update(ONE, set={"email": "new@x", "handle": None})
    assert markers(laboratory) == {"ann@x": "2", "ann": "2", "new@x": "1"}


def test_two_values_are_swapped(laboratory: Laboratory) -> None:
    with laboratory.db.transaction() as tx:
        tx.update(ONE, set={"email": "bob@x"})
        tx.update(TWO, set={"email": "ann@x"})
    assert markers(laboratory) == {"ann@x": "2", "bob@x": "1", "ann": "1"}
    found = laboratory.db.run(account_by_email, "bob@x")
    assert found is not None
    assert found.account_id == "1"


def test_a_deleted_owner_hands_its_values_to_a_new_one(laboratory: Laboratory) -> None:
    with laboratory.db.transaction() as tx:
        tx.delete(ONE)
        tx.create(Account(account_id="3", tenant_id="t", email="ann@x", handle="ann"))
        tx.put(Account(account_id="2", tenant_id="t", email="c@x"))
    assert markers(laboratory) == {"ann@x": "3", "ann": "3", "c@x": "2"}


def test_a_value_that_changed_hands_meanwhile_is_not_taken(laboratory: Laboratory) -> None:
    def meanwhile() -> None:
        laboratory.other.update(ONE, set={"email": "else@x"})
        laboratory.other.create(Account(account_id="3", tenant_id="t", email="ann@x"))

    laboratory.wire.before[1] = meanwhile
    with pytest.raises(UniqueViolationError) as caught, laboratory.db.transaction() as tx:
        tx.update(ONE, set={"email": "new@x"})
        tx.update(TWO, set={"email": "ann@x"})
    assert caught.value.context["action"] == 1
    assert markers(laboratory) == {"else@x": "1", "ann@x": "3", "bob@x": "2", "ann": "1"}


def test_a_value_given_up_meanwhile_is_taken(laboratory: Laboratory) -> None:
    laboratory.wire.before[1] = lambda: laboratory.other.update(ONE, set={"email": "else@x"})
    with laboratory.db.transaction() as tx:
        tx.update(ONE, set={"email": "new@x"})
        tx.update(TWO, set={"email": "ann@x"})
    assert markers(laboratory) == {"new@x": "1", "ann@x": "2", "ann": "1"}


def test_an_old_copy_of_the_giver_does_not_refuse_the_taker(laboratory: Laboratory) -> None:
    laboratory.other.update(ONE, set={"email": "old@x"})
    copy = laboratory.db.get(ONE)
    laboratory.other.update(ONE, set={"email": "ann@x"})
    assert copy is not None
    laboratory.wire.restart()
    giver = laboratory.db.get(ONE, consistent=True)
    assert giver is not None
    stale = giver.model_copy(update={"email": "old@x"})
    with laboratory.db.transaction() as tx:
        tx.update(stale, set={"email": "new@x"})
        tx.update(TWO, set={"email": "ann@x"})
    assert markers(laboratory) == {"new@x": "1", "ann@x": "2", "ann": "1"}


def test_two_claims_of_one_value_are_refused_before_sending(laboratory: Laboratory) -> None:
    with pytest.raises(UniqueViolationError, match="Two items"), laboratory.db.transaction() as tx:
        tx.create(Account(account_id="3", tenant_id="t", email="same@x"))
        tx.create(Account(account_id="4", tenant_id="t", email="same@x"))
    assert laboratory.wire.sent == []


# ----------------------------------------------------------------------------------------------------- guards


def test_every_write_is_guarded_and_all_are_planned_again(laboratory: Laboratory) -> None:
    laboratory.wire.before[1] = lambda: laboratory.other.update(ticket("t", "1"), set={"rank": 9})
    laboratory.wire.before[2] = lambda: laboratory.other.update(ONE, add={"logins": 4})
    with laboratory.db.transaction() as tx:
        tx.update(ticket("t", "1"), set={"status": "DONE"})
        tx.update(ONE, set={"plan": "paid"})
    assert laboratory.wire.operations == ["BatchGetItem", *["TransactWriteItems"] * 3]
    assert laboratory.item("TENANT#t", "TICKET#1")["GSI1SK"]["S"] == "0009#1"
    assert laboratory.item("ACCOUNT#1", "ACCOUNT#1")["GSI2SK"]["S"] == "000004#1"
    tokens = {r["ClientRequestToken"] for o, r in laboratory.wire.sent if o == "TransactWriteItems"}
    assert len(tokens) == 3


def test_contention_is_reported_for_transactions_too(laboratory: Laboratory) -> None:
    ranks = iter(range(100))
    for number in range(1, 12):
        laboratory.wire.before[number] = lambda: laboratory.other.update(ticket("t", "1"), set={"rank": next(ranks)})
    with pytest.raises(ContentionError), laboratory.db.transaction() as tx:
        tx.update(ticket("t", "1"), set={"status": "DONE"})
        tx.put(Note(note_id="1"))
    assert laboratory.item("NOTE#1", "NOTE#1") == {}


def test_a_conflict_beside_a_failed_guard_is_planned_again(laboratory: Laboratory) -> None:
    item = laboratory.item("TENANT#t", "TICKET#1")
    reasons = [CancellationReason("ConditionalCheckFailed", item=item), CancellationReason("TransactionConflict")]
    laboratory.wire.refuse[1] = TransactionCanceled("x", reasons=reasons)
    with laboratory.db.transaction() as tx:
        tx.update(ticket("t", "1"), set={"status": "DONE"})
        tx.put(Note(note_id="1"))
    assert laboratory.item("TENANT#t", "TICKET#1")["GSI1PK"]["S"] == "STATUS#DONE"


def test_a_lasting_conflict_is_reported_as_such(laboratory: Laboratory) -> None:
    conflict = TransactionCanceled("x", reasons=[CancellationReason("TransactionConflict")])
    laboratory.wire.refuse = dict.fromkeys(range(9), conflict)
    with pytest.raises(TransactionCanceled), laboratory.db.transaction() as tx:
        tx.put(Note(note_id="1"))
    assert len(laboratory.wire.sent) == 4


# ----------------------------------------------------------------------------------------------------- limits


def test_a_hundred_actions_count_markers(laboratory: Laboratory) -> None:
    def people_from(first: int, count: int) -> Any:
        with laboratory.db.transaction() as tx:
            for number in range(first, first + count):
                tx.create(Account(account_id=f"p{number}", tenant_id="t", email=f"{number}@x", handle=f"h{number}"))

    people_from(0, 33)
    before = laboratory.items()
    with pytest.raises(TransactionError, match="102 actions"):
        people_from(100, 34)
    assert laboratory.items() == before
    assert laboratory.wire.operations == ["TransactWriteItems"]


def test_a_hundred_and_one_actions_are_refused(laboratory: Laboratory) -> None:
    with laboratory.db.transaction() as tx:
        for number in range(100):
            tx.put(Note(note_id=f"n{number}"))
    with pytest.raises(TransactionError, match="101"), laboratory.db.transaction() as tx:
        for number in range(101):
            tx.delete(key(Note, note_id=f"n{number}"))
    assert len([i for i in laboratory.items() if i["Type"]["S"] == "Note"]) == 100


@pytest.mark.parametrize("how", ["create", "update"])
def test_four_megabytes_are_refused_before_sending(laboratory: Laboratory, how: str) -> None:
    with pytest.raises(TransactionError, match="bytes"), laboratory.db.transaction() as tx:
        for number in range(12):
            body = "x" * 390_000
            if how == "create":
                tx.create(Invoice(invoice_id=f"{number}", body=body))
            else:
                tx.update(key(Invoice, invoice_id=f"{number}"), set={"body": body})
    assert laboratory.wire.sent == []


def test_what_the_stored_item_forbids_is_explained(laboratory: Laboratory) -> None:
    db = laboratory.db
    db.create(Invoice(invoice_id="1", body="x" * 300_000))
    one = key(Invoice, invoice_id="1")

    def fails(error: type[Exception], **change: Any) -> None:
        with pytest.raises(error):
            db.update(one, **change)
        with pytest.raises(error), db.transaction() as tx:
            tx.update(one, **change)

    fails(ItemTooLargeError, append={"lines": [{"product": "y" * 200_000, "quantity": 1}]})
    laboratory.overwrite("INVOICE#1", "INVOICE#1", "share", {"S": "no number"})
    fails(DecodeError, add={"share": 0.5})
    laboratory.overwrite("INVOICE#1", "INVOICE#1", "share", {"N": "9E125"})
    fails(NumberError, add={"share": 9e125})


# ------------------------------------------------------------------------------------------------------- tokens


def test_the_caller_s_token_is_sent_and_planned_without_guesses(laboratory: Laboratory) -> None:
    copy = laboratory.other.get(ticket("t", "1"))
    assert copy is not None
    with laboratory.db.transaction(token="mine") as tx:
        tx.update(copy, set={"status": "DONE"})
    assert laboratory.wire.operations == ["GetItem", "TransactWriteItems"]
    assert laboratory.wire.sent[1][1]["ClientRequestToken"] == "mine"


def test_a_token_used_again_says_that_it_was_carried_out(laboratory: Laboratory) -> None:
    with laboratory.db.transaction(token="mine") as tx:
        tx.apply(close, ticket("t", "1"), "done")
    with pytest.raises(IdempotentParameterMismatch, match="carried out"), laboratory.db.transaction(token="mine") as tx:
        tx.put(Note(note_id="1"))
    assert laboratory.item("NOTE#1", "NOTE#1") == {}


@pytest.mark.parametrize("token", ["", "x" * 37, 5])
def test_a_token_has_a_length(laboratory: Laboratory, token: Any) -> None:
    with pytest.raises(TransactionError):
        laboratory.db.transaction(token=token)


def test_a_lost_reply_is_made_good_by_the_token(laboratory: Laboratory) -> None:
    laboratory.wire.lose = {1, 2, 3}
    with laboratory.db.transaction() as tx:
        tx.update(ONE, add={"logins": 1})
    assert laboratory.wire.operations == ["GetItem", *["TransactWriteItems"] * 4]
    assert laboratory.item("ACCOUNT#1", "ACCOUNT#1")["logins"] == {"N": "1"}
    laboratory.wire.restart()
    laboratory.wire.lose = {1, 2, 3, 4}
    with pytest.raises(OutcomeUnknownError), laboratory.db.transaction() as tx:
        tx.update(ONE, add={"logins": 1})
    assert laboratory.item("ACCOUNT#1", "ACCOUNT#1")["logins"] == {"N": "2"}


def test_async_transactions_are_the_same() -> None:
    async def work() -> list[str]:
        async with lab.open_async("memory:") as db:
            await db.create(Survey(tenant_id="t", survey_id="1"))
            async with db.transaction() as tx:
                tx.apply(vote, key(Survey, tenant_id="t", survey_id="1"))
                tx.create(Note(note_id="1"))
            with pytest.raises(AlreadyExistsError):
                async with db.transaction() as tx:
                    tx.create(Note(note_id="1"))
            with pytest.raises(ZeroDivisionError):
                async with db.transaction() as tx:
                    tx.create(Note(note_id="2"))
                    raise ZeroDivisionError
            items = (await db.send("Scan", {"TableName": "Lab"}))["Items"]
            return sorted(i["Type"]["S"] for i in items)

    assert asyncio.run(work()) == ["Note", "Survey"]
