"""Every access pattern of users, orders and products finds what a plain search finds."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from examples.orders.model import (
    Activity,
    AppSettings,
    FeatureFlags,
    Inventory,
    Order,
    OrderLine,
    OrderStatus,
    Product,
    Review,
    Settings,
    Subscription,
    User,
    active_users,
    activity_of,
    app_settings,
    feature_flags,
    logged_in,
    main_table,
    order,
    orders_of,
    orders_with_status,
    pay,
    product,
    product_page,
    products_in,
    reviews_of,
    settings,
    stock_of,
    subscriptions_of,
    suspend,
    user,
    user_by_email,
    whole_order,
)
from examples.trial import Case, check, check_readme, filled, hours
from tablewright import Entity, Session
from tablewright.errors import ConditionalCheckError

USERS = ("u1", "u10", "u1#order", "u2")
STATUSES: tuple[OrderStatus, ...] = ("pending", "paid", "shipped", "cancelled")
ITEMS: list[Entity] = [
    *(
        User(
            user_id=u,
            email=f"{u}@example.com",
            name=u,
            joined_at=hours(USERS.index(u)),
            status="closed" if u == "u2" else "active",
        )
        for u in USERS
    ),
    *(Settings(user_id=u) for u in USERS),
    *(Subscription(user_id=u, subscription_id=s, plan="p", renews_at=hours(9)) for u in USERS for s in ("s", "s1")),
    *(
        Order(
            user_id=u,
            order_id=f"{u}-{n}",
            placed_at=hours(n // 2),
            status=STATUSES[n % 4],
            total_amount=Decimal(n),
        )
        for u in USERS
        for n in range(6)
    ),
    *(
        OrderLine(user_id="u1", order_id=o, line=n, product_id="p1", quantity=1, price=Decimal(1))
        for o in ("u1-1", "u1-10")
        for n in (1, 2, 10)
    ),
    *(Activity(user_id=u, at=hours(n), activity_id=f"a{n}", kind="login") for u in USERS for n in range(3)),
    *(
        Product(product_id=p, category=c, name=p, price=Decimal(5))
        for p, c in (("p1", "c"), ("p10", "c"), ("p2", "c1"))
    ),
    *(Inventory(product_id=p, location=place) for p in ("p1", "p10") for place in ("north", "south")),
    *(Review(product_id=p, review_id=f"r{n}", user_id="u1", stars=5) for p in ("p1", "p10") for n in range(3)),
    AppSettings(page_size=30),
    FeatureFlags(enabled={"search"}),
]


def newest(o: Order) -> tuple[object, ...]:
    return (o.placed_at, o.order_id)


CASES = [
    Case(user, ("u1",), User, lambda u: u.user_id == "u1"),
    Case(user_by_email, ("U1@example.com",), User, lambda u: u.user_id == "u1"),
    Case(active_users, (), User, lambda u: u.status == "active", lambda u: u.joined_at, True, requests=4),
    Case(settings, ("u1",), Settings, lambda s: s.user_id == "u1"),
    Case(subscriptions_of, ("u1",), Subscription, lambda s: s.user_id == "u1", lambda s: s.subscription_id),
    Case(orders_of, ("u1",), Order, lambda o: o.user_id == "u1", newest, True),
    Case(
        orders_of,
        ("u1", hours(1)),
        Order,
        lambda o: o.user_id == "u1" and o.placed_at >= hours(1),
        newest,
        True,
    ),
    Case(orders_with_status, ("paid",), Order, lambda o: o.status == "paid", newest, requests=4),
    Case(
        orders_with_status,
        ("paid", hours(1)),
        Order,
        lambda o: o.status == "paid" and o.placed_at >= hours(1),
        newest,
        requests=4,
    ),
    Case(order, ("u1-1",), Order, lambda o: o.order_id == "u1-1"),
    Case(whole_order, ("u1-1",), (Order, OrderLine), lambda e: e.order_id == "u1-1"),
    Case(activity_of, ("u1", hours(1)), Activity, lambda a: a.user_id == "u1" and a.at >= hours(1), lambda a: a.at),
    Case(product, ("p1",), Product, lambda p: p.product_id == "p1"),
    Case(products_in, ("c",), Product, lambda p: p.category == "c", lambda p: p.product_id),
    Case(stock_of, ("p1",), Inventory, lambda i: i.product_id == "p1", lambda i: i.location),
    Case(reviews_of, ("p1",), Review, lambda r: r.product_id == "p1", lambda r: r.review_id),
    Case(product_page, ("p1",), (Product, Inventory, Review), lambda e: e.product_id == "p1"),
    Case(app_settings, (), AppSettings, lambda _: True),
    Case(feature_flags, (), FeatureFlags, lambda _: True),
]


@pytest.fixture(scope="module")
def db() -> Iterator[Session]:
    with filled(main_table, ITEMS) as opened:
        yield opened


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_pattern_finds_what_a_plain_search_finds(db: Session, case: Case) -> None:
    check(db, case, ITEMS)


def test_every_pattern_is_tried() -> None:
    assert {case.pattern.name for case in CASES} == set(main_table.patterns)


def test_lines_come_by_number() -> None:
    with filled(main_table, ITEMS) as db:
        assert [line.line for line in db.run(whole_order, "u1-1").lines] == [1, 2, 10]


def test_changes_move_items_between_lists() -> None:
    with filled(main_table, ITEMS) as db:
        assert db.apply(logged_in, user("u1")).login_count == 1
        db.apply(suspend, user("u1"))
        assert [u.user_id for u in db.run(active_users)] == ["u1#order", "u10"]
        with pytest.raises(ConditionalCheckError):
            db.apply(logged_in, user("u1"))
        db.apply(pay, order("u1-4"))
        assert "u1-4" not in [o.order_id for o in db.run(orders_with_status, "pending")]
        assert "u1-4" in [o.order_id for o in db.run(orders_with_status, "paid")]


def test_attributes_are_in_lower_case(db: Session) -> None:
    items = db.send("Scan", {"TableName": db.table_name})["Items"]
    assert {name for item in items for name in item if name != name.lower()} == set()
    profile = next(item for item in items if item["pk"] == {"S": "user#u1"} and item["sk"] == {"S": "profile"})
    assert (profile["entity_type"], profile["schema_version"]) == ({"S": "user"}, {"N": "2"})


def test_the_readme_shows_the_model_as_it_is() -> None:
    check_readme(main_table, Path(__file__).parent.parent / "README.md")
