"""Markers of unique values that other code wrote, without an owner: they are those of the items that hold their values."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tablewright import Entity, Keys, NaturalKey, Session, SoftDelete, Table, Unique, key
from tablewright.engine import open_engine
from tablewright.errors import UniqueViolationError
from tablewright.server import serve_in_thread
from tablewright.testing import LostReply
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE, PLACES
from tests.client.doubles import OnTheWay

guild = Table("Guild")


class User(Entity, table=guild):
    """Its markers are the ones that there were before the model."""

    keys = Keys("USER#{uid}", "USER#{uid}", unique=[Unique("email", key="EMAIL#{email}")])
    uid: str
    email: NaturalKey


class Guest(Entity, table=guild, soft_delete=SoftDelete(keep=timedelta(days=1))):
    """One that leaves a tombstone."""

    keys = Keys("GUEST#{uid}", "GUEST#{uid}", unique=[Unique("email", key="GUESTEMAIL#{email}")])
    uid: str
    email: str


ONE, TWO = key(User, uid="1"), key(User, uid="2")


@pytest.fixture(params=PLACES)
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Session]:
    """The table as the old code left it: one user, with a marker that says nothing of its owner."""
    name = f"guild-{uuid.uuid4().hex}"
    if request.param == "http":
        with (
            serve_in_thread(access_key="local", secret_key="local") as server,
            guild.open(server.url, create=True) as session,
        ):
            old_code(session)
            yield session
        return
    if request.param == "dynamodb-local":
        opened = guild.open(request.getfixturevalue("dynamodb_local_url"), create=True, table_name=name)
    else:
        opened = guild.open("memory:" if request.param == "memory" else tmp_path / "guild.db")
    with opened as session:
        old_code(session)
        yield session
        if request.param == "dynamodb-local":
            session.delete_table()


def raw(db: Session, pk: str, **attributes: Any) -> None:
    """Stores an item past the model."""
    item = {"PK": {"S": pk}, "SK": {"S": pk}, **attributes}
    db.send("PutItem", {"TableName": db.table_name, "Item": item})


def old_code(db: Session) -> None:
    """Writes a user and the marker as the script before the model did."""
    raw(db, "USER#1", uid={"S": "1"}, email={"S": "a@x"})
    raw(db, "EMAIL#a@x", user={"S": "1"})


def markers(db: Session) -> dict[str, str | None]:
    """The owners of all markers; None for one that has none."""
    found = db.send("Scan", {"TableName": db.table_name, "ConsistentRead": True})["Items"]
    kept = [i for i in found if "EMAIL#" in i["PK"]["S"]]
    return {i["PK"]["S"]: i.get("UniqueOwner", {"M": {"PK": {"S": None}}})["M"]["PK"]["S"] for i in kept}


def delete(db: Session) -> None:
    db.delete(ONE)


def update(db: Session) -> None:
    db.update(ONE, set={"email": "b@x"})


def put(db: Session) -> None:
    db.put(User(uid="1", email="b@x"))


def upsert(db: Session) -> None:
    db.upsert(User(uid="1", email="b@x"))


def edit(db: Session) -> None:
    with db.edit(ONE) as user:
        user.email = "b@x"


def in_a_transaction(db: Session) -> None:
    with db.transaction() as tx:
        tx.update(ONE, set={"email": "b@x"})


GIVING = [delete, update, put, upsert, edit, in_a_transaction]


@pytest.mark.parametrize("give_up", GIVING, ids=lambda f: f.__name__)
def test_whoever_holds_the_value_gives_its_marker_up(db: Session, give_up: Callable[[Session], None]) -> None:
    give_up(db)
    assert markers(db) == ({} if give_up is delete else {"EMAIL#b@x": "USER#1"})
    db.create(User(uid="2", email="a@x"))
    assert markers(db)["EMAIL#a@x"] == "USER#2"


def test_a_claim_adopts_the_marker_with_what_else_is_in_it(db: Session) -> None:
    db.claim_unique(ONE)
    db.claim_unique(ONE)
    place = {"PK": {"S": "EMAIL#a@x"}, "SK": {"S": "EMAIL#a@x"}}
    owner = {"PK": {"S": "USER#1"}, "SK": {"S": "USER#1"}}
    found = db.send("GetItem", {"TableName": db.table_name, "Key": place})["Item"]
    assert found == {**place, "user": {"S": "1"}, "Type": {"S": "Unique"}, "UniqueOwner": {"M": owner}}
    with pytest.raises(UniqueViolationError):
        db.create(User(uid="2", email="a@x"))
    db.delete(ONE)
    assert markers(db) == {}


def test_nobody_else_takes_the_value(db: Session) -> None:
    db.create(User(uid="2", email="c@x"))
    takers: list[Callable[[], object]] = [
        lambda: db.create(User(uid="3", email="A@x")),
        lambda: db.put(User(uid="3", email="a@x")),
        lambda: db.upsert(User(uid="3", email="a@x")),
        lambda: db.put(User(uid="2", email="a@x")),
        lambda: db.update(TWO, set={"email": "a@x"}),
    ]
    for taking in takers:
        with pytest.raises(UniqueViolationError):
            taking()
    assert markers(db) == {"EMAIL#a@x": None, "EMAIL#c@x": "USER#2"}


def test_a_second_item_with_the_value_is_refused_once_it_is_adopted(db: Session) -> None:
    raw(db, "USER#2", uid={"S": "2"}, email={"S": "a@x"})
    db.claim_unique(ONE)
    with pytest.raises(UniqueViolationError):
        db.claim_unique(TWO)
    db.delete(TWO)
    assert markers(db) == {"EMAIL#a@x": "USER#1"}


def test_a_write_that_leaves_the_value_alone_leaves_the_marker_alone(db: Session) -> None:
    db.put(User(uid="1", email="A@x"))
    assert markers(db) == {"EMAIL#a@x": None}
    db.update(ONE, set={"email": "b@x"})
    assert markers(db) == {"EMAIL#b@x": "USER#1"}


def test_a_value_is_handed_over_in_one_transaction(db: Session) -> None:
    db.create(User(uid="2", email="c@x"))
    with db.transaction() as tx:
        tx.update(ONE, set={"email": "c@x"})
        tx.update(TWO, set={"email": "a@x"})
    assert markers(db) == {"EMAIL#a@x": "USER#2", "EMAIL#c@x": "USER#1"}


def test_a_soft_delete_gives_it_up_and_takes_it_again(db: Session) -> None:
    raw(db, "GUEST#1", uid={"S": "1"}, email={"S": "a@x"})
    raw(db, "GUESTEMAIL#a@x")
    db.delete(key(Guest, uid="1"))
    assert markers(db) == {"EMAIL#a@x": None}
    db.undelete(key(Guest, uid="1"))
    assert markers(db) == {"EMAIL#a@x": None, "GUESTEMAIL#a@x": "GUEST#1"}


# -------------------------------------------------------------------------------------------- with others about


@pytest.fixture
def two() -> Iterator[tuple[Session, OnTheWay, Session]]:
    """A session, what stands between it and its engine, and another session, over what the old code left."""
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with guild.open(EmbeddedTransport(engine, owned=False), create=True) as other:
            old_code(other)
            with guild.open(wire, retry=AT_ONCE) as db:
                yield db, wire, other
        assert engine.verify() == []


@pytest.mark.parametrize("give_up", [g for g in GIVING if g is not edit], ids=lambda f: f.__name__)
def test_a_marker_that_was_taken_meanwhile_stays_with_its_owner(
    two: tuple[Session, OnTheWay, Session], give_up: Callable[[Session], None]
) -> None:
    db, wire, other = two

    def faster() -> None:
        other.update(ONE, set={"email": "d@x"})
        other.create(User(uid="2", email="a@x"))

    wire.restart()
    wire.before = {1: faster}
    give_up(db)
    owners = markers(other)
    assert owners.pop("EMAIL#a@x") == "USER#2"
    assert owners == ({} if give_up is delete else {"EMAIL#b@x": "USER#1"})


def test_of_two_claims_the_second_is_refused(two: tuple[Session, OnTheWay, Session]) -> None:
    db, wire, other = two
    raw(other, "USER#2", uid={"S": "2"}, email={"S": "a@x"})
    wire.restart()
    wire.before = {1: lambda: other.claim_unique(TWO)}
    with pytest.raises(UniqueViolationError):
        db.claim_unique(ONE)
    assert markers(other) == {"EMAIL#a@x": "USER#2"}


def test_a_claim_of_a_value_that_was_given_up_meanwhile_leaves_it_free(
    two: tuple[Session, OnTheWay, Session],
) -> None:
    db, wire, other = two
    wire.restart()
    wire.before = {1: lambda: other.update(ONE, set={"email": "b@x"})}
    db.claim_unique(ONE)
    assert markers(other) == {"EMAIL#b@x": "USER#1"}


@pytest.mark.parametrize("carried_out", [True, False])
def test_a_lost_reply_does_not_matter(*, carried_out: bool) -> None:
    with open_engine("memory:") as engine, guild.open(engine, retry=AT_ONCE) as db:
        old_code(db)
        for write in (lambda: db.claim_unique(ONE), lambda: db.update(ONE, set={"email": "b@x"})):
            engine.faults.inject(LostReply(operations="writes", nth=1, carried_out=carried_out))
            write()
        assert markers(db) == {"EMAIL#b@x": "USER#1"}
