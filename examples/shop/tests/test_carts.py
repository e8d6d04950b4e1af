"""Carts: two windows at once, what was forgotten, and what the customer is shown."""

from decimal import Decimal
from threading import Thread
from typing import Any

import pytest

from examples.shop.carts import REMEMBERED, CartLine
from examples.shop.model import MOST_PIECES, CartItem, cart_of, shop
from examples.shop.seed import seed
from examples.shop.store import Shop, TooManyPieces, UnknownCustomer, UnknownProduct
from tablewright import Session, key
from tablewright.engine import open_engine

KENYA = CartLine("kenya-aa", "Kenya AA, 500 g", Decimal("17.20"), 1, True)
MOKA = CartLine("moka-pot", "Moka pot, 3 cups", Decimal("27.50"), 2, True)


def quantities(store: Shop, username: str) -> dict[str, int]:
    return {line.product_id: line.quantity for line in store.cart(username).lines}


def test_a_cart_is_shown_with_two_requests(store: Shop, filled: Session) -> None:
    store.add_to_cart("deniz", "moka-pot", 2)
    store.add_to_cart("deniz", "kenya-aa")
    with filled.measure() as meter:
        cart = store.cart("deniz")
    assert (cart.username, cart.lines, cart.total) == ("deniz", (KENYA, MOKA), Decimal("72.20"))
    assert [(r.operation, r.pattern) for r in meter.requests] == [("Query", "cart_of"), ("BatchGetItem", None)]
    assert meter.capacity.read == 1.5
    assert store.cart("deniz").order_id != cart.order_id
    assert store.cart("nobody").lines == ()


def test_things_are_added_set_and_taken_out(store: Shop) -> None:
    store.add_to_cart("deniz", "moka-pot")
    store.add_to_cart("deniz", "moka-pot", 2)
    store.add_to_cart("deniz", "kenya-aa")
    assert quantities(store, "deniz") == {"kenya-aa": 1, "moka-pot": 3}
    store.set_quantity("deniz", "moka-pot", 1)
    store.set_quantity("deniz", "kenya-aa", 0)
    store.set_quantity("deniz", "kenya-aa", 0)
    assert quantities(store, "deniz") == {"moka-pot": 1}


def test_a_cart_needs_a_customer_and_products(store: Shop, filled: Session) -> None:
    with pytest.raises(UnknownProduct):
        store.add_to_cart("deniz", "nothing")
    with pytest.raises(UnknownProduct):
        store.set_quantity("deniz", "nothing", 5)
    with pytest.raises(UnknownCustomer):
        store.add_to_cart("nobody", "moka-pot")
    with pytest.raises(UnknownCustomer):
        store.set_quantity("nobody", "moka-pot", 1)
    with pytest.raises(ValueError, match="quantity"):
        store.add_to_cart("deniz", "moka-pot", 0)
    assert quantities(store, "nobody") == quantities(store, "deniz") == {}
    assert filled.run(cart_of, "deniz").all() == []


def test_a_cart_holds_no_more_than_an_order_takes(store: Shop) -> None:
    store.add_to_cart("deniz", "moka-pot", MOST_PIECES - 1)
    store.add_to_cart("deniz", "moka-pot")
    with pytest.raises(TooManyPieces, match="at most 1000000"):
        store.add_to_cart("deniz", "moka-pot")
    for too_many in (store.add_to_cart, store.set_quantity):
        with pytest.raises(ValueError, match="quantity"):
            too_many("deniz", "kenya-aa", MOST_PIECES + 1)
    assert quantities(store, "deniz") == {"moka-pot": MOST_PIECES}


def test_two_windows_add_up(store: Shop) -> None:
    def add(product_id: str, quantity: int) -> None:
        for _ in range(5):
            store.add_to_cart("deniz", product_id, quantity)

    windows = [Thread(target=add, args=each) for each in (("moka-pot", 1), ("moka-pot", 2), ("kenya-aa", 1))]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert quantities(store, "deniz") == {"kenya-aa": 5, "moka-pot": 15}


def test_what_was_forgotten_is_neither_shown_nor_added_to(store: Shop, filled: Session, clock: Any) -> None:
    store.add_to_cart("deniz", "moka-pot", 7)
    clock.move(days=20)
    store.add_to_cart("deniz", "kenya-aa")
    clock.move(days=11)
    assert quantities(store, "deniz") == {"kenya-aa": 1}
    assert (
        filled.get(key(CartItem, username="deniz", product_id="moka-pot")) is not None
    )  # until the table takes it away
    store.add_to_cart("deniz", "moka-pot")
    assert quantities(store, "deniz") == {"kenya-aa": 1, "moka-pot": 1}


def test_what_is_touched_is_remembered_longer(store: Shop, filled: Session, clock: Any) -> None:
    store.add_to_cart("deniz", "moka-pot")
    clock.move(days=20)
    store.add_to_cart("deniz", "moka-pot")
    thing = filled.get(key(CartItem, username="deniz", product_id="moka-pot"))
    assert thing is not None
    assert (thing.quantity, thing.forgotten_at) == (2, clock() + REMEMBERED)


def test_what_was_forgotten_goes_by_itself(clock: Any) -> None:
    class EngineClock:
        def now(self) -> float:
            moment: float = clock().timestamp()
            return moment

    with open_engine("memory:", clock=EngineClock(), sweep_every=None) as engine, shop.open(engine) as db:
        seed(db)
        store = Shop(db, clock=clock)
        store.add_to_cart("deniz", "moka-pot")
        assert engine.sweep() == 0
        clock.move(days=31)
        assert engine.sweep() == 1
        assert db.get(key(CartItem, username="deniz", product_id="moka-pot")) is None


def test_what_the_shop_no_longer_has_is_not_shown(store: Shop) -> None:
    store.add_to_cart("deniz", "moka-pot")
    store.add_to_cart("deniz", "kenya-aa", 41)
    store.remove_product("moka-pot")
    (line,) = store.cart("deniz").lines
    assert (line.product_id, line.available) == ("kenya-aa", False)
