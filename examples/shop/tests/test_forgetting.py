"""All that the shop holds of a customer can be taken along, and erased: in steps, however often it is stopped."""

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.shop import seed
from examples.shop.customers import ERASED
from examples.shop.model import Address, CartItem, Customer, Order, Payment, Product, Review, customer, order, shop
from examples.shop.sales import SalesCounter
from examples.shop.store import CustomerLeaves, OrderRefused, Shop, UnknownCustomer
from examples.shop.stream import StreamReader
from tablewright import Deleted, Entity, Session
from tablewright.engine import Engine, open_engine
from tablewright.engine.faults import IndexLag
from tablewright.testing import assert_no_traces

PERSONAL = ["alice", "Alice", "Harbour Street", "Mill Lane", "fifth bag", "TW1001", "TW1025"]
"""What must not be found anywhere any more: names, streets, words of a review, tracking numbers."""
OWN_KINDS: list[type[Entity]] = [Customer, Order, Payment, CartItem, Review]


def things(db: Session) -> dict[str, list[Any]]:
    """What belongs to customers, by user name."""
    found: dict[str, list[Any]] = {}
    thing: Any
    for thing in db.scan_for_maintenance(OWN_KINDS):
        found.setdefault(thing.username, []).append(thing)
    return {name: sorted(own, key=repr) for name, own in found.items()}


def nameless(db: Session) -> list[tuple[str, Decimal]]:
    return sorted((o.order_id, o.total) for o in db.scan_for_maintenance(Order) if o.username.startswith(ERASED))


def assert_erased(db: Session, before: dict[str, list[Any]]) -> None:
    """Nothing of Alice is left but orders and payments without a name; nobody else lost anything."""
    assert_no_traces(db, *PERSONAL)
    after = things(db)
    assert {name: own for name, own in after.items() if not name.startswith(ERASED)} == {
        name: own for name, own in before.items() if name != "alice"
    }
    orders = [o for o in before["alice"] if isinstance(o, Order)]
    assert nameless(db) == sorted((o.order_id, o.total) for o in orders)
    for each in orders:
        own = after[f"{ERASED}{each.order_id}"]
        assert [type(thing).__name__ for thing in own] in (["Order", "Payment"], ["Order"])
        assert {thing.order_id for thing in own} == {each.order_id}
    paid = [(p.payment_id, p.amount, p.status) for p in before["alice"] if isinstance(p, Payment)]
    kept = [p for own in after.values() for p in own if isinstance(p, Payment) and p.username.startswith(ERASED)]
    assert sorted((p.payment_id, p.amount, p.status) for p in kept) == sorted(paid)


# ------------------------------------------------------------------------------------------------------- export


def test_an_export_is_everything_of_one_customer(store: Shop, filled: Session) -> None:
    exported = list(store.export("alice"))
    mine = things(filled)["alice"]
    assert sorted(map(repr, exported)) == sorted(
        repr({"type": type(t).__name__, **t.model_dump(mode="json")}) for t in mine
    )
    assert {e["type"] for e in exported} == {"Customer", "Order", "Payment", "CartItem", "Review"}
    assert exported[0]["addresses"] == [
        {"street": "12 Harbour Street", "city": "Bristol"},
        {"street": "4 Mill Lane", "city": "Bath"},
    ]
    assert list(store.export("nobody")) == []


def test_an_export_takes_a_request_for_each_kind(store: Shop, filled: Session) -> None:
    with filled.measure() as meter:
        list(store.export("alice"))
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", None)] * 4 + [("Query", "GSI1")]


def test_an_export_goes_on_where_it_was(store: Shop, filled: Session) -> None:
    written_at = seed.reviews()[0].written_at
    with filled.batch() as batch:
        for number in range(200):
            review_id = f"x{number}"
            batch.put(
                Review(product_id="moka-pot", review_id=review_id, written_at=written_at, username="deniz", stars=3)
            )
    first = store.export_page("deniz")
    second = store.export_page("deniz", first.cursor)
    third = store.export_page("deniz", second.cursor)
    assert (len(first), len(second), third.cursor) == (100, 100, None)
    assert sorted(map(repr, [*first, *second, *third])) == sorted(map(repr, things(filled)["deniz"]))


# ------------------------------------------------------------------------------------------------------ erasing


def test_a_customer_is_erased_in_one_call(store: Shop, filled: Session) -> None:
    before = things(filled)
    step = store.erase("alice")
    assert (step.items, step.done) == (len(before["alice"]), True)
    assert_erased(filled, before)
    assert store.sign_in("alice.martin@example.com") is None
    assert store.erase("alice").done
    assert store.register("alice", "alice.martin@example.com", "Another Alice") == store.profile("alice")


def test_an_order_is_still_found_by_its_number_but_without_a_name(store: Shop, filled: Session) -> None:
    before = filled.run(order, "o1025")
    assert before is not None
    store.erase("alice")
    after = store.order("o1025")
    assert after == before.model_copy(update={"username": f"{ERASED}o1025", "tracking": None})
    assert [i.product_id for i in store.items("o1025")] == [line.product_id for line in before.lines]


def test_what_waits_is_cancelled_and_goes_back_on_the_shelf(store: Shop) -> None:
    placed = store.place_order("deniz", {"kenya-aa": 3, "moka-pot": 1})
    store.remove_product("moka-pot")
    store.erase("deniz")
    after = store.order(placed.order_id)
    assert after is not None
    assert (after.status, after.total) == ("CANCELLED", placed.total)
    kenya = store.product("kenya-aa")
    assert kenya is not None
    assert kenya.stock == 40
    assert placed.order_id not in [o.order_id for o in store.to_be_shipped()]


def test_what_waits_is_not_paid_for(store: Shop) -> None:
    placed = store.place_order("deniz", {"kenya-aa": 3})
    store.pay(placed, Decimal(20), "p1")
    store.capture_payment(store.pay(placed, Decimal(10), "p2"))
    sent = store.place_order("deniz", {"kenya-aa": 1})
    store.pay(sent, Decimal(17), "p3")
    store.ship_order(sent.order_id, "T1")
    store.erase("deniz")
    kept = store.payments(f"{ERASED}{placed.order_id}", placed.order_id)
    assert [(p.payment_id, p.status) for p in kept] == [("p1", "VOIDED"), ("p2", "REFUNDED")]
    (due,) = store.payments(f"{ERASED}{sent.order_id}", sent.order_id)
    assert due.status == "AUTHORISED"
    assert store.capture_payment(due).status == "CAPTURED"


def test_a_parcel_on_its_way_still_arrives(store: Shop) -> None:
    placed = store.place_order("deniz", {"kenya-aa": 3})
    store.ship_order(placed.order_id, "T77")
    store.erase("deniz")
    delivered = store.confirm_delivery(placed.order_id)
    assert (delivered.status, delivered.tracking) == ("DELIVERED", None)


@pytest.mark.parametrize("limit", [1, 2, 7, 1000])
def test_it_goes_in_steps(store: Shop, filled: Session, limit: int) -> None:
    before = things(filled)
    erased = 0
    while not (step := store.erase("alice", limit=limit)).done:
        assert limit <= step.items <= limit + 1  # an order and its payment go together
        erased += step.items
    assert erased + step.items == len(before["alice"])
    assert_erased(filled, before)


def test_nothing_is_written_for_who_is_leaving(store: Shop, filled: Session) -> None:
    store.add_to_cart("alice", "moka-pot")
    cart = store.cart("alice")
    placed = store.order("o1025")
    assert placed is not None
    store.erase("alice", limit=1)
    for write in (
        lambda: store.add_to_cart("alice", "moka-pot"),
        lambda: store.set_quantity("alice", "moka-pot", 2),
        lambda: store.write_review("alice", "moka-pot", 5),
        lambda: store.place_order("alice", {"moka-pot": 1}),
        lambda: store.checkout(cart),
        lambda: store.pay(placed, Decimal(1), "p9"),
    ):
        with pytest.raises(CustomerLeaves):
            write()


def test_writers_at_the_same_time_leave_nothing_behind(store: Shop, filled: Session) -> None:
    def write() -> None:
        with suppress(
            CustomerLeaves, UnknownCustomer, OrderRefused
        ):  # the door is closed, or the cart was emptied behind it
            while True:
                store.add_to_cart("alice", "moka-pot")
                store.write_review("alice", "moka-pot", 5, "Alice was here")
                store.checkout(store.cart("alice"))

    writer = Thread(target=write)
    writer.start()
    while not store.erase("alice").done:
        pass
    writer.join()
    assert_no_traces(filled, *PERSONAL)


def test_who_registers_again_loses_nothing_to_a_second_worker() -> None:
    """Before each request of one worker another one is done, and somebody registers under the same name."""
    at = 1
    while True:
        at += 1  # the first request marks whoever is there
        with open_engine("memory:") as engine, shop.open(engine) as db:
            meddling = Meddling(engine)
            with shop.open(meddling, create=False) as slow:
                other = Shop(db)
                db.create(Product(product_id="p", category_id="c", name="Pot", price=Decimal(2), stock=100))
                _buy(other, "old@example.com")
                new: dict[str, list[Any]] = {}

                def anew(other: Shop = other, db: Session = db, new: dict[str, list[Any]] = new) -> None:
                    other.erase("ann")
                    _buy(other, "new@example.com")
                    new.update(things(db))

                meddling.left, meddling.anew = at, anew
                assert Shop(slow).erase("ann").done
                if meddling.left > 0:
                    break
                assert things(db) == new
                assert len(new["ann"]) == 5
    assert at > 8


def _buy(store: Shop, email: str) -> None:
    store.register("ann", email, "Ann")
    store.add_to_cart("ann", "p")
    store.write_review("ann", "p", 5)
    placed = store.place_order("ann", {"p": 1})
    store.pay(placed, Decimal(2), "p1")


class Meddling:
    """A way to the engine on which something happens before a certain request."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.left = engine, 0
        self.anew: Callable[[], None] = lambda: None

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.left -= 1
        if self.left == 0:
            self.anew()
        return self.engine.execute(operation, request)

    def close(self) -> None: ...


def test_a_review_that_its_index_showed_too_late_goes_with_the_next_call() -> None:
    with open_engine("memory:") as engine, shop.open(engine) as db:
        store = Shop(db)
        db.create(Product(product_id="p", category_id="c", name="Pot", price=Decimal(2), stock=5))
        store.register("ann", "ann@example.com", "Ann")
        with engine.faults.inject(IndexLag()) as lag:
            store.write_review("ann", "p", 5, "Ann was here")
            assert store.erase("ann").done
            lag.release()
        assert store.erase("ann") == Deleted(1, True)
        assert_no_traces(db, "ann", "Ann")
        assert store.erase("ann") == Deleted(0, True)


def test_orders_without_a_customer_become_nameless_too(store: Shop, filled: Session) -> None:
    """As an older version could leave them."""
    before = things(filled)
    filled.delete(customer("alice"))
    assert store.erase("alice").done
    before["alice"] = [thing for thing in before["alice"] if not isinstance(thing, Customer)]
    assert_erased(filled, before)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_step_is_at_least_one_item(store: Shop, limit: int) -> None:
    with pytest.raises(ValueError, match="at least one"):
        store.erase("alice", limit=limit)
    alice = store.profile("alice")
    assert alice is not None
    assert not alice.leaving


def test_sales_stay_right_when_customers_are_erased(store: Shop, filled: Session) -> None:
    reader, counter = StreamReader(filled), SalesCounter(filled)
    first = store.place_order("alice", {"kenya-aa": 1})
    while records := reader.read():
        counter.take(records)
    second = store.place_order("alice", {"kenya-aa": 2})
    store.erase("alice")
    while records := reader.read():
        counter.take(records)
    day = first.placed_at.date()
    assert [(s.orders, s.total) for s in store.sales(day, day)] == [(2, first.total + second.total)]
    assert [(b.product.product_id, b.sold) for b in store.bestsellers(2026)] == [("kenya-aa", 3)]
    assert counter.recount() == 0


# ------------------------------------------------------------------------------------------------------- killed


class Killed(BaseException):
    """The process ends here: nothing may catch it and go on."""


class Dying:
    """A way to the engine on which the process dies at a certain request: before it is sent, or before its answer is here."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.left, self.answered = engine, -1, False

    def send(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.left -= 1
        if self.left == 0 and not self.answered:
            raise Killed
        answer = self.engine.execute(operation, request)
        if self.left == 0:
            raise Killed
        return answer

    def close(self) -> None: ...


@pytest.mark.parametrize("answered", [False, True])
def test_it_goes_on_wherever_it_was_killed(answered: bool) -> None:
    """Killed at the first request, then at the second, and so on: each life comes one request further than the one before."""
    with open_engine("memory:") as engine, shop.open(engine) as db, shop.open(Dying(engine), create=False) as dying_db:
        seed.seed(db)
        before = things(db)
        dying = dying_db._driver.transport
        assert isinstance(dying, Dying)
        store, lives = Shop(dying_db), 0
        done = False
        while not done:
            lives += 1
            dying.left, dying.answered = 1 + lives // 2, answered
            with suppress(Killed):
                done = store.erase("alice").done
        dying.left = -1
        assert lives > 10
        assert store.erase("alice").done
        assert_erased(db, before)


@settings(max_examples=15)
@given(
    st.sampled_from(["a", "a#", "a%23", "#", "ORDER#1", "ann", "erased", "\U0010ffff", " ", "ä"]), st.text(max_size=3)
)
def test_neighbours_with_hostile_names_lose_nothing(name: str, more: str) -> None:
    neighbour = f"{name}{more}x"
    with shop.open("memory:") as db:
        store = Shop(db)
        db.create(Product(product_id="p", category_id="c", name="Pot", price=Decimal(2), stock=100))
        try:
            store.register(neighbour, "n@example.com", "N")
        except ValueError:  # half of a character is no text
            return
        store.register(name, "a@example.com", "A", [Address(street="S", city="C")])
        for who in (name, neighbour):
            store.add_to_cart(who, "p", 2)
            store.write_review(who, "p", 5, "good")
            store.checkout(store.cart(who))
            store.add_to_cart(who, "p")
        before = things(db)[neighbour]
        assert store.erase(name).done
        assert things(db)[neighbour] == before
        assert set(things(db)) == {neighbour, *(f"{ERASED}{order_id}" for order_id, _ in nameless(db))}
        with pytest.raises(UnknownCustomer):
            store.add_to_cart(name, "p")
