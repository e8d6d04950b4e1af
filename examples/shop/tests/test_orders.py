"""From a cart to an order that is paid for, shipped and delivered: in one transaction, once, at the price that was shown."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from threading import Barrier, Thread
from typing import Any

import pytest

from examples.shop.model import CartItem, Order, OrderItem, OrderLine, Payment, Product, orders_of, shop
from examples.shop.orders import MOST_LINES
from examples.shop.seed import orders, seed
from examples.shop.store import (
    Cart,
    CartChanged,
    NotAsItStands,
    NothingToOrder,
    OrderRefused,
    OutOfStock,
    PriceChanged,
    Shop,
    Taken,
    TooManyLines,
    UnknownCustomer,
    UnknownOrder,
    UnknownPayment,
    UnknownProduct,
)
from tablewright import Entity, Session
from tablewright.engine import open_engine
from tablewright.testing import LostReply

NOON = datetime(2025, 12, 24, 12, tzinfo=UTC)
WAITING = ["o1027", "o1028", "o1029", "o1030"]


@pytest.fixture
def cart(store: Shop) -> Cart:
    """Two moka pots and a bag of beans, as Deniz is shown them."""
    store.add_to_cart("deniz", "moka-pot", 2)
    store.add_to_cart("deniz", "kenya-aa")
    return store.cart("deniz")


def stock(store: Shop, *product_ids: str) -> list[int]:
    products = [store.product(product_id) for product_id in product_ids]
    return [found.stock for found in products if found is not None]


def everything(db: Session) -> list[str]:
    kinds: list[type[Entity]] = [Order, OrderItem, Payment, CartItem, Product]
    return sorted(map(repr, db.scan_for_maintenance(kinds)))


# ----------------------------------------------------------------------------------------------------- checkout


def test_a_cart_becomes_an_order_in_one_transaction(
    store: Shop, filled: Session, cart: Cart, clock: Any, kept_in: str
) -> None:
    with filled.measure() as meter:
        placed = store.checkout(cart, "visa-1")
    assert [r.operation for r in meter.requests] == ["TransactWriteItems"]
    # Twice for a transaction: the order, two items, two products, two things in the cart, the payment and a look at the
    # customer; once each for the entries in indexes, two of the order, one of each item and product.
    if kept_in == "memory":  # DynamoDB Local has rules of its own for transactions
        assert meter.capacity.write == 2 * 9 + 6
    assert placed == Order(
        username="deniz",
        order_id=cart.order_id,
        placed_at=clock(),
        total=Decimal("72.20"),
        lines=[
            OrderLine(product_id="kenya-aa", quantity=1, price=Decimal("17.20")),
            OrderLine(product_id="moka-pot", quantity=2, price=Decimal("27.50")),
        ],
        payments=1,
    )
    assert store.order(cart.order_id) == placed
    assert [(i.line, i.product_id, i.quantity) for i in store.items(cart.order_id)] == [
        (1, "kenya-aa", 1),
        (2, "moka-pot", 2),
    ]
    paid = Payment(username="deniz", order_id=cart.order_id, payment_id="visa-1", amount=Decimal("72.20"))
    assert store.payments("deniz", cart.order_id) == [paid]
    assert store.cart("deniz").lines == ()
    assert stock(store, "kenya-aa", "moka-pot") == [39, 38]


def test_the_same_cart_becomes_one_order(store: Shop, filled: Session, cart: Cart, clock: Any) -> None:
    placed = store.checkout(cart)
    before = everything(filled)
    clock.move(days=1)
    assert store.checkout(cart) == placed
    assert everything(filled) == before
    store.add_to_cart("deniz", "moka-pot", 2)
    store.add_to_cart("deniz", "kenya-aa")
    assert store.checkout(cart) == placed
    assert store.checkout(store.cart("deniz")).order_id != placed.order_id


def test_a_double_click_is_one_order(store: Shop, filled: Session, cart: Cart) -> None:
    start = Barrier(4)
    placed: list[Order] = []

    def click() -> None:
        start.wait()
        placed.append(store.checkout(cart))

    clicks = [Thread(target=click) for _ in range(4)]
    for each in clicks:
        each.start()
    for each in clicks:
        each.join()
    assert [o.order_id for o in placed] == [cart.order_id] * 4
    assert [o.order_id for o in store.history("deniz")].count(cart.order_id) == 1
    assert len(store.payments("deniz", cart.order_id)) == 1
    assert stock(store, "moka-pot") == [38]


def test_somebody_elses_order_is_not_handed_out(store: Shop, cart: Cart) -> None:
    store.checkout(cart)
    store.set_quantity("emil", "latte-bowl", 1)
    stolen = replace(store.cart("emil"), order_id=cart.order_id)
    with pytest.raises(Taken):
        store.checkout(stolen)
    assert len(store.cart("emil").lines) == 1


def test_a_price_that_changed_is_noticed(store: Shop, filled: Session, cart: Cart) -> None:
    store.change_product("moka-pot", price=Decimal("29.00"))
    before = everything(filled)
    with pytest.raises(PriceChanged, match="moka-pot costs 29 now") as refused:
        store.checkout(cart)
    assert refused.value.product_id == "moka-pot"
    assert everything(filled) == before
    assert store.checkout(store.cart("deniz")).total == Decimal("75.20")


def test_stock_that_is_gone_is_noticed(store: Shop, filled: Session, cart: Cart) -> None:
    store.restock("moka-pot", -39)
    before = everything(filled)
    with pytest.raises(OutOfStock, match="1 of moka-pot are left"):
        store.checkout(cart)
    assert everything(filled) == before
    store.set_quantity("deniz", "moka-pot", 1)
    store.checkout(store.cart("deniz"))
    assert stock(store, "moka-pot") == [0]


def test_the_last_pieces_are_sold_once(store: Shop) -> None:
    store.restock("moka-pot", -37)
    outcomes: list[str] = []

    def buy(username: str) -> None:
        store.set_quantity(username, "moka-pot", 1)
        cart = replace(store.cart(username), lines=tuple(n for n in store.cart(username).lines if n.name[:4] == "Moka"))
        try:
            store.checkout(cart)
            outcomes.append("bought")
        except OutOfStock:
            outcomes.append("sold out")

    buyers = [Thread(target=buy, args=(name,)) for name in ("alice", "bruno", "carla", "deniz", "emil")]
    for each in buyers:
        each.start()
    for each in buyers:
        each.join()
    assert sorted(outcomes) == ["bought"] * 3 + ["sold out"] * 2
    assert stock(store, "moka-pot") == [0]


@pytest.mark.parametrize("quantity", [0, 1, 5])
def test_another_window_that_changed_the_cart_is_noticed(store: Shop, cart: Cart, quantity: int) -> None:
    store.set_quantity("deniz", "moka-pot", quantity)
    with pytest.raises(CartChanged) as refused:
        store.checkout(cart)
    assert refused.value.product_id == "moka-pot"
    assert store.history("deniz").items[0].order_id == "o1024"


def test_a_product_that_went_is_noticed(store: Shop, cart: Cart) -> None:
    store.remove_product("moka-pot")
    with pytest.raises(UnknownProduct):
        store.checkout(cart)


def test_nothing_and_too_much_are_refused(store: Shop) -> None:
    with pytest.raises(NothingToOrder):
        store.checkout(store.cart("deniz"))
    for number in range(MOST_LINES + 1):
        store.add_product(f"x{number:02}", "cups", "Cup", Decimal(1), stock=1)
        store.add_to_cart("deniz", f"x{number:02}")
    with pytest.raises(TooManyLines):
        store.checkout(store.cart("deniz"))
    store.set_quantity("deniz", "x00", 0)
    assert len(store.checkout(store.cart("deniz")).lines) == MOST_LINES


def test_an_order_stands_after_a_lost_reply() -> None:
    with open_engine("memory:") as engine, shop.open(engine) as db:
        seed(db)
        store = Shop(db)
        store.add_to_cart("deniz", "moka-pot", 2)
        cart = store.cart("deniz")
        with engine.faults.inject(LostReply(operations="TransactWriteItems", times=1)) as lost:
            placed = store.checkout(cart)
        assert lost.fired == 1
        assert store.order(cart.order_id) == placed
        assert stock(store, "moka-pot") == [38]


# ------------------------------------------------------------------------------------------------- past the cart


def test_an_order_is_placed_shipped_and_delivered(store: Shop) -> None:
    placed = store.place_order("deniz", {"kenya-aa": 2, "moka-pot": 1}, at=NOON)
    assert placed.total == Decimal("61.90")
    assert [o.order_id for o in store.to_be_shipped()] == [*WAITING, placed.order_id]
    store.ship_order(placed.order_id, "T1")
    assert [o.order_id for o in store.to_be_shipped()] == WAITING
    assert store.confirm_delivery(placed.order_id).status == "DELIVERED"
    assert [o.order_id for o in store.history("deniz")] == [placed.order_id, "o1024", "o1017", "o1010"]
    with pytest.raises(NotAsItStands):
        store.ship_order(placed.order_id, "T2")


def test_an_order_needs_a_customer_products_and_stock(store: Shop, filled: Session) -> None:
    with pytest.raises(UnknownCustomer):
        store.place_order("nobody", {"kenya-aa": 1})
    assert filled.run(orders_of, "nobody").all() == []
    with pytest.raises(UnknownProduct, match="kenya-bb"):
        store.place_order("alice", {"kenya-aa": 1, "kenya-bb": 1})
    with pytest.raises(OutOfStock):
        store.place_order("alice", {"kenya-aa": 41})
    with pytest.raises(OrderRefused):
        store.place_order("alice", {})
    assert stock(store, "kenya-aa") == [40]


def test_a_pending_order_can_be_cancelled(store: Shop) -> None:
    placed = store.place_order("deniz", {"kenya-aa": 2, "moka-pot": 1})
    assert stock(store, "kenya-aa", "moka-pot") == [38, 39]
    assert store.cancel_order(placed.order_id).status == "CANCELLED"
    assert store.order(placed.order_id) == placed.model_copy(update={"status": "CANCELLED"})
    assert stock(store, "kenya-aa", "moka-pot") == [40, 40]
    assert [o.order_id for o in store.to_be_shipped()] == WAITING
    with pytest.raises(NotAsItStands, match="CANCELLED"):
        store.cancel_order(placed.order_id)
    with pytest.raises(NotAsItStands):
        store.ship_order(placed.order_id, "T1")
    for act in (store.cancel_order, store.confirm_delivery, lambda number: store.ship_order(number, "T1")):
        with pytest.raises(UnknownOrder):
            act("o0")
    assert stock(store, "kenya-aa", "moka-pot") == [40, 40]


# ------------------------------------------------------------------------------------------------------- finding


def test_pending_orders_leave_the_index_when_they_are_shipped(store: Shop, filled: Session) -> None:
    with filled.measure() as meter:
        waiting = store.to_be_shipped()
    assert [o.order_id for o in waiting] == WAITING
    assert [(r.operation, r.index, r.capacity.read) for r in meter.requests] == [("Query", "GSI2", 0.5)]
    for order_id in WAITING:
        store.ship_order(order_id, "T")
    assert store.to_be_shipped() == []


def test_orders_of_a_status_in_a_period(store: Shop, filled: Session) -> None:
    delivered = [o for o in orders() if o.status == "DELIVERED"]
    start, end = delivered[3].placed_at, delivered[8].placed_at
    with filled.measure() as meter:
        assert store.orders_between("DELIVERED", start, end) == delivered[3:9]
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", "GSI2")]
    just_before = end - timedelta(microseconds=1)
    assert store.orders_between("DELIVERED", start, just_before) == delivered[3:8]


def test_orders_from_an_amount_on(store: Shop, filled: Session) -> None:
    own = [o for o in reversed(orders()) if o.username == "alice"]
    with filled.measure() as meter:
        found = store.large_orders("alice", Decimal("60"))
    assert found == [o for o in own if o.total >= 60]
    assert 0 < len(found) < len(own)
    assert [(r.operation, r.index, r.capacity.read) for r in meter.requests] == [("Query", None, 0.5)]


def test_orders_with_a_product(store: Shop, filled: Session) -> None:
    placed = store.place_order("deniz", {"kenya-aa": 2})
    with filled.measure() as meter:
        found = store.orders_with_product("kenya-aa")
    assert [(r.operation, r.index) for r in meter.requests] == [("Query", "GSI1")]
    assert found.items[0] == OrderItem(
        order_id=placed.order_id, line=1, product_id="kenya-aa", placed_at=placed.placed_at, quantity=2
    )
    known = [o.order_id for o in reversed(orders()) if "kenya-aa" in [n.product_id for n in o.lines]]
    assert [i.order_id for i in found] == [placed.order_id, *known]


def test_an_order_has_lines_and_a_number(store: Shop, filled: Session) -> None:
    with filled.measure() as meter:
        lines = store.items("o1029")
    assert [(r.operation, r.index, r.capacity.read) for r in meter.requests] == [("Query", None, 0.5)]
    found = store.order("o1029")
    assert found is not None
    assert [(n.product_id, n.quantity) for n in found.lines] == [(n.product_id, n.quantity) for n in lines]
    assert (store.order("o102"), store.items("o102")) == (None, [])


# ------------------------------------------------------------------------------------------------------ payments


def test_money_is_authorised_taken_and_given_back(store: Shop, filled: Session, cart: Cart, kept_in: str) -> None:
    placed = store.checkout(cart, "visa-1")
    (payment,) = store.payments("deniz", placed.order_id)
    with pytest.raises(NotAsItStands):
        store.refund_payment(payment)
    with filled.measure() as meter:
        taken = store.capture_payment(payment)
    assert [r.operation for r in meter.requests] == ["GetItem", "TransactWriteItems"]
    if kept_in == "memory":  # DynamoDB Local has rules of its own for transactions
        assert meter.capacity.write == 2 * 2  # the payment, and a look at the order
    assert store.payments("deniz", placed.order_id) == [taken]
    with pytest.raises(NotAsItStands):
        store.capture_payment(payment)
    assert store.refund_payment(taken).status == "REFUNDED"
    with filled.measure() as meter:
        assert [p.status for p in store.payments("deniz", placed.order_id)] == ["REFUNDED"]
    assert [(r.operation, r.index, r.capacity.read) for r in meter.requests] == [("Query", None, 0.5)]


def test_an_order_can_be_paid_in_parts_each_once(store: Shop) -> None:
    placed = store.place_order("deniz", {"kenya-aa": 2})
    first = store.pay(placed, Decimal("20.00"), "p1")
    assert store.pay(placed, Decimal("20.00"), "p1") == first
    store.pay(placed, Decimal("14.40"), "p2")
    assert [(p.payment_id, p.amount) for p in store.payments("deniz", placed.order_id)] == [
        ("p1", Decimal("20.00")),
        ("p2", Decimal("14.40")),
    ]
    with pytest.raises(Taken):
        store.pay(placed, Decimal("1.00"), "p1")


def test_no_money_is_taken_for_a_cancelled_order(store: Shop, cart: Cart) -> None:
    placed = store.checkout(cart, "a")
    store.capture_payment(store.pay(placed, Decimal(5), "b"))
    store.refund_payment(store.capture_payment(store.pay(placed, Decimal(6), "c")))
    store.cancel_order(placed.order_id)
    kept = store.payments("deniz", placed.order_id)
    assert [(p.payment_id, p.status) for p in kept] == [("a", "VOIDED"), ("b", "REFUNDED"), ("c", "REFUNDED")]
    for payment in kept:
        with pytest.raises(NotAsItStands):
            store.capture_payment(payment)
    with pytest.raises(NotAsItStands):
        store.pay(placed, Decimal(7), "d")
    assert store.payments("deniz", placed.order_id) == kept


def test_an_authorised_payment_of_a_cancelled_order_is_not_taken_even_so(
    store: Shop, filled: Session, cart: Cart
) -> None:
    placed = store.checkout(cart)
    (payment,) = store.payments("deniz", placed.order_id)
    store.cancel_order(placed.order_id)
    filled.put(payment)  # as if nothing had voided it
    with pytest.raises(NotAsItStands):
        store.capture_payment(payment)
    with pytest.raises(UnknownOrder):
        store.capture_payment(Payment(username="deniz", order_id="o0", payment_id="p", amount=Decimal(1)))
    with pytest.raises(UnknownPayment):
        store.refund_payment(Payment(username="deniz", order_id="o0", payment_id="p", amount=Decimal(1)))


@pytest.mark.parametrize("meanwhile", ["capture", "pay", "ship"])
def test_what_happens_while_an_order_is_cancelled_is_seen(filled: Session, meanwhile: str) -> None:
    """Between the look at the payments and the transaction that cancels."""

    class Slow(Shop):
        interrupted = 0

        def _paid(self, placed: Order) -> Sequence[Payment]:
            paid = super()._paid(placed)
            self.interrupted += 1
            if self.interrupted == 1:
                if meanwhile == "capture":
                    self.capture_payment(paid[0])
                elif meanwhile == "pay":
                    self.pay(placed, Decimal(3), "z")
                else:
                    self.ship_order(placed.order_id, "T1")
            return paid

    store = Slow(filled)
    store.add_to_cart("deniz", "moka-pot", 2)
    placed = store.checkout(store.cart("deniz"), "a")
    if meanwhile == "ship":
        with pytest.raises(NotAsItStands, match="SHIPPED"):
            store.cancel_order(placed.order_id)
        expected = ["AUTHORISED"]
    else:
        cancelled = store.cancel_order(placed.order_id)
        assert store.order(placed.order_id) == cancelled
        assert store.interrupted == 2
        expected = {"capture": ["REFUNDED"], "pay": ["VOIDED", "VOIDED"]}[meanwhile]
    assert [p.status for p in store.payments("deniz", placed.order_id)] == expected
    assert stock(store, "moka-pot") == [38 if meanwhile == "ship" else 40]


def test_cancelling_and_capturing_at_once_leave_no_money_behind(store: Shop) -> None:
    for _ in range(5):
        store.add_to_cart("deniz", "moka-pot")
        placed = store.checkout(store.cart("deniz"))
        (payment,) = store.payments("deniz", placed.order_id)
        start = Barrier(2)
        taken: list[Payment] = []

        def take(payment: Payment = payment, start: Barrier = start, taken: list[Payment] = taken) -> None:
            start.wait()
            with suppress(NotAsItStands):
                taken.append(store.capture_payment(payment))

        taker = Thread(target=take)
        taker.start()
        start.wait()
        store.cancel_order(placed.order_id)
        taker.join()
        (after,) = store.payments("deniz", placed.order_id)
        assert after.status == ("REFUNDED" if taken else "VOIDED")
