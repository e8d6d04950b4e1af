"""Writes that an index leads to: the index may still show an item in a place that it has left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TypeVar

import pytest
from pydantic import model_validator

from tablewright import (
    GSI,
    Entity,
    Get,
    Key,
    Keys,
    Query,
    Relationship,
    Session,
    SoftDelete,
    Table,
    get,
    key,
    query,
)
from tablewright.engine import Engine, open_engine
from tablewright.errors import NotFoundError
from tablewright.testing import IndexLag, LostReply

E = TypeVar("E", bound=Entity)
lab = Table("Stale", indexes=[GSI("GSI1")])


class User(Entity, table=lab):
    keys = Keys("USER#{user_id}", "USER", GSI1=("EMAIL#{email}", "USER"))
    user_id: str
    email: str
    logins: int = 0


class Job(Entity, table=lab):
    keys = Keys("JOB#{job_id}", "JOB", GSI1=("STATUS#{status}", "{job_id}"))
    job_id: str
    status: str
    urgent: bool = False


class Note(Entity, table=lab, soft_delete=SoftDelete(timedelta(days=1))):
    keys = Keys("NOTE#{note_id}", "NOTE", GSI1=("TOPIC#{topic}", "NOTE#{note_id}"), unique=["title"])
    note_id: str
    topic: str
    title: str


@lab.pattern
def by_email(email: str) -> Get[User]:
    return get(User, User.email == email)


@lab.pattern
def with_status(status: str) -> Query[Job]:
    return query(Job, Job.status == status)


@lab.pattern
def urgent_with_status(status: str) -> Query[Job]:
    return query(Job, Job.status == status).filter(Job.urgent == True)  # noqa: E712


@lab.pattern
def on_topic(topic: str) -> Query[Note]:
    return query(Note, Note.topic == topic)


@pytest.fixture
def engine() -> Iterator[Engine]:
    with open_engine("memory:") as engine:
        yield engine


@pytest.fixture
def db(engine: Engine) -> Iterator[Session]:
    with lab.open(engine) as db:
        db.create(User(user_id="1", email="old@example.org"))
        yield db


def there(db: Session, target: Key[E]) -> E:
    """An item that must be there."""
    found = db.get(target)
    assert found is not None
    return found


WRITES: dict[str, Callable[[Session], object]] = {
    "update": lambda db: db.update(by_email("old@example.org"), add={"logins": 1}),
    "increment": lambda db: db.increment(by_email("old@example.org"), User.logins),
    "delete": lambda db: db.delete(by_email("old@example.org")),
    "edit": lambda db: db.revise(by_email("old@example.org"), lambda user: setattr(user, "logins", 7)),
}


@pytest.mark.parametrize("name", sorted(WRITES))
def test_an_item_that_an_index_shows_in_its_old_place_is_not_written(db: Session, engine: Engine, name: str) -> None:
    with engine.faults.inject(IndexLag()):
        db.update(key(User, user_id="1"), set={"email": "new@example.org"})
        with pytest.raises(NotFoundError, match="no such User"):
            WRITES[name](db)
    assert there(db, key(User, user_id="1")).logins == 0


@pytest.mark.parametrize("what", ["update", "delete", "check"])
def test_nor_is_it_in_a_transaction(db: Session, engine: Engine, what: str) -> None:
    with engine.faults.inject(IndexLag()):
        db.update(key(User, user_id="1"), set={"email": "new@example.org"})
        with pytest.raises(NotFoundError), db.transaction() as tx:
            tx.create(Job(job_id="1", status="open"))
            if what == "update":
                tx.update(by_email("old@example.org"), add={"logins": 1})
            elif what == "delete":
                tx.delete(by_email("old@example.org"))
            else:
                tx.check(by_email("old@example.org"))
    assert there(db, key(User, user_id="1")).logins == 0
    assert db.get(key(Job, job_id="1")) is None


def test_what_an_index_shows_rightly_is_written(db: Session) -> None:
    assert db.update(by_email("old@example.org"), add={"logins": 1}).logins == 1
    assert db.revise(by_email("old@example.org"), lambda user: setattr(user, "logins", 7)).logins == 7
    deleted = db.delete(by_email("old@example.org"))
    assert deleted is not None
    assert deleted.logins == 7


def test_a_delete_through_an_index_may_be_repeated(db: Session, engine: Engine) -> None:
    with engine.faults.inject(LostReply(operations="DeleteItem", nth=1)):
        assert db.delete(by_email("old@example.org")) is None
    assert db.get(key(User, user_id="1")) is None


def test_a_collection_leaves_what_has_gone_elsewhere(db: Session, engine: Engine) -> None:
    for number in range(3):
        db.create(Job(job_id=str(number), status="cancelled"))
    with engine.faults.inject(IndexLag()):
        db.update(key(Job, job_id="1"), set={"status": "paid"})
        deleted = db.delete_collection(with_status("cancelled"))
    assert (deleted.items, deleted.done) == (2, True)
    assert there(db, key(Job, job_id="1")).status == "paid"


def test_a_collection_leaves_what_its_filter_no_longer_lets_through(db: Session, engine: Engine) -> None:
    for number in range(3):
        db.create(Job(job_id=str(number), status="open", urgent=True))
    with engine.faults.inject(IndexLag()):
        db.update(key(Job, job_id="1"), set={"urgent": False})
        assert db.delete_collection(urgent_with_status("open")).items == 2
    assert there(db, key(Job, job_id="1")).urgent is False


def test_a_collection_of_items_with_tombstones_and_unique_values(db: Session, engine: Engine) -> None:
    for number in "012":
        db.create(Note(note_id=number, topic="a", title=number))
    with engine.faults.inject(IndexLag()):
        db.update(key(Note, note_id="1"), set={"topic": "b"})
        db.delete(key(Note, note_id="2"))
        db.delete_collection(on_topic("a"))
    assert there(db, key(Note, note_id="1")).topic == "b"
    assert db.get(key(Note, note_id="0")) is None


def test_a_copy_that_must_be_read_first_and_is_gone_is_counted_as_gone(engine: Engine) -> None:
    shop = Table("Shop", indexes=[GSI("GSI1")])

    class Customer(Entity, table=shop):
        keys = Keys("CUSTOMER#{username}", "CUSTOMER")
        username: str
        name: str

    class Order(Entity, table=shop):
        keys = Keys("ORDER#{order_id}", "ORDER", GSI1=("CUSTOMER#{customer}", "{order_id}"))
        order_id: str
        customer: str
        customer_name: str
        shortest: int = 0

        @model_validator(mode="after")
        def _long_enough(self) -> Order:
            if len(self.customer_name) < self.shortest:
                raise ValueError("too short")
            return self

    @shop.pattern
    def orders_of(customer: str) -> Query[Order]:
        return query(Order, Order.customer == customer)

    shop.relate(
        Relationship(
            Order,
            Customer,
            "1:N",
            "shallow duplication",
            copies={"customer_name": "name"},
            by={"customer": "username"},
            found_by=orders_of,
        )
    )
    with shop.open(engine) as db:
        db.create(Order(order_id="9", customer="bob", customer_name="Robert", shortest=4))
        db.create(Customer(username="bob", name="Bo"))
        with engine.faults.inject(IndexLag()):
            db.delete(key(Order, order_id="9"))
            refreshed = db.refresh_copies(key(Customer, username="bob"))
    assert (refreshed.updated, refreshed.current, refreshed.gone) == (0, 0, 1)
