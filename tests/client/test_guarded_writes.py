"""The guarded write: keys stay right when values are not given, and when somebody else writes in between."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright import ANY_VERSION, key, stored
from tablewright.errors import (
    AlreadyExistsError,
    ArgumentError,
    ConcurrentModificationError,
    ConditionalCheckError,
    ConditionalCheckFailed,
    ContentionError,
    DecodeError,
    ImmutableFieldError,
    KeyTooLongError,
    KeyValueError,
    NotFoundError,
    OutcomeUnknownError,
    Throttled,
    UniqueViolationError,
)
from tests.client.conftest import Laboratory
from tests.client.lab import Account, Note, Survey, Ticket, account, account_by_email, close, vote
from tests.property.naive import problems

ONE = key(Ticket, tenant_id="t", ticket_id="1")
DUE = datetime(2026, 1, 1, 10, tzinfo=UTC)


def make(laboratory: Laboratory, **fields: Any) -> Ticket:
    made = laboratory.other.create(Ticket(tenant_id="t", ticket_id="1", **fields))
    laboratory.wire.restart()
    return made


def text(item: dict[str, Any], *names: str) -> list[str | None]:
    return [item.get(n, {}).get("S") for n in names]


def item(laboratory: Laboratory) -> dict[str, Any]:
    return laboratory.item("TENANT#t", "TICKET#1")


# ------------------------------------------------------------------------------------------- what is not given


def test_values_that_are_not_given_are_read_and_guarded(laboratory: Laboratory) -> None:
    make(laboratory, rank=7)
    laboratory.db.update(ONE, set={"status": "OPEN"})
    assert laboratory.wire.operations == ["GetItem", "UpdateItem"]
    assert laboratory.wire.sent[0][1]["ConsistentRead"] is True
    assert text(item(laboratory), "GSI1PK", "GSI1SK", "LSI1SK") == ["STATUS#OPEN", "0007#1", "OPEN#0007"]


def test_an_index_of_fields_alone_needs_no_read(laboratory: Laboratory) -> None:
    make(laboratory, country="DE", city="Bonn")
    laboratory.db.update(ONE, set={"city": "Ulm"})
    assert laboratory.wire.operations == ["UpdateItem"]
    with pytest.raises(KeyValueError):
        laboratory.db.update(ONE, set={"city": ""})
    with pytest.raises(KeyTooLongError):
        laboratory.db.update(ONE, set={"country": "x" * 2049})
    assert laboratory.wire.operations == ["UpdateItem"]


def test_a_copy_that_was_read_saves_the_read(laboratory: Laboratory) -> None:
    made = make(laboratory, rank=7)
    laboratory.db.update(made, set={"status": "OPEN"})
    assert laboratory.wire.operations == ["UpdateItem"]
    assert text(item(laboratory), "GSI1SK") == ["0007#1"]


def test_an_old_copy_is_found_out(laboratory: Laboratory) -> None:
    made = make(laboratory, rank=7)
    laboratory.other.update(ONE, set={"rank": 8})
    laboratory.db.update(made, set={"status": "OPEN"})
    assert laboratory.wire.operations == ["UpdateItem", "UpdateItem"]
    assert text(item(laboratory), "GSI1PK", "GSI1SK") == ["STATUS#OPEN", "0008#1"]


def test_a_copy_that_was_spoilt_in_place_is_not_believed(laboratory: Laboratory) -> None:
    made = make(laboratory, rank=7)
    made.rank = 9
    made.tags.add(5)  # type: ignore[arg-type]
    laboratory.db.update(made, set={"status": "OPEN"})
    assert text(item(laboratory), "GSI1SK") == ["0007#1"]


def test_an_old_copy_that_cannot_even_be_planned_on_is_checked_against_the_table(laboratory: Laboratory) -> None:
    made = make(laboratory, rank=9999)
    laboratory.other.update(ONE, set={"rank": 1})
    laboratory.db.update(made, add={"rank": 1})
    assert laboratory.wire.operations == ["GetItem", "UpdateItem"]
    assert text(item(laboratory), "GSI1SK") == ["0002#1"]


@pytest.mark.parametrize("request_number", [0, 1])
def test_somebody_else_in_between_is_planned_around(laboratory: Laboratory, request_number: int) -> None:
    make(laboratory, rank=7)
    laboratory.wire.before[request_number] = lambda: laboratory.other.update(ONE, set={"rank": 8}, remove=["assignee"])
    laboratory.db.update(ONE, set={"status": "OPEN"})
    assert text(item(laboratory), "GSI1PK", "GSI1SK") == ["STATUS#OPEN", "0008#1"]


def test_what_was_absent_must_still_be_absent(laboratory: Laboratory) -> None:
    make(laboratory, tags={"hot"})
    laboratory.wire.before[1] = lambda: laboratory.other.update(ONE, set={"assignee": "ann"})
    laboratory.db.update(ONE, include={"tags": ["cold"]})
    assert text(item(laboratory), "GSI2PK", "GSI2SK") == ["HOT#t", "ann#1"]


def test_an_item_that_vanishes_in_between_is_not_found(laboratory: Laboratory) -> None:
    make(laboratory)
    laboratory.wire.before[1] = lambda: laboratory.other.delete(ONE)
    with pytest.raises(NotFoundError):
        laboratory.db.update(ONE, set={"status": "OPEN"})
    assert item(laboratory) == {}


def test_ten_overtakings_are_contention_and_nothing_is_written(laboratory: Laboratory) -> None:
    make(laboratory)
    ranks = iter(range(1, 100))
    for number in range(1, 12):
        laboratory.wire.before[number] = lambda: laboratory.other.update(ONE, set={"rank": next(ranks)})
    with pytest.raises(ContentionError) as caught:
        laboratory.db.update(ONE, set={"status": "OPEN"})
    assert caught.value.retryable
    assert laboratory.wire.operations == ["GetItem", *["UpdateItem"] * 10]
    assert text(item(laboratory), "status", "GSI1PK", "GSI1SK") == ["NEW", "STATUS#NEW", "0010#1"]


def test_nine_overtakings_are_not(laboratory: Laboratory) -> None:
    make(laboratory)
    ranks = iter(range(1, 100))
    for number in range(1, 10):
        laboratory.wire.before[number] = lambda: laboratory.other.update(ONE, set={"rank": next(ranks)})
    laboratory.db.update(ONE, set={"status": "OPEN"})
    assert text(item(laboratory), "GSI1PK", "GSI1SK") == ["STATUS#OPEN", "0009#1"]


def test_a_counter_that_feeds_a_key_is_compared_and_set(laboratory: Laboratory) -> None:
    make(laboratory, rank=5)
    laboratory.wire.before[1] = lambda: laboratory.other.update(ONE, add={"rank": 10})
    changed = laboratory.db.update(ONE, add={"rank": 1})
    assert changed.rank == 16
    assert text(item(laboratory), "GSI1SK", "LSI1SK") == ["0016#1", "NEW#0016"]


def test_sparse_keys_enter_and_leave(laboratory: Laboratory) -> None:
    make(laboratory, assignee="bob", due_at=DUE)
    db = laboratory.db

    def keys() -> list[str | None]:
        return text(item(laboratory), "GSI2PK", "GSI2SK", "GSI4PK", "LSI1SK")

    assert keys() == [None, None, "DAY#2026-01-01", "NEW#0000"]
    db.update(ONE, include={"tags": ["hot", "cold"]})
    assert keys()[:2] == ["HOT#t", "bob#1"]
    db.update(ONE, set={"assignee": None})
    assert keys()[:2] == [None, None]
    db.update(ONE, set={"assignee": "ann", "status": "DONE"})
    assert keys() == ["HOT#t", "ann#1", "DAY#2026-01-01", None]
    db.update(ONE, discard={"tags": ["hot"]}, remove=["due_at"])
    assert keys() == [None, None, None, None]
    assert item(laboratory)["tags"] == {"SS": ["cold"]}


def test_every_write_moves_the_key_of_the_last_change(laboratory: Laboratory) -> None:
    made = make(laboratory)
    seen = {item(laboratory)["GSI3SK"]["S"]}
    db = laboratory.db
    db.update(ONE, set={})
    seen.add(item(laboratory)["GSI3SK"]["S"])
    db.put(made)
    seen.add(item(laboratory)["GSI3SK"]["S"])
    db.put(Ticket(tenant_id="t", ticket_id="1"))
    seen.add(item(laboratory)["GSI3SK"]["S"])
    with db.edit(ONE) as t:
        t.city = "Bonn"
    stamped = item(laboratory)
    seen.add(stamped["GSI3SK"]["S"])
    assert len(seen) == 5
    assert stamped["GSI3SK"]["S"] == f"{stamped['UpdatedAt']['S']}#1"


def test_removing_a_field_stores_its_default(laboratory: Laboratory) -> None:
    make(laboratory, rank=5, status="OPEN")
    laboratory.db.update(ONE, remove=["rank", "status"])
    stored_item = item(laboratory)
    assert (stored_item["rank"], stored_item["status"]) == ({"N": "0"}, {"S": "NEW"})
    laboratory.db.update(ONE, set={"city": "Bonn"}, when=[Ticket.rank == 0, Ticket.status == "NEW"])


# --------------------------------------------------------------------------------------------- own conditions


def test_a_failed_guard_is_told_from_a_failed_condition(laboratory: Laboratory) -> None:
    make(laboratory, status="OPEN")
    laboratory.wire.before[1] = lambda: laboratory.other.update(ONE, set={"rank": 3})
    laboratory.db.apply(close, ONE, "done")
    assert text(item(laboratory), "status", "GSI1SK") == ["DONE", "0003#1"]
    laboratory.wire.restart()
    laboratory.other.update(ONE, set={"status": "OPEN"})
    laboratory.wire.before[1] = lambda: laboratory.other.update(ONE, set={"status": "NEW"})
    with pytest.raises(ConditionalCheckError) as caught:
        laboratory.db.apply(close, ONE, "done")
    assert type(caught.value) is ConditionalCheckError
    assert caught.value.item.status == "NEW"
    assert text(item(laboratory), "status") == ["NEW"]


def test_without_a_guard_only_the_callers_condition_can_have_failed(laboratory: Laboratory) -> None:
    """Even where the item that came along seems to meet it, the service's word counts, and once is enough."""
    make(laboratory)
    laboratory.wire.refuse[0] = ConditionalCheckFailed(item=item(laboratory))
    with pytest.raises(ConditionalCheckError):
        laboratory.db.update(ONE, set={"city": "Bonn"}, when=Ticket.status == "NEW")
    assert laboratory.wire.operations == ["UpdateItem"]


def test_a_condition_that_failed_on_no_item_is_looked_into(laboratory: Laboratory) -> None:
    """No item came along: there was none, or nobody told. It is there now, and meets the condition."""
    make(laboratory)
    laboratory.wire.refuse[0] = ConditionalCheckFailed()
    laboratory.db.delete(ONE, when=Ticket.city == None)  # noqa: E711 - a field, not a value
    assert laboratory.wire.operations == ["DeleteItem", "GetItem", "DeleteItem"]
    laboratory.wire.restart()
    laboratory.wire.refuse[0] = ConditionalCheckFailed()
    with pytest.raises(NotFoundError):
        laboratory.db.delete(ONE, when=Ticket.city == None)  # noqa: E711 - a field, not a value
    assert laboratory.wire.operations == ["DeleteItem", "GetItem"]


def test_a_condition_that_fails_at_the_read_costs_no_write(laboratory: Laboratory) -> None:
    make(laboratory)
    with pytest.raises(ConditionalCheckError):
        laboratory.db.apply(close, ONE, "done")
    assert laboratory.wire.operations == ["GetItem"]


def test_a_missing_item_is_never_made_by_an_update(laboratory: Laboratory) -> None:
    for change in ({"set": {"status": "OPEN"}}, {"set": {"city": "Bonn"}}, {"add": {"rank": 1}}, {"set": {}}):
        with pytest.raises(NotFoundError):
            laboratory.db.update(ONE, **change)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        laboratory.db.apply(vote, key(Survey, tenant_id="t", survey_id="1"))
    assert laboratory.items() == []


def test_no_message_holds_a_value(laboratory: Laboratory) -> None:
    make(laboratory, assignee="a secret name")
    with pytest.raises(ConditionalCheckError) as caught:
        laboratory.db.update(ONE, set={"status": "OPEN"}, when=Ticket.assignee == "another secret")
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(caught.value)


def test_create_meets_an_existing_item(laboratory: Laboratory) -> None:
    make(laboratory, city="Bonn")
    with pytest.raises(AlreadyExistsError) as caught:
        laboratory.db.create(Ticket(tenant_id="t", ticket_id="1"))
    assert caught.value.item.city == "Bonn"
    assert text(item(laboratory), "city") == ["Bonn"]


def test_put_under_a_condition(laboratory: Laboratory) -> None:
    fresh = Ticket(tenant_id="t", ticket_id="1", city="Bonn")
    with pytest.raises(NotFoundError):
        laboratory.db.put(fresh, when=Ticket.status == "NEW")
    laboratory.db.put(fresh, when=Ticket.city == None)  # noqa: E711 - a field, not a value
    with pytest.raises(ConditionalCheckError):
        laboratory.db.put(fresh, when=Ticket.status == "OPEN")
    laboratory.db.put(fresh, when=[Ticket.status == "NEW", Ticket.city == "Bonn"])


def test_a_condition_on_another_entity_is_refused(laboratory: Laboratory) -> None:
    with pytest.raises(ArgumentError, match="Account"):
        laboratory.db.update(ONE, set={"status": "OPEN"}, when=Account.name == "x")
    with pytest.raises(ArgumentError):
        laboratory.db.update(ONE, set={"status": "OPEN"}, when="x")
    assert laboratory.wire.sent == []


# ---------------------------------------------------------------------------------------------------- versions


@pytest.fixture
def ann(laboratory: Laboratory) -> Account:
    """An account as the first session knows it."""
    made = laboratory.db.create(Account(account_id="1", tenant_id="t", email="ann@x", handle="ann"))
    laboratory.wire.restart()
    return made


def version(laboratory: Laboratory) -> str:
    found: str = laboratory.item("ACCOUNT#1", "ACCOUNT#1")["Version"]["N"]
    return found


def test_a_version_starts_at_one_and_grows_with_every_write(laboratory: Laboratory, ann: Account) -> None:
    db = laboratory.db
    assert version(laboratory) == "1"
    ann = db.update(ann, set={"name": "Ann"})
    ann = db.update(ann, set={"email": "ann@y"})
    db.put(ann)
    with db.edit(ann) as edited:
        edited.plan = "paid"
    known = stored(edited)
    assert version(laboratory) == "5"
    assert known is not None
    assert known.version == 5
    db.put(edited)
    assert version(laboratory) == "6"


@pytest.mark.parametrize("field", ["name", "email"])
def test_a_copy_read_before_is_locked(laboratory: Laboratory, ann: Account, field: str) -> None:
    laboratory.other.update(account("1"), set={"name": "Bob"})
    for attempt in (
        lambda: laboratory.db.update(ann, set={field: "x"}),
        lambda: laboratory.db.put(ann),
        lambda: laboratory.db.delete(ann),
    ):
        with pytest.raises(ConcurrentModificationError, match="Somebody else"):
            attempt()
    assert version(laboratory) == "2"


def test_a_copy_of_a_deleted_item_is_not_found(laboratory: Laboratory, ann: Account) -> None:
    laboratory.other.delete(account("1"))
    for attempt in (
        lambda: laboratory.db.update(ann, set={"name": "x"}),
        lambda: laboratory.db.put(ann),
        lambda: laboratory.db.delete(ann),
    ):
        with pytest.raises(NotFoundError):
            attempt()
    assert laboratory.items() == []


def test_a_bare_key_is_not_locked_but_an_expected_version_is(laboratory: Laboratory, ann: Account) -> None:
    db = laboratory.db
    laboratory.other.update(account("1"), set={"name": "Bob"})
    db.update(account("1"), set={"plan": "paid"})
    assert version(laboratory) == "3"
    with pytest.raises(ConcurrentModificationError):
        db.update(account("1"), set={"plan": "free"}, expected_version=2)
    db.update(account("1"), set={"plan": "free"}, expected_version=3)
    db.update(account("1"), set={"plan": "paid"}, expected_version=ANY_VERSION)
    db.delete(account("1"), expected_version=5)
    assert laboratory.items() == []


def test_none_expects_an_item_without_a_version(laboratory: Laboratory, ann: Account) -> None:
    with pytest.raises(ConcurrentModificationError):
        laboratory.db.update(account("1"), set={"name": "x"}, expected_version=None)
    remove = {"TableName": "Lab", "Key": {n: {"S": "ACCOUNT#1"} for n in ("PK", "SK")}}
    laboratory.other.send("UpdateItem", {**remove, "UpdateExpression": "REMOVE Version"})
    changed = laboratory.db.update(account("1"), set={"name": "x"}, expected_version=None)
    known = stored(changed)
    assert known is not None
    assert known.version == 1


def test_an_entity_without_a_version_has_none_to_expect(laboratory: Laboratory) -> None:
    for expected in (1, None):
        with pytest.raises(ArgumentError, match="no version"):
            laboratory.db.update(ONE, set={"city": "Bonn"}, expected_version=expected)
    with pytest.raises(ArgumentError):
        laboratory.db.update(account("1"), expected_version="1")  # type: ignore[arg-type]
    assert laboratory.wire.sent == []


def test_a_fresh_put_knows_its_version_even_when_overtaken(laboratory: Laboratory, ann: Account) -> None:
    fresh = Account(account_id="1", tenant_id="t", email="ann@x", name="Fresh")
    laboratory.wire.before[1] = lambda: laboratory.other.update(account("1"), set={"name": "Bob"})
    known = stored(laboratory.db.put(fresh))
    assert known is not None
    assert known.version == 3
    assert version(laboratory) == "3"
    laboratory.other.update(account("1"), set={"name": "Carl"})
    with pytest.raises(ConcurrentModificationError):
        laboratory.db.put(fresh)


def test_a_fresh_put_keeps_the_time_of_creation(laboratory: Laboratory) -> None:
    made = make(laboratory)
    created = stored(made)
    for fresh in (Ticket(tenant_id="t", ticket_id="1", city="Bonn"), Ticket(tenant_id="t", ticket_id="1")):
        known = stored(laboratory.db.put(fresh))
        assert known is not None
        assert created is not None
        assert known.created == created.created
        assert known.updated == item(laboratory)["UpdatedAt"]["S"]
    assert "city" not in item(laboratory)


def test_a_put_leaves_attributes_alone_that_the_model_does_not_know(laboratory: Laboratory) -> None:
    made = make(laboratory, city="Bonn")
    keys = {"PK": {"S": "TENANT#t"}, "SK": {"S": "TICKET#1"}}
    alien = {"UpdateExpression": "SET Alien = :f", "ExpressionAttributeValues": {":f": {"S": "x"}}}
    laboratory.other.send("UpdateItem", {"TableName": "Lab", "Key": keys, **alien})
    made.city = None
    for entity in (made, Ticket(tenant_id="t", ticket_id="1")):
        laboratory.db.put(entity)
        assert item(laboratory)["Alien"] == {"S": "x"}
        assert "city" not in item(laboratory)


def test_plain_entities_hold_nothing_but_fields_and_keys(laboratory: Laboratory) -> None:
    laboratory.db.put(Note(note_id="1", topic="a"))
    assert "GSI1PK" in laboratory.item("NOTE#1", "NOTE#1")
    laboratory.db.put(Note(note_id="1"))
    assert set(laboratory.item("NOTE#1", "NOTE#1")) == {"PK", "SK", "Type", "note_id", "text"}


# ------------------------------------------------------------------------------------------------ lost replies


def test_a_lost_reply_to_an_update_is_reported_and_not_repeated(laboratory: Laboratory) -> None:
    make(laboratory)
    laboratory.wire.lose = {1}
    with pytest.raises(OutcomeUnknownError):
        laboratory.db.update(ONE, add={"rank": 1})
    assert laboratory.wire.operations == ["GetItem", "UpdateItem"]
    assert item(laboratory)["rank"] == {"N": "1"}


def test_a_lost_reply_to_a_create_is_no_conflict(laboratory: Laboratory) -> None:
    laboratory.wire.lose = {0}
    with pytest.raises(OutcomeUnknownError):
        laboratory.db.create(Ticket(tenant_id="t", ticket_id="1"))
    assert laboratory.wire.operations == ["PutItem"]


def test_a_create_with_unique_values_survives_lost_replies(laboratory: Laboratory) -> None:
    laboratory.wire.lose = {0, 1}
    laboratory.db.create(Account(account_id="1", tenant_id="t", email="x"))
    assert laboratory.wire.operations == ["TransactWriteItems"] * 3
    assert laboratory.wire.sent[0] == laboratory.wire.sent[1] == laboratory.wire.sent[2]
    assert version(laboratory) == "1"


def test_a_counter_in_a_transaction_counts_once_despite_lost_replies(laboratory: Laboratory, ann: Account) -> None:
    laboratory.wire.lose = {1}
    laboratory.db.update(account("1"), set={"email": "new@x"}, add={"logins": 1})
    assert laboratory.wire.operations == ["GetItem", "TransactWriteItems", "TransactWriteItems", "GetItem"]
    assert laboratory.item("ACCOUNT#1", "ACCOUNT#1")["logins"] == {"N": "1"}


def test_a_new_plan_has_a_new_token_and_a_repeat_has_the_old_one(laboratory: Laboratory, ann: Account) -> None:
    laboratory.wire.before[1] = lambda: laboratory.other.update(account("1"), set={"handle": "anna"})
    laboratory.wire.refuse[2] = Throttled("Slow down.")
    laboratory.db.update(account("1"), set={"email": "new@x"})
    requests = [r for o, r in laboratory.wire.sent if o == "TransactWriteItems"]
    tokens = [r["ClientRequestToken"] for r in requests]
    assert len(tokens) == 3
    assert tokens[0] != tokens[1] == tokens[2]
    assert requests[1] == requests[2]


@pytest.mark.parametrize("entity", [Note(note_id="1"), Ticket(tenant_id="t", ticket_id="1")], ids=repr)
def test_a_put_that_counts_nothing_is_repeated(laboratory: Laboratory, entity: Any) -> None:
    laboratory.wire.lose = {0}
    laboratory.db.put(entity)
    assert laboratory.wire.operations == ["UpdateItem", "UpdateItem"]
    assert len(laboratory.items()) == 1


def test_an_unconditional_delete_is_repeated(laboratory: Laboratory) -> None:
    make(laboratory)
    laboratory.wire.lose = {0}
    laboratory.db.delete(ONE)
    assert laboratory.wire.operations == ["DeleteItem", "DeleteItem"]
    assert laboratory.items() == []


# ---------------------------------------------------------------------------------------------- through an index


def test_a_read_through_an_index_is_a_guess_like_any_other(laboratory: Laboratory, ann: Account) -> None:
    laboratory.wire.before[1] = lambda: laboratory.other.update(account("1"), add={"logins": 5})
    changed = laboratory.db.update(account_by_email("ann@x"), set={"plan": "paid"})
    assert laboratory.wire.operations == ["Query", "UpdateItem", "UpdateItem"]
    assert changed.logins == 5
    stored_item = laboratory.item("ACCOUNT#1", "ACCOUNT#1")
    assert text(stored_item, "GSI2PK", "GSI2SK", "active_plan") == ["PLAN#paid", "000005#1", "paid"]
    with pytest.raises(NotFoundError):
        laboratory.db.update(account_by_email("nobody"), set={"plan": "paid"})


@pytest.mark.parametrize(
    "more", [{}, {"expected_version": 1}, {"when": Account.email == "ann@y"}], ids=["alone", "version", "when"]
)
def test_an_item_that_left_the_place_it_was_found_in_is_not_the_one_asked_for(
    laboratory: Laboratory, ann: Account, more: dict[str, Any]
) -> None:
    laboratory.wire.before[1] = lambda: laboratory.other.update(account("1"), set={"email": "ann@y"})
    with pytest.raises(NotFoundError):
        laboratory.db.update(account_by_email("ann@x"), set={"name": "Ann"}, **more)
    kept = laboratory.db.get(account("1"))
    assert kept is not None
    assert (kept.email, kept.name) == ("ann@y", ann.name)


def test_an_item_of_another_shape_is_not_written_over(laboratory: Laboratory) -> None:
    make(laboratory)
    keys = {"PK": {"S": "TENANT#t"}, "SK": {"S": "TICKET#1"}}
    odd = {"UpdateExpression": "SET notes = :o", "ExpressionAttributeValues": {":o": {"S": "no list"}}}
    laboratory.other.send("UpdateItem", {"TableName": "Lab", "Key": keys, **odd})
    with pytest.raises(DecodeError):
        laboratory.db.update(ONE, append={"notes": ["x"]})
    tagged = {"UpdateExpression": "SET tags = :o", "ExpressionAttributeValues": {":o": {"S": "no set"}}}
    laboratory.other.send("UpdateItem", {"TableName": "Lab", "Key": keys, **tagged})
    with pytest.raises(DecodeError):
        laboratory.db.update(ONE, set={"assignee": "bob"})
    assert item(laboratory)["notes"] == {"S": "no list"}


# -------------------------------------------------------------------------------------------------- unique values


def markers(laboratory: Laboratory) -> dict[str, str]:
    return {i["PK"]["S"]: i["UniqueOwner"]["M"]["PK"]["S"] for i in laboratory.items() if i["Type"]["S"] == "Unique"}


def test_unique_values_are_claimed_moved_and_freed(laboratory: Laboratory, ann: Account) -> None:
    db = laboratory.db
    email, handle = "UNIQUE#Account#email#", "UNIQUE#Account#tenant_id+handle#"
    assert markers(laboratory) == {f"{email}ann@x": "ACCOUNT#1", f"{handle}t#ann": "ACCOUNT#1"}
    db.update(account("1"), set={"email": "ann@y", "handle": None})
    assert markers(laboratory) == {f"{email}ann@y": "ACCOUNT#1"}
    db.update(account("1"), set={"tenant_id": "u", "handle": "ann"})
    assert markers(laboratory) == {f"{email}ann@y": "ACCOUNT#1", f"{handle}u#ann": "ACCOUNT#1"}
    db.update(account("1"), set={"tenant_id": "t"})
    assert markers(laboratory) == {f"{email}ann@y": "ACCOUNT#1", f"{handle}t#ann": "ACCOUNT#1"}
    db.delete(account("1"))
    assert laboratory.items() == []


def test_a_taken_value_is_refused_on_every_path(laboratory: Laboratory, ann: Account) -> None:
    db = laboratory.db
    db.create(Account(account_id="2", tenant_id="t", email="bob@x", handle="bob"))
    before = laboratory.items()
    two = account("2")
    thief = db.get(two)
    assert thief is not None

    def edit() -> None:
        with db.edit(two) as edited:
            edited.email = "ann@x"

    def transaction() -> None:
        with db.transaction() as tx:
            tx.update(two, set={"handle": "ann"})

    for steal in (
        lambda: db.create(Account(account_id="3", tenant_id="t", email="ann@x")),
        lambda: db.create(Account(account_id="3", tenant_id="t", email="c@x", handle="ann")),
        lambda: db.put(Account(account_id="2", tenant_id="t", email="ann@x")),
        lambda: db.put(thief.model_copy(update={"email": "ann@x"})),
        lambda: db.update(two, set={"email": "ann@x"}),
        edit,
        transaction,
    ):
        with pytest.raises(UniqueViolationError) as caught:
            steal()
        assert "ann" not in str(caught.value)
    assert laboratory.items() == before


def test_the_same_handle_in_another_tenant_is_free(laboratory: Laboratory, ann: Account) -> None:
    laboratory.db.create(Account(account_id="2", tenant_id="u", email="bob@x", handle="ann"))
    assert len(markers(laboratory)) == 4


def test_setting_the_same_value_again_moves_nothing(laboratory: Laboratory, ann: Account) -> None:
    laboratory.db.update(account("1"), set={"email": "ann@x"})
    assert laboratory.wire.operations == ["GetItem", "UpdateItem"]
    assert len(markers(laboratory)) == 2


@pytest.mark.parametrize("how", ["update", "put", "delete"])
def test_a_value_changed_by_another_in_between_leaves_no_orphan(laboratory: Laboratory, ann: Account, how: str) -> None:
    laboratory.wire.before[1] = lambda: laboratory.other.update(account("1"), set={"email": "between@x"})
    if how == "update":
        laboratory.db.update(account("1"), set={"email": "after@x"})
    elif how == "put":
        laboratory.db.put(Account(account_id="1", tenant_id="t", email="after@x", handle="ann"))
    else:
        deleted = laboratory.db.delete(account("1"))
        assert deleted is not None
        assert deleted.email == "between@x"
    expected = {} if how == "delete" else {"after@x", "ann"}
    assert {m.rpartition("#")[2] for m in markers(laboratory)} == set(expected)


def test_delete_returns_exactly_what_it_deleted(laboratory: Laboratory, ann: Account) -> None:
    laboratory.wire.before[1] = lambda: laboratory.other.update(account("1"), set={"name": "Bob"})
    deleted = laboratory.db.delete(account("1"))
    assert deleted is not None
    assert deleted.name == "Bob"


def test_a_marker_that_is_not_ours_is_left_alone(laboratory: Laboratory, ann: Account) -> None:
    """Two items may hold one value from before it was declared unique; the one without the marker can still go."""
    laboratory.other.create(Account(account_id="2", tenant_id="t", email="old@x"))
    keys = {n: {"S": "ACCOUNT#2"} for n in ("PK", "SK")}
    twin = {"UpdateExpression": "SET email = :e", "ExpressionAttributeValues": {":e": {"S": "ann@x"}}}
    laboratory.other.send("UpdateItem", {"TableName": "Lab", "Key": keys, **twin})
    laboratory.db.update(account("2"), set={"email": "new@x"})
    laboratory.db.delete(account("2"))
    assert markers(laboratory)["UNIQUE#Account#email#ann@x"] == "ACCOUNT#1"


def test_a_marker_that_was_lost_and_won_again_is_given_up(laboratory: Laboratory, ann: Account) -> None:
    """The value goes to another owner and comes back while it is to be given up: the first look must not count."""
    db, other, wire = laboratory.db, laboratory.other, laboratory.wire
    other.update(ann, set={"handle": "h"})
    other.create(Account(account_id="2", tenant_id="t", email="bob@x"))
    one, two = key(Account, account_id=ann.account_id), key(Account, account_id="2")

    def away() -> None:
        other.update(one, set={"handle": None})
        other.update(two, set={"handle": "h"})

    def back() -> None:
        other.update(two, set={"handle": None})
        other.update(one, set={"handle": "h"})

    wire.restart()
    wire.before = {1: away, 2: back}
    assert db.update(one, set={"handle": None}).handle is None
    assert problems(laboratory.items()) == []


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "in a transaction"])
def test_a_marker_that_was_anothers_is_looked_at_again_on_a_changed_item(
    laboratory: Laboratory, ann: Account, alone: bool
) -> None:
    """The first plan meets a marker of another owner; when the item has changed, it may be the item's own by then."""
    db, other, wire = laboratory.db, laboratory.other, laboratory.wire
    other.create(Account(account_id="2", tenant_id="t", email="bob@x", handle="h"))
    one, two = key(Account, account_id=ann.account_id), key(Account, account_id="2")
    keys = {n: {"S": f"ACCOUNT#{ann.account_id}"} for n in ("PK", "SK")}
    twin = {"UpdateExpression": "SET handle = :h", "ExpressionAttributeValues": {":h": {"S": "h"}}}
    other.update(one, set={"handle": None})
    other.send("UpdateItem", {"TableName": "Lab", "Key": keys, **twin})

    def made_right() -> None:
        other.update(two, set={"handle": None})
        other.update(one, set={"handle": None})
        other.update(one, set={"handle": "h", "email": "new@x"})

    wire.restart()
    wire.before = {2: made_right}
    changed = Account(account_id=ann.account_id, tenant_id="t", email="ann@x")
    if alone:
        db.put(changed)
    else:
        with db.transaction() as tx:
            tx.put(changed)
    assert problems(laboratory.items()) == []
    assert "UNIQUE#Account#tenant_id+handle#t#h" not in markers(laboratory)


def test_values_stored_before_they_were_unique_can_be_claimed(laboratory: Laboratory, ann: Account) -> None:
    for name in list(markers(laboratory)):
        key_of_marker = {n: {"S": name} for n in ("PK", "SK")}
        laboratory.other.send("DeleteItem", {"TableName": "Lab", "Key": key_of_marker})
    laboratory.db.claim_unique(account("1"))
    assert set(markers(laboratory).values()) == {"ACCOUNT#1"}
    assert len(markers(laboratory)) == 2
    laboratory.db.claim_unique(account("1"))
    laboratory.other.create(Account(account_id="2", tenant_id="t", email="b@x"))
    keys = {n: {"S": "ACCOUNT#2"} for n in ("PK", "SK")}
    twin = {"UpdateExpression": "SET email = :e", "ExpressionAttributeValues": {":e": {"S": "ann@x"}}}
    laboratory.other.send("UpdateItem", {"TableName": "Lab", "Key": keys, **twin})
    with pytest.raises(UniqueViolationError):
        laboratory.db.claim_unique(account("2"))
    with pytest.raises(NotFoundError):
        laboratory.db.claim_unique(account("3"))
    with pytest.raises(ArgumentError):
        laboratory.db.claim_unique(ONE)


# ------------------------------------------------------------------------------------------------- nested maps


def test_a_missing_map_is_made_by_the_update(laboratory: Laboratory) -> None:
    survey = key(Survey, tenant_id="t", survey_id="1")
    laboratory.db.create(Survey(tenant_id="t", survey_id="1"))
    keys = {"PK": {"S": "TENANT#t"}, "SK": {"S": "SURVEY#1"}}
    strip = {"TableName": "Lab", "Key": keys, "UpdateExpression": "REMOVE survey"}
    for change, expected in (
        ({"set": {"title": "q"}}, {"title": {"S": "q"}}),
        ({"add": {"votes": 2}}, {"votes": {"N": "2"}}),
        ({"set": {"title": "q", "code": None}, "add": {"votes": 1}}, {"title": {"S": "q"}, "votes": {"N": "1"}}),
        ({"remove": ["code"]}, {}),
    ):
        laboratory.other.send("UpdateItem", strip)
        changed = laboratory.db.update(survey, **change)  # type: ignore[arg-type]
        whole = {"title": {"S": "untitled"}, "votes": {"N": "0"}, **expected}  # the rest as create() stores it
        assert laboratory.item("TENANT#t", "SURVEY#1")["survey"] == {"M": whole}
        assert changed.votes == int(whole["votes"]["N"])


@pytest.mark.parametrize("change", [{"set": {"title": "q"}}, {"add": {"votes": 1}}], ids=str)
def test_a_map_that_appears_meanwhile_is_not_written_over(laboratory: Laboratory, change: dict[str, Any]) -> None:
    survey = key(Survey, tenant_id="t", survey_id="1")
    laboratory.db.create(Survey(tenant_id="t", survey_id="1"))
    keys = {"PK": {"S": "TENANT#t"}, "SK": {"S": "SURVEY#1"}}
    laboratory.other.send("UpdateItem", {"TableName": "Lab", "Key": keys, "UpdateExpression": "REMOVE survey"})
    laboratory.wire.restart()
    laboratory.wire.before[1] = lambda: laboratory.other.update(survey, set={"code": "c"})
    laboratory.db.update(survey, **change)
    stored_item = laboratory.item("TENANT#t", "SURVEY#1")["survey"]["M"]
    whole = {"title": {"S": "untitled"}, "votes": {"N": "0"}, "code": {"S": "c"}}
    changed = {"title": {"S": "q"}} if "set" in change else {"votes": {"N": "1"}}
    assert stored_item == {**whole, **changed}


def test_something_else_in_the_place_of_the_map_is_reported(laboratory: Laboratory) -> None:
    laboratory.db.create(Survey(tenant_id="t", survey_id="1"))
    keys = {"PK": {"S": "TENANT#t"}, "SK": {"S": "SURVEY#1"}}
    odd = {"UpdateExpression": "SET survey = :o", "ExpressionAttributeValues": {":o": {"S": "no map"}}}
    laboratory.other.send("UpdateItem", {"TableName": "Lab", "Key": keys, **odd})
    for change in ({"set": {"title": "q"}}, {"add": {"votes": 1}}):
        with pytest.raises(DecodeError, match="no map"):
            laboratory.db.update(key(Survey, tenant_id="t", survey_id="1"), **change)  # type: ignore[arg-type]


def test_an_update_that_names_no_change_is_refused(laboratory: Laboratory) -> None:
    made = make(laboratory)
    made.city = "Bonn"
    before = laboratory.items()
    with pytest.raises(ArgumentError, match=r"edit\(\)"):
        laboratory.db.update(made)
    assert laboratory.items() == before


def test_an_entity_whose_key_was_changed_after_reading_is_refused(laboratory: Laboratory) -> None:
    made = make(laboratory)
    made.ticket_id = "2"
    before = laboratory.items()
    for write in (laboratory.db.put, laboratory.db.delete, lambda t: laboratory.db.update(t, set={"city": "Bonn"})):
        with pytest.raises(ImmutableFieldError, match=r"create\(\)"):
            write(made)
    assert laboratory.items() == before
    laboratory.db.create(made.model_copy(update={"ticket_id": "3"}))
    assert len(laboratory.items()) == len(before) + 1
