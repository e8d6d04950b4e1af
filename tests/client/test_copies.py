"""Duplicated fields: which copies are stale, and bringing them up to date without ever going back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import (
    GSI,
    Changing,
    Entity,
    Get,
    Keys,
    Query,
    Refreshed,
    Relationship,
    Session,
    Table,
    before_update,
    get,
    key,
    query,
    stored,
)
from tablewright.engine import Engine, open_engine
from tablewright.errors import ArgumentError, ContentionError, ModelError, NetworkError, NotFoundError, TablewrightError
from tablewright.transport.embedded import EmbeddedTransport
from tests.client.conftest import AT_ONCE, ticking
from tests.client.doubles import OnTheWay

shop = Table("Copies", indexes=[GSI("GSI1"), GSI("GSI2")])


class Customer(Entity, table=shop, version=True):
    keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
    username: str
    name: str
    city: str | None = None
    points: int = 0


class Order(Entity, table=shop, version=True):
    """Repeats its customer's name, and is sorted by it."""

    keys = Keys(
        "ORDER#{order_id}",
        "ORDER#{order_id}",
        GSI1=("CUSTOMER#{customer}", "ORDER#{order_id}"),
        GSI2=("ORDERS", "{customer_name}#{order_id}"),
    )
    order_id: str
    customer: str
    customer_name: str
    customer_city: str | None = None
    total: int = 0


class Review(Entity, table=shop):
    keys = Keys("CUSTOMER#{username}", "REVIEW#{review}")
    username: str
    review: str
    author: str = "?"
    shout: str = ""

    @staticmethod
    @before_update
    def follow(changing: Changing) -> None:
        if "author" in changing.assigned:
            changing.set(shout=changing.assigned["author"].upper())


class Page(Entity, table=shop):
    keys = Keys("PAGE#{page}", "PAGE#{page}")
    page: str


@shop.pattern
def orders_of(customer: str, from_order: str | None = None) -> Query[Order]:
    return query(Order, Order.customer == customer).when(from_order, lambda o: Order.order_id >= o)


@shop.pattern
def reviews_by(username: str) -> Query[Review]:
    return query(Review, Review.username == username)


@shop.pattern
def one_order(order_id: str) -> Get[Order]:
    return get(Order, Order.order_id == order_id)


@shop.pattern
def order_from(order_id: str) -> Query[Order]:
    return query(Order, Order.order_id == order_id)


COPIES = {"customer_name": "name", "customer_city": "city"}
shop.relate(
    Relationship(
        Order, Customer, "1:N", "shallow duplication", copies=COPIES, by={"customer": "username"}, found_by=orders_of
    ),
    Relationship(Review, Customer, "1:N", "shallow duplication", copies={"author": "name"}, found_by=reviews_by),
)

ADA = key(Customer, username="ada")


@dataclass
class Store:
    db: Session
    wire: OnTheWay
    other: Session
    engine: Engine

    def names(self) -> list[str]:
        orders = [o.customer_name for o in self.other.run(orders_of, "ada")]
        return orders + [r.author for r in self.other.run(reviews_by, "ada")]

    def rename(self, name: str) -> None:
        self.other.update(ADA, set={"name": name})


@pytest.fixture
def store() -> Iterator[Store]:
    clock = ticking()
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with (
            shop.open(EmbeddedTransport(engine, owned=False), create=True, clock=clock) as other,
            shop.open(wire, clock=clock, retry=AT_ONCE) as db,
        ):
            other.create(Customer(username="ada", name="Ada"))
            other.create(Customer(username="bob", name="Bob"))
            for number in range(3):
                other.create(Order(order_id=f"o{number}", customer="ada", customer_name="Ada"))
            other.create(Order(order_id="b", customer="bob", customer_name="Bob"))
            other.create(Review(username="ada", review="r", author="Ada"))
            yield Store(db, wire, other, engine)
            assert engine.verify() == []


def test_what_is_stale_is_told(store: Store) -> None:
    assert store.db.stale_copies(ADA) == []
    store.other.update(ADA, set={"points": 7})
    assert store.db.stale_copies(ADA) == []
    store.rename("Ada L.")
    assert [type(e).__name__ for e in store.db.stale_copies(ADA)] == ["Order", "Order", "Order", "Review"]
    assert store.db.stale_copies(key(Customer, username="bob")) == []


def test_copies_follow_with_their_index_keys(store: Store) -> None:
    store.other.update(ADA, set={"name": "Ada L.", "city": "London"})
    assert store.db.refresh_copies(ADA) == Refreshed(updated=4)
    assert [review.shout for review in store.other.run(reviews_by, "ada")] == ["ADA L."]
    assert store.names() == ["Ada L."] * 4
    orders = store.other.run(orders_of, "ada").all()
    assert {o.customer_city for o in orders} == {"London"}
    assert [known.version for o in orders if (known := stored(o))] == [2, 2, 2]
    items = store.engine.execute("Scan", {"TableName": "Copies"})["Items"]
    sorted_by = {i["GSI2SK"]["S"] for i in items if "GSI2SK" in i}
    assert sorted_by == {"Ada%20L.#o0", "Ada%20L.#o1", "Ada%20L.#o2", "Bob#b"}
    store.other.update(ADA, remove=["city"])
    assert store.db.refresh_copies(ADA) == Refreshed(updated=3, current=1)
    assert store.db.stale_copies(ADA) == []


def test_it_can_be_repeated(store: Store) -> None:
    store.rename("Ada L.")
    store.db.refresh_copies(ADA)
    store.wire.restart()
    assert store.db.refresh_copies(ADA) == Refreshed(current=4)
    assert set(store.wire.operations) == {"GetItem", "Query"}


@pytest.mark.parametrize("at", range(2, 6))
def test_a_refresh_that_broke_off_is_finished_by_the_next(store: Store, at: int) -> None:
    store.rename("Ada L.")
    store.wire.refuse = dict.fromkeys(range(at, at + 10), NetworkError("The connection broke.", sent=True))
    with pytest.raises(TablewrightError) as caught:
        store.db.refresh_copies(ADA)
    done = caught.value.context["updated"]
    assert done < 4
    store.wire.restart()
    assert store.db.refresh_copies(ADA) == Refreshed(updated=4 - done, current=done)
    assert store.names() == ["Ada L."] * 4


def test_lost_replies_count_once(store: Store) -> None:
    store.rename("Ada L.")
    store.wire.lose = {2, 4}
    store.db.refresh_copies(ADA)
    assert store.names() == ["Ada L."] * 4
    assert {known.version for o in store.other.run(orders_of, "ada") if (known := stored(o))} == {2}


@pytest.mark.parametrize("at", range(1, 6))
def test_a_change_in_between_is_what_is_copied(store: Store, at: int) -> None:
    store.rename("old")
    store.wire.before = {at: lambda: store.rename("new")}
    store.db.refresh_copies(ADA)
    assert set(store.names()) <= {"old", "new"}
    assert store.db.refresh_copies(ADA).gone == 0
    assert set(store.names()) == {"new"}


@pytest.mark.parametrize("at", range(1, 7))
def test_a_late_refresh_never_goes_back(store: Store, at: int) -> None:
    store.rename("old")

    def overtake() -> None:
        store.rename("new")
        store.other.refresh_copies(ADA)

    store.wire.before = {at: overtake}
    store.db.refresh_copies(ADA)
    if at in store.wire.before and len(store.wire.sent) > at:
        assert set(store.names()) == {"new"}


def test_copies_that_are_gone_or_given_away_are_left(store: Store) -> None:
    store.rename("Ada L.")

    def meanwhile() -> None:
        store.other.delete(key(Order, order_id="o0"))
        store.other.update(key(Order, order_id="o1"), set={"customer": "bob", "customer_name": "Bob"})

    store.wire.before = {2: meanwhile}
    assert store.db.refresh_copies(ADA) == Refreshed(updated=2, current=1, gone=1)
    given_away = store.other.get(key(Order, order_id="o1"))
    assert given_away is not None
    assert given_away.customer_name == "Bob"


def test_an_original_that_is_gone_is_told(store: Store) -> None:
    store.rename("Ada L.")
    store.wire.before = {3: lambda: store.other.delete(ADA)}
    with pytest.raises(NotFoundError, match="no such Customer to copy from"):
        store.db.refresh_copies(ADA)
    with pytest.raises(NotFoundError):
        store.db.stale_copies(ADA)


def test_an_original_that_never_rests_is_given_up(store: Store) -> None:
    store.wire.before = {n: (lambda n=n: store.rename(f"name {n}")) for n in range(2, 100)}  # type: ignore[misc]
    store.rename("first")
    with pytest.raises(ContentionError, match="each of the 10 times"):
        store.db.refresh_copies(ADA)


def test_what_nothing_is_copied_from_is_refused(store: Store) -> None:
    store.other.create(Page(page="p"))
    for call in (store.db.stale_copies, store.db.refresh_copies):
        with pytest.raises(ArgumentError, match="No relationship says what is copied from a Page"):
            call(key(Page, page="p"))
    assert store.wire.sent == []


def test_async_copies_follow_too() -> None:
    async def working() -> tuple[int, Refreshed]:
        async with shop.open_async("memory:") as db:
            await db.create(Customer(username="ada", name="Ada"))
            await db.create(Review(username="ada", review="r"))
            stale = await db.stale_copies(ADA)
            return len(stale), await db.refresh_copies(ADA)

    assert asyncio.run(working()) == (1, Refreshed(updated=1))


@pytest.mark.dynamodb_local
def test_copies_on_dynamodb_local(dynamodb_local_url: str) -> None:
    with shop.open(dynamodb_local_url, create=True, table_name="copies") as db:
        try:
            db.create(Customer(username="ada", name="Ada L."))
            db.create(Order(order_id="o", customer="ada", customer_name="Ada"))
            db.create(Review(username="ada", review="r"))
            assert db.refresh_copies(ADA) == Refreshed(updated=2)
            assert db.refresh_copies(ADA) == Refreshed(current=2)
        finally:
            db.delete_table()


STEPS = st.lists(st.sampled_from(["rename", "refresh", "other refresh", "new order", "stale order"]), max_size=12)


@given(steps=STEPS, interrupt=st.integers(0, 30))
def test_after_a_last_refresh_every_copy_is_right(steps: list[str], interrupt: int) -> None:
    with open_engine("memory:") as engine:
        wire = OnTheWay(EmbeddedTransport(engine, owned=False))
        with (
            shop.open(EmbeddedTransport(engine, owned=False), create=True) as other,
            shop.open(wire, retry=AT_ONCE) as db,
        ):
            other.create(Customer(username="ada", name="n"))
            wire.before = {interrupt: lambda: other.update(ADA, set={"name": "interrupted"})}
            for number, step in enumerate(steps):
                match step:
                    case "rename":
                        other.update(ADA, set={"name": f"n{number}"})
                    case "refresh":
                        db.refresh_copies(ADA)
                    case "other refresh":
                        other.refresh_copies(ADA)
                    case _:
                        name = "wrong" if step == "stale order" else "n"
                        other.create(Order(order_id=f"o{number}", customer="ada", customer_name=name))
            other.refresh_copies(ADA)
            original = other.get(ADA)
            assert original is not None
            assert {o.customer_name for o in other.run(orders_of, "ada")} <= {original.name}
            assert other.stale_copies(ADA) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"found_by": reviews_by}, "does not query Order"),
        ({"found_by": one_order}, "does not query Order"),
        ({"found_by": "orders_of"}, "is no pattern of this table"),
        ({"found_by": order_from}, "needs 'order_id', which Customer does not tell"),
        ({"by": {}}, "Order has no field 'username'"),
        ({"by": {"client": "username"}}, "Order has no field 'client'"),
        ({"copies": {"order_id": "name"}}, "Order.order_id is part of the key"),
        ({"copies": {"total": "name"}}, "Order.total is int, but Customer.name is str"),
    ],
    ids=[
        "another entity",
        "a get",
        "a text",
        "unknown parameter",
        "no link",
        "wrong link",
        "in the key",
        "another type",
    ],
)
def test_what_cannot_follow_is_refused(given: dict[str, Any], message: str) -> None:
    fine: dict[str, Any] = {"copies": COPIES, "by": {"customer": "username"}, "found_by": orders_of}
    with pytest.raises(ModelError, match=message):
        shop.relate(Relationship(Order, Customer, "1:N", "shallow duplication", **{**fine, **given}))
