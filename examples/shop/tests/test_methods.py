"""What each method takes, exactly: its requests, the index that each reads, and its units."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from examples.places import CURSOR_KEYS
from examples.shop.model import Address, Order, shop
from examples.shop.seed import seed
from examples.shop.store import Shop
from examples.trial import methods_of, taken

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def placed(store: Shop) -> Order:
    """An order that waits for its payment."""
    found = store.order("o1029")
    assert found is not None
    return found


METHODS: dict[str, tuple[Callable[[Shop], object], str]] = {
    "add_address": (lambda s: s.add_address("deniz", Address(street="1 Quay", city="Cork")), "GetItem 1, UpdateItem 3"),
    "add_category": (lambda s: s.add_category("tea", "Tea"), "PutItem 1"),
    "add_product": (lambda s: s.add_product("assam", "beans", "Assam", Decimal("8.50")), "TransactWriteItems 7"),
    "add_to_cart": (
        lambda s: s.add_to_cart("deniz", "moka-pot"),
        "GetItem 0.5, GetItem 1, GetItem 1, TransactWriteItems 4",
    ),
    "bestsellers": (lambda s: s.bestsellers(2025), "Query/GSI2 0.5, BatchGetItem 5"),
    "cancel_order": (lambda s: s.cancel_order("o1028"), "Query/GSI1 0.5, Query 1, GetItem 1, TransactWriteItems 8"),
    "capture_payment": (
        lambda s: s.capture_payment(s.pay(placed(s), Decimal(10), "p1")),
        "Query/GSI1 0.5, TransactWriteItems 8, GetItem 1, TransactWriteItems 4",
    ),
    "cart": (lambda s: s.cart("alice"), "Query 0.5, BatchGetItem 1"),
    "category": (lambda s: s.category("beans"), "GetItem 0.5"),
    "change_email": (
        lambda s: s.change_email("deniz", "new@example.com"),
        "GetItem 1, TransactWriteItems 9, GetItem 1",
    ),
    "change_product": (
        lambda s: s.change_product("moka-pot", price=Decimal("26.00")),
        "GetItem 1, TransactWriteItems 3",
    ),
    "change_product-renamed": (
        lambda s: s.change_product("moka-pot", name="Moka can"),
        "GetItem 1, TransactWriteItems 9",
    ),
    "checkout": (lambda s: s.checkout(s.cart("alice")), "Query 0.5, BatchGetItem 1, TransactWriteItems 24"),
    "confirm_delivery": (lambda s: s.confirm_delivery("o1026"), "Query/GSI1 0.5, UpdateItem 4"),
    "customers": (lambda s: s.customers(), "Query/GSI2 0.5, Query/GSI2 0.5"),
    "erase": (
        lambda s: s.erase("deniz"),
        "UpdateItem 3, Query 1, Query 1, TransactWriteItems 14, Query 1, TransactWriteItems 14, Query 1, TransactWriteItems 14, GetItem 1, Query 1, Query 1, Query 1, Query/GSI1 0.5, TransactWriteItems 5, TransactWriteItems 5, TransactWriteItems 5, Query/GSI1 0.5, Query 1, GetItem 1, TransactWriteItems 6",
    ),
    "export": (lambda s: [*s.export("deniz")], "Query 1, Query 1, Query 1, Query 1, Query/GSI1 0.5"),
    "export_page": (lambda s: s.export_page("deniz"), "Query 1, Query 1, Query 1, Query 1, Query/GSI1 0.5"),
    "history": (lambda s: s.history("alice"), "Query 0.5"),
    "items": (lambda s: s.items("o1029"), "Query 0.5"),
    "large_orders": (lambda s: s.large_orders("alice", Decimal(60)), "Query 0.5"),
    "order": (lambda s: s.order("o1029"), "Query/GSI1 0.5"),
    "orders_between": (lambda s: s.orders_between("PENDING", MONDAY - timedelta(days=90), MONDAY), "Query/GSI2 0.5"),
    "orders_with_product": (lambda s: s.orders_with_product("kenya-aa"), "Query/GSI1 0.5"),
    "page_of": (lambda s: s.page_of("espresso-roma"), "Query 0.5"),
    "pay": (lambda s: s.pay(placed(s), Decimal(10), "p1"), "Query/GSI1 0.5, TransactWriteItems 8"),
    "payments": (lambda s: s.payments("alice", "o1001"), "Query 0.5"),
    "place_order": (
        lambda s: s.place_order("deniz", {"moka-pot": 1, "kenya-aa": 2}),
        "BatchGetItem 1, TransactWriteItems 18",
    ),
    "product": (lambda s: s.product("moka-pot"), "GetItem 0.5"),
    "products_in": (lambda s: s.products_in("beans"), "Query/GSI1 0.5"),
    "profile": (lambda s: s.profile("alice"), "GetItem 0.5"),
    "refund_payment": (lambda s: s.refund_payment(s.payments("alice", "o1001")[0]), "Query 0.5, UpdateItem 1"),
    "register": (lambda s: s.register("finn", "finn@example.com", "Finn"), "TransactWriteItems 6"),
    "remove_address": (
        lambda s: s.remove_address("bruno", Address(street="Lindenweg 8", city="Bern")),
        "GetItem 1, UpdateItem 3",
    ),
    "remove_product": (
        lambda s: s.remove_product("latte-bowl"),
        "GetItem 1, TransactWriteItems 7, GetItem 1, Query 0.5, BatchWriteItem 2",
    ),
    "rename": (lambda s: s.rename("alice", "Alice M."), "UpdateItem 3"),
    "restock": (lambda s: s.restock("moka-pot", 5), "UpdateItem 2"),
    "reviews": (lambda s: s.reviews("espresso-roma"), "Query 0.5"),
    "sales": (lambda s: s.sales(date(2025, 1, 1), date(2025, 12, 31)), "Query 1"),
    "search": (lambda s: s.search("espresso"), "Query 0.5, BatchGetItem 1"),
    "set_quantity": (lambda s: s.set_quantity("alice", "kenya-aa", 3), "GetItem 0.5, TransactWriteItems 4"),
    "set_quantity-none": (lambda s: s.set_quantity("alice", "kenya-aa", 0), "DeleteItem 1"),
    "ship_order": (lambda s: s.ship_order("o1029", "TW1"), "Query/GSI1 0.5, UpdateItem 4"),
    "sign_in": (lambda s: s.sign_in("deniz@example.com"), "Query/GSI1 0.5"),
    "to_be_shipped": (lambda s: s.to_be_shipped(), "Query/GSI2 0.5"),
    "withdraw_review": (lambda s: s.withdraw_review(s.reviews("moka-pot").items[0]), "Query 0.5, DeleteItem 2"),
    "write_review": (lambda s: s.write_review("deniz", "moka-pot", 4), "TransactWriteItems 7"),
}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_takes_what_it_should(name: str) -> None:
    call, expected = METHODS[name]
    with shop.open("memory:", cursor_keys=CURSOR_KEYS) as db:
        seed(db)
        store = Shop(db, clock=lambda: MONDAY)
        assert taken(db, lambda: call(store)) == expected


def test_every_method_is_measured() -> None:
    assert {name.split("-")[0] for name in METHODS} == methods_of(Shop)
