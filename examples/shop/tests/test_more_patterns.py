"""The patterns beside those of every shop: carts, payments, items, search and sales find what a plain search finds."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from examples.shop import seed
from examples.shop.model import (
    CartItem,
    Customer,
    DailySales,
    Order,
    OrderItem,
    Payment,
    ProductSales,
    ProductWord,
    all_customers,
    bestsellers,
    cart_of,
    items_of,
    large_orders_of,
    orders_between,
    orders_with,
    payments_for,
    payments_of,
    products_named,
    sales,
    shop,
)
from examples.shop.store import Shop
from examples.trial import Case, check, filled, sent
from tablewright import Entity, Session

ITEMS: list[Entity] = [
    *seed.customers(),
    *seed.products(),
    *seed.product_words(),
    *seed.orders(),
    *seed.order_items(),
    *seed.payments(),
    *seed.cart_items(),
    *seed.product_sales(),
    *seed.daily_sales(),
]
JUNE, JULY = datetime(2025, 6, 6, 17, 51, tzinfo=UTC), datetime(2025, 7, 1, 19, 26, tzinfo=UTC)
"""The moments of an order each: both ends belong to the period."""

CASES = [
    Case(
        orders_between,
        ("DELIVERED", JUNE, JULY),
        Order,
        lambda o: o.status == "DELIVERED" and JUNE <= o.placed_at <= JULY,
        lambda o: o.placed_at,
    ),
    Case(
        large_orders_of,
        ("alice", Decimal(60)),
        Order,
        lambda o: o.username == "alice" and o.total >= 60,
        lambda o: o.placed_at,
        True,
    ),
    Case(cart_of, ("alice",), CartItem, lambda c: c.username == "alice", lambda c: c.product_id),
    Case(payments_for, ("alice", "o1025"), Payment, lambda p: p.order_id == "o1025"),
    Case(payments_of, ("alice",), Payment, lambda p: p.username == "alice", lambda p: p.order_id),
    Case(items_of, ("o1029",), OrderItem, lambda i: i.order_id == "o1029", lambda i: i.line),
    Case(orders_with, ("kenya-aa",), OrderItem, lambda i: i.product_id == "kenya-aa", lambda i: i.placed_at, True),
    Case(all_customers, (), Customer, lambda _: True, lambda c: c.username, requests=2),
    Case(all_customers, ("carla",), Customer, lambda c: c.username >= "carla", lambda c: c.username, requests=2),
    Case(
        products_named,
        ("Espresso",),
        ProductWord,
        lambda w: w.word == "espresso",
        lambda w: (w.category_id, w.product_id),
    ),
    Case(
        products_named,
        ("espresso", "cups"),
        ProductWord,
        lambda w: (w.word, w.category_id) == ("espresso", "cups"),
        lambda w: w.product_id,
    ),
    # Twenty products are two pages of ten, and a request that finds no more.
    Case(bestsellers, (2025,), ProductSales, lambda _: True, lambda s: (s.sold, s.product_id), True, requests=3),
    Case(
        sales,
        (date(2025, 6, 6), date(2025, 7, 1)),
        DailySales,
        lambda s: date(2025, 6, 6) <= s.day <= date(2025, 7, 1),
        lambda s: s.day,
    ),
]


@pytest.fixture(scope="module")
def db() -> Iterator[Session]:
    with filled(shop, ITEMS) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_finds_what_a_plain_search_finds(db: Session, case: Case) -> None:
    check(db, case, ITEMS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_reads_its_index_and_half_a_unit_with_each_request(db: Session, case: Case) -> None:
    index = {"orders_between": "GSI2", "orders_with": "GSI1", "all_customers": "GSI2", "bestsellers": "GSI2"}
    assert sent(db, case) == [("Query", index.get(case.pattern.name), 0.5)] * case.requests


def test_items_are_written_with_their_order() -> None:
    with filled(shop, [*seed.customers(), *seed.products()]) as db:
        placed = Shop(db).place_order("deniz", {"kenya-aa": 2, "moka-pot": 1})
        assert [(i.product_id, i.quantity) for i in db.run(items_of, placed.order_id)] == [
            ("kenya-aa", 2),
            ("moka-pot", 1),
        ]
        assert [i.order_id for i in db.run(orders_with, "moka-pot")] == [placed.order_id]


def test_every_other_pattern_is_tried_in_test_patterns() -> None:
    assert sorted(set(shop.patterns) - {case.pattern.name for case in CASES}) == [
        "customer",
        "customer_by_email",
        "order",
        "orders_of",
        "orders_with_status",
        "product",
        "product_page",
        "products_in",
        "reviews_by",
        "reviews_of",
    ]
