"""Items that other code wrote, in shapes of its own: what is ours is kept right, what is not ours stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import Field

from tablewright import GSI, Entity, Keys, NaturalKey, Session, Table, key, stored, ulid
from tablewright.errors import ConcurrentModificationError, DecodeError, TransactionError, UniqueViolationError

table = Table("Others", indexes=[GSI("GSI1")])


class Boxed(Entity, table=table, nested="data"):
    """Its fields live in a map; one that a key is made of has a default that is new each time."""

    keys = Keys("BOXED#{id}", "X", GSI1=("STATE#{state}", "{ref}"))
    id: str
    state: str = "a"
    ref: str = Field(default_factory=ulid)
    note: str | None = None


class Member(Entity, table=table):
    """One unique field that is normalised, one with a default that is new each time."""

    keys = Keys("MEMBER#{id}", "X", unique=["email", "ref"])
    id: str
    email: NaturalKey
    ref: str = Field(default_factory=ulid)


class Locked(Entity, table=table, version=True):
    """With a version."""

    keys = Keys("LOCKED#{id}", "X")
    id: str
    n: int = 0


class Timed(Entity, table=table):
    """Sorted by its time of creation."""

    keys = Keys("TIMED#{id}", "X", GSI1=("TIMED", "{created_at}"))
    id: str


class Versioned(Entity, table=table, schema_version=2):
    """Of the second shape."""

    keys = Keys("VERSIONED#{id}", "X")
    id: str
    n: int = 0


@pytest.fixture
def db() -> Iterator[Session]:
    with table.open("memory:") as session:
        yield session


def write(db: Session, entity: str, item_id: str, **attributes: Any) -> None:
    """Stores an item past the model."""
    key_item = {"PK": {"S": f"{entity.upper()}#{item_id}"}, "SK": {"S": "X"}}
    item = {**key_item, "Type": {"S": entity}, "id": {"S": item_id}, **attributes}
    db.send("PutItem", {"TableName": "Others", "Item": item})


def read(db: Session, entity: str, item_id: str) -> dict[str, Any]:
    """Reads it past the model."""
    keys = {"PK": {"S": f"{entity.upper()}#{item_id}"}, "SK": {"S": "X"}}
    found: dict[str, Any] = db.send("GetItem", {"TableName": "Others", "Key": keys})["Item"]
    return found


def markers(db: Session) -> list[str]:
    """The partition keys of all markers."""
    items = db.send("Scan", {"TableName": "Others"})["Items"]
    return sorted(i["PK"]["S"] for i in items if "UniqueOwner" in i)


# ---------------------------------------------------------------------------------------------------- maps


def test_a_default_that_a_key_is_made_of_is_stored_with_the_map_that_was_missing(db: Session) -> None:
    write(db, "Boxed", "1")
    after = db.update(key(Boxed, id="1"), set={"state": "z"})
    item = read(db, "Boxed", "1")
    assert item["GSI1SK"] == item["data"]["M"]["ref"] == {"S": after.ref}
    assert db.get(key(Boxed, id="1")) == after


def test_a_put_leaves_members_of_the_map_that_it_does_not_know(db: Session) -> None:
    write(db, "Boxed", "1", data={"M": {"ref": {"S": "r"}, "future": {"S": "precious"}, "note": {"S": "old"}}})
    db.put(Boxed(id="1", state="b", ref="s"))
    item = read(db, "Boxed", "1")
    assert item["data"] == {"M": {"state": {"S": "b"}, "ref": {"S": "s"}, "future": {"S": "precious"}}}
    assert (item["GSI1PK"], item["GSI1SK"]) == ({"S": "STATE#b"}, {"S": "s"})


def test_a_put_makes_the_map_where_there_is_none(db: Session) -> None:
    write(db, "Boxed", "1", other={"S": "stays"})
    db.put(Boxed(id="1", ref="s"))
    item = read(db, "Boxed", "1")
    assert item["data"] == {"M": {"state": {"S": "a"}, "ref": {"S": "s"}}}
    assert item["other"] == {"S": "stays"}


# ------------------------------------------------------------------------------------------------- uniqueness


def test_a_value_is_claimed_as_it_would_be_written(db: Session) -> None:
    write(db, "Member", "1", email={"S": "Ada@X.com"}, ref={"S": "r"})
    db.claim_unique(key(Member, id="1"))
    with pytest.raises(UniqueViolationError):
        db.create(Member(id="2", email="ada@x.com"))
    db.delete(key(Member, id="1"))
    assert markers(db) == []


def test_a_value_that_is_not_stored_is_not_claimed(db: Session) -> None:
    write(db, "Member", "1", email={"S": "a"})
    db.claim_unique(key(Member, id="1"))
    assert markers(db) == ["UNIQUE#Member#email#a"]


def test_two_items_that_share_a_value_can_be_deleted_or_replaced_together(db: Session) -> None:
    for number in ("1", "2"):
        write(db, "Member", number, email={"S": "a"}, ref={"S": "r" + number})
    db.claim_unique(key(Member, id="1"))
    with db.transaction() as tx:
        tx.delete(key(Member, id="1"))
        tx.delete(key(Member, id="2"))
        tx.create(Member(id="3", email="a", ref="r3"))
    assert markers(db) == ["UNIQUE#Member#email#a", "UNIQUE#Member#ref#r3"]
    with pytest.raises(UniqueViolationError):
        db.create(Member(id="4", email="a"))


def test_two_items_give_up_the_value_that_they_share(db: Session) -> None:
    for number in ("1", "2"):
        write(db, "Member", number, email={"S": "a"}, ref={"S": "r" + number})
    db.claim_unique(key(Member, id="2"))
    with db.transaction() as tx:
        tx.delete(key(Member, id="1"))
        tx.update(key(Member, id="2"), set={"email": "b"})
    assert markers(db) == ["UNIQUE#Member#email#b", "UNIQUE#Member#ref#r2"]


# ----------------------------------------------------------------------------------------- versions and times


def test_a_version_that_is_no_number_is_named(db: Session) -> None:
    write(db, "Locked", "1", Version={"S": "3"})
    found = db.get(key(Locked, id="1"))
    assert found is not None
    with pytest.raises(DecodeError, match="'Version' that is no whole number"):
        db.put(found)


def test_a_written_item_that_cannot_be_read_is_said_to_be_written(db: Session) -> None:
    write(db, "Locked", "1", Version={"N": "3.5"})
    with pytest.raises(DecodeError, match="The item was written, but"):
        db.put(Locked(id="1", n=7))
    assert read(db, "Locked", "1")["n"] == {"N": "7"}


def test_a_time_in_another_shape_does_not_stand_in_the_way_of_locks(db: Session) -> None:
    write(db, "Locked", "1", Version={"N": "1"}, CreatedAt={"N": "1700000000"})
    found = db.get(key(Locked, id="1"))
    assert found is not None
    for number in (1, 2):
        found.n = number
        db.put(found)
    known = stored(found)
    assert known is not None
    assert (known.version, known.created) == (3, None)
    assert read(db, "Locked", "1")["CreatedAt"] == {"N": "1700000000"}


@pytest.mark.parametrize("created", [{"N": "1700000000"}, {"S": "yesterday"}], ids=["number", "text"])
def test_a_key_is_never_made_of_a_time_in_another_shape(db: Session, created: dict[str, str]) -> None:
    write(db, "Timed", "1", CreatedAt=created)
    before = read(db, "Timed", "1")
    with pytest.raises(DecodeError, match="'CreatedAt' that is no time"):
        db.put(Timed(id="1"))
    assert read(db, "Timed", "1") == before


def test_an_update_leaves_the_schema_version_of_what_it_did_not_change(db: Session) -> None:
    write(db, "Versioned", "1", SchemaVersion={"N": "1"})
    db.update(key(Versioned, id="1"), add={"n": 1})
    assert read(db, "Versioned", "1")["SchemaVersion"] == {"N": "1"}
    db.put(Versioned(id="1"))
    assert read(db, "Versioned", "1")["SchemaVersion"] == {"N": "2"}


# ----------------------------------------------------------------------------------------------- transactions


def test_a_transaction_is_carried_out_once(db: Session) -> None:
    db.create(Locked(id="1"))
    tx = db.transaction()
    with tx:
        tx.update(key(Locked, id="1"), add={"n": 1})
    with pytest.raises(TransactionError, match="The transaction is over"), tx:
        pass
    found = db.get(key(Locked, id="1"))
    assert found is not None
    assert found.n == 1


def test_a_check_of_an_entity_that_was_read_locks_it(db: Session) -> None:
    copy = db.create(Locked(id="1"))
    db.update(key(Locked, id="1"), add={"n": 1})
    with pytest.raises(ConcurrentModificationError), db.transaction() as tx:
        tx.check(copy)
        tx.create(Locked(id="2"))
    assert db.get(key(Locked, id="2")) is None


def test_a_default_is_the_same_whether_it_is_stored_or_left_out(db: Session) -> None:
    with db.edit(key(Boxed, id=db.create(Boxed(id="1", ref="r")).id)) as boxed:
        write(db, "Boxed", "1", data={"M": {"ref": {"S": "r"}}})  # other code leaves the state out
        boxed.state = "z"
    assert read(db, "Boxed", "1")["data"]["M"]["state"] == {"S": "z"}
    write(db, "Boxed", "2", data={"M": {"ref": {"S": "r"}}})
    with db.edit(key(Boxed, id="2")) as boxed:
        write(db, "Boxed", "2", data={"M": {"ref": {"S": "r"}, "state": {"S": "a"}}})  # and now it stores it
        boxed.state = "z"
    assert read(db, "Boxed", "2")["GSI1PK"] == {"S": "STATE#z"}
