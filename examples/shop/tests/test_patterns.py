"""Every access pattern: exactly what it returns, in which order, with which one request, and what that costs."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

import pytest

from examples.shop import seed
from examples.shop.model import (
    Order,
    OrderStatus,
    Product,
    ProductPage,
    customer,
    customer_by_email,
    order,
    orders_of,
    orders_with_status,
    product,
    product_page,
    products_in,
    reviews_by,
    reviews_of,
    shop,
)
from tablewright import Page, Session
from tablewright.errors import CursorError

T = TypeVar("T")
NEW_YEAR = datetime(2025, 1, 1, tzinfo=UTC)


def measured(db: Session, read: Callable[[], T]) -> tuple[T, list[tuple[str, str | None, float]]]:
    """The result, and each request: its operation, its index and its read units."""
    with db.measure() as meter:
        result = read()
    return result, [(sent.operation, sent.index, sent.capacity.read) for sent in meter.requests]


def test_a_customer_by_user_name(seeded: Session) -> None:
    found, requests = measured(seeded, lambda: seeded.run(customer, "alice"))
    assert found == next(c for c in seed.customers() if c.username == "alice")
    assert requests == [("GetItem", None, 0.5)]
    assert seeded.run(customer, "Alice") is None


@pytest.mark.parametrize(
    "typed", ["alice.martin@example.com", "Alice.Martin@EXAMPLE.com", "  alice.martin@example.com "]
)
def test_a_customer_by_email_however_it_is_typed(seeded: Session, typed: str) -> None:
    found, requests = measured(seeded, lambda: seeded.run(customer_by_email, typed))
    assert found == next(c for c in seed.customers() if c.username == "alice")
    assert requests == [("Query", "GSI1", 0.5)]


def test_nobody_has_an_unknown_email(seeded: Session) -> None:
    found, requests = measured(seeded, lambda: seeded.run(customer_by_email, "alice@example.com"))
    assert found is None
    assert [(operation, index) for operation, index, _ in requests] == [("Query", "GSI1")]


def test_the_orders_of_a_customer_come_newest_first(seeded: Session) -> None:
    found, requests = measured(seeded, lambda: seeded.run(orders_of, "alice").all())
    own = [o for o in seed.orders() if o.username == "alice"]
    assert found == sorted(own, key=lambda o: o.placed_at, reverse=True)
    assert [o.order_id for o in found[:3]] == ["o1029", "o1025", "o1022"]
    assert requests == [("Query", None, 0.5)]


def test_the_orders_of_a_customer_since_a_day(seeded: Session) -> None:
    since = datetime(2025, 9, 17, 11, 31, tzinfo=UTC)
    found, requests = measured(seeded, lambda: seeded.run(orders_of, "alice", since=since).all())
    assert [o.order_id for o in found] == ["o1029", "o1025", "o1022"]
    later = seeded.run(orders_of, "alice", since + timedelta(microseconds=1))
    assert [o.order_id for o in later] == ["o1029", "o1025"]
    assert requests == [("Query", None, 0.5)]


def test_the_orders_of_a_customer_come_in_pages_of_twenty(db: Session) -> None:
    placed = [
        Order(username="ann", order_id=f"o{n:02}", placed_at=NEW_YEAR + timedelta(days=n // 2), total=Decimal(n))
        for n in range(45)
    ]
    strangers = [
        Order(username=name, order_id=name, placed_at=NEW_YEAR, total=Decimal(1)) for name in ("an", "ann#", "anna")
    ]
    with db.batch() as batch:
        for each in [*placed, *strangers]:
            batch.put(each)

    pages: list[Page[Order]] = []
    costs = []
    cursor: str | None = None
    while not pages or cursor is not None:
        page, requests = measured(db, lambda at=cursor: db.run(orders_of, "ann").page(cursor=at))  # type: ignore[misc]
        pages.append(page)
        costs.append(requests)
        cursor = page.cursor

    assert [len(page) for page in pages] == [20, 20, 5]
    assert [o for page in pages for o in page] == sorted(placed, key=lambda o: (o.placed_at, o.order_id), reverse=True)
    assert costs == [[("Query", None, 1.0)], [("Query", None, 1.0)], [("Query", None, 0.5)]]
    assert [page.has_more for page in pages] == [True, True, False]
    assert len(db.run(orders_of, "ann").all()) == 45

    with pytest.raises(CursorError):
        db.run(orders_of, "anna").page(cursor=pages[0].cursor)


def test_an_order_by_its_number(seeded: Session) -> None:
    found, requests = measured(seeded, lambda: seeded.run(order, "o1009"))
    assert found == next(o for o in seed.orders() if o.order_id == "o1009")
    assert found is not None
    assert (found.total, found.lines[0].price) == (Decimal("154.90"), Decimal("149.00"))
    assert requests == [("Query", "GSI1", 0.5)]
    assert seeded.run(order, "o100") is None


def test_the_products_of_a_category(seeded: Session) -> None:
    found, requests = measured(seeded, lambda: seeded.run(products_in, "beans").all())
    expected = ["espresso-roma", "ethiopia-sidamo", "house-blend", "kenya-aa", "swiss-decaf"]
    assert [p.product_id for p in found] == expected
    assert found == [p for p in seed.products() if p.category_id == "beans"]
    assert requests == [("Query", "GSI1", 0.5)]
    assert seeded.run(products_in, "bean").all() == []


def test_the_products_of_a_category_come_in_pages(db: Session) -> None:
    shelf = [
        Product(product_id=f"p{n:02}", category_id="tea", name=f"Tea {n}", price=Decimal("3.50")) for n in range(23)
    ]
    with db.batch() as batch:
        for each in shelf:
            batch.put(each)
    first, requests = measured(db, lambda: db.run(products_in, "tea").page())
    second = db.run(products_in, "tea").page(cursor=first.cursor)
    assert [*first, *second] == shelf
    assert (len(first), len(second), second.cursor) == (20, 3, None)
    assert [(operation, index) for operation, index, _ in requests] == [("Query", "GSI1")]
    assert len(db.run(products_in, "tea").page(7)) == 7


def test_a_product_by_its_number(seeded: Session) -> None:
    found, requests = measured(seeded, lambda: seeded.run(product, "kenya-aa"))
    kenya = Product(
        product_id="kenya-aa", category_id="beans", name="Kenya AA, 500 g", price=Decimal("17.20"), stock=40
    )
    assert found == kenya
    assert requests == [("GetItem", None, 0.5)]
    assert seeded.run(product, "kenya") is None


def test_the_reviews_of_a_product_come_newest_first(seeded: Session) -> None:
    found, requests = measured(seeded, lambda: seeded.run(reviews_of, "espresso-roma").all())
    assert [r.review_id for r in found] == ["r23", "r20", "r11", "r01"]
    assert found == [r for r in reversed(seed.reviews()) if r.product_id == "espresso-roma"]
    assert requests == [("Query", None, 0.5)]


def test_the_reviews_of_a_customer_come_newest_first(seeded: Session) -> None:
    found, requests = measured(seeded, lambda: seeded.run(reviews_by, "zoe").all())
    assert found == [r for r in reversed(seed.reviews()) if r.username == "zoe"]
    assert len(found) > 1
    assert requests == [("Query", "GSI1", 0.5)]
    assert seeded.run(reviews_by, "zo").all() == []


def test_a_product_page_is_one_request(seeded: Session) -> None:
    found, requests = measured(seeded, lambda: seeded.run(product_page, "espresso-roma"))
    assert found == ProductPage(
        product=next(p for p in seed.products() if p.product_id == "espresso-roma"),
        reviews=[r for r in reversed(seed.reviews()) if r.product_id == "espresso-roma"],
    )
    assert requests == [("Query", None, 0.5)]
    assert seeded.run(product_page, "espresso") == ProductPage(None, [])


@pytest.mark.parametrize(("status", "units"), [("PENDING", 0.5), ("SHIPPED", 0.5), ("DELIVERED", 1.5)])
def test_the_orders_of_one_status_come_oldest_first(seeded: Session, status: OrderStatus, units: float) -> None:
    found, requests = measured(seeded, lambda: seeded.run(orders_with_status, status).all())
    assert found == [o for o in seed.orders() if o.status == status]
    assert requests == [("Query", "GSI2", units)]


def test_the_orders_of_one_status_since_a_day(seeded: Session) -> None:
    since = datetime(2025, 12, 12, 16, 55, tzinfo=UTC)
    found, requests = measured(seeded, lambda: seeded.run(orders_with_status, "PENDING", since=since).all())
    assert [o.order_id for o in found] == ["o1028", "o1029", "o1030"]
    assert requests == [("Query", "GSI2", 0.5)]


def test_the_plan_says_what_every_pattern_sends() -> None:
    later = {
        "orders_between",
        "large_orders_of",
        "cart_of",
        "payments_for",
        "payments_of",
        "items_of",
        "orders_with",
        "all_customers",
    }
    later |= {"products_named", "bestsellers", "sales"}  # tried in test_more_patterns.py

    def shown(name: str) -> list[tuple[Any, ...]]:
        plans = shop.plan.patterns[name].values()
        return [(s.operation, s.index, s.key) for s in (plan.shown() for plan in plans)]

    assert {name: shown(name) for name in shop.patterns if name not in later} == {
        "customer": [("GetItem", None, "PK = CUSTOMER#{username} AND SK = CUSTOMER#{username}")],
        "customer_by_email": [("Query", "GSI1", "GSI1PK = EMAIL#{email} AND GSI1SK = EMAIL#{email}")],
        "orders_of": [
            ("Query", None, "PK = CUSTOMER#{username} AND SK BETWEEN ORDER#{since} AND ORDER$"),
            ("Query", None, "PK = CUSTOMER#{username} AND SK BETWEEN ORDER AND ORDER$"),
        ],
        "order": [("Query", "GSI1", "GSI1PK = ORDER#{order_id} AND GSI1SK = ORDER#{order_id}")],
        "products_in": [("Query", "GSI1", "GSI1PK = CATEGORY#{category_id} AND GSI1SK BETWEEN PRODUCT AND PRODUCT$")],
        "product": [("GetItem", None, "PK = PRODUCT#{product_id} AND SK = PRODUCT#{product_id}")],
        "reviews_of": [("Query", None, "PK = PRODUCT#{product_id} AND SK BETWEEN REVIEW AND REVIEW$")],
        "reviews_by": [("Query", "GSI1", "GSI1PK = REVIEWER#{username} AND GSI1SK BETWEEN REVIEW AND REVIEW$")],
        "product_page": [
            ("Query", None, "PK = PRODUCT#{product_id} AND (SK = PRODUCT#{product_id} … SK BETWEEN REVIEW AND REVIEW$)")
        ],
        "orders_with_status": [
            ("Query", "GSI2", "GSI2PK = STATUS#{status} AND GSI2SK >= {since}"),
            ("Query", "GSI2", "GSI2PK = STATUS#{status}"),
        ],
    }
    assert shop.plan.warnings == ()
