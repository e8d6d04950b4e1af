"""Only verified users are in the index, as long as they are."""

from collections.abc import Callable
from typing import Any

import pytest

from examples.small.verified import User, move, people, user, verified_users, verify
from tablewright import Session
from tablewright.errors import ConditionalCheckError, NotFoundError


@pytest.fixture
def db(opened: Callable[..., Session]) -> Session:
    session = opened(people)
    for name in ("ann", "bob", "eve"):
        session.create(User(user_id=name, email=f"{name}@example.com"))
    return session


def indexed(db: Session) -> list[str]:
    """Who has an entry in the index, as it is stored."""
    items = db.send("Scan", {"TableName": db.table_name, "IndexName": "GSI1"})["Items"]
    return sorted(item["user_id"]["S"] for item in items)


def test_users_enter_the_index_when_they_verify_and_leave_it_when_they_move(
    db: Session, asked: Callable[..., Any]
) -> None:
    assert indexed(db) == []
    for name in ("eve", "ann"):
        db.apply(verify, user(name), email=f"{name}@example.com")
    assert indexed(db) == ["ann", "eve"]
    with db.measure() as meter:
        found = db.run(verified_users).all()
    assert [each.user_id for each in found] == ["ann", "eve"]
    assert asked(meter) == [("Query", "GSI1")] * 2

    moved = db.apply(move, user("ann"), email="Ann@Example.org ")
    assert (moved.email, moved.email_verified) == ("ann@example.org", False)
    assert indexed(db) == ["eve"]


def test_who_is_not_in_the_index_costs_nothing_there(db: Session) -> None:
    with db.measure() as meter:
        db.update(user("bob"), set={"email": "bob@example.org"})
    assert meter.capacity.write == 1.0
    db.apply(verify, user("bob"), email="bob@example.org")
    with db.measure() as meter:
        db.update(user("bob"), set={"email": "bob@example.com"})
    assert meter.capacity.write == 2.0


def test_only_the_present_address_is_verified(db: Session) -> None:
    db.apply(move, user("ann"), email="ann@example.org")
    with pytest.raises(ConditionalCheckError):
        db.apply(verify, user("ann"), email="ann@example.com")
    with pytest.raises(NotFoundError):
        db.apply(verify, user("nobody"), email="nobody@example.com")
    assert indexed(db) == []


def test_every_way_to_write_keeps_the_index(db: Session) -> None:
    db.put(User(user_id="ann", email="ann@example.com", email_verified=True))
    db.update(user("bob"), set={"email_verified": True})
    with db.edit(user("eve")) as eve:
        eve.email_verified = True
    assert indexed(db) == ["ann", "bob", "eve"]
    db.put(User(user_id="ann", email="ann@example.com"))
    with db.transaction() as tx:
        tx.update(user("bob"), set={"email_verified": False})
    db.delete(user("eve"))
    assert indexed(db) == []
    assert db.run(user, "ann") == User(user_id="ann", email="ann@example.com")
