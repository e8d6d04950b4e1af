"""Every access pattern of users, orders and products finds what a plain search finds."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.orders.model import (
    Activity,
    AppSettings,
    FeatureFlags,
    Inventory,
    Order,
    OrderLine,
    OrderStatus,
    Preferences,
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
    stock_of,
    subscriptions_of,
    suspend,
    user,
    user_by_email,
    whole_order,
)
from examples.orders.model import (
    settings as settings_of,
)
from examples.orders.store import Store
from examples.trial import Case, check, filled, hours
from tablewright import Entity, Session, key, ulid
from tablewright.errors import ConditionalCheckError
from tablewright.evolve.jobs.work import Writes
from tablewright.evolve.upgrading import Upgrade
from tablewright.lint import lint

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
    Case(settings_of, ("u1",), Settings, lambda s: s.user_id == "u1"),
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


def test_users_of_the_first_version_get_preferences_and_keep_those_that_they_have(db: Session) -> None:
    keys = {"pk": {"S": "user#u1"}, "sk": {"S": "profile"}}
    profile = db.send("GetItem", {"TableName": db.table_name, "Key": keys, "ConsistentRead": True})["Item"]
    dark: dict[str, Any] = {"M": {"theme": {"S": "dark"}, "notifications": {"BOOL": False}}}
    light: dict[str, Any] = {"M": {"theme": {"S": "light"}, "notifications": {"BOOL": True}}}
    for before, expected in ((None, light), (dark, dark)):
        first = {name: value for name, value in profile.items() if name not in ("schema_version", "preferences")}
        first |= {} if before is None else {"preferences": before}
        db.send("PutItem", {"TableName": db.table_name, "Item": first})
        found = db.get(key(User, user_id="u1"))
        assert found is not None
        assert found.preferences == Preferences(theme=expected["M"]["theme"]["S"], notifications=before is None)
        db.update(key(User, user_id="u1"), set={"name": "Ann"})
        now = db.send("GetItem", {"TableName": db.table_name, "Key": keys, "ConsistentRead": True})["Item"]
        assert (now["schema_version"], now["preferences"]) == ({"N": "2"}, expected)


def test_all_users_are_upgraded_at_once(db: Session) -> None:
    work = Upgrade(main_table.plan.of(User), db.table_name)
    users = [i for i in db.send("Scan", {"TableName": db.table_name})["Items"] if i["entity_type"] == {"S": "user"}]
    for user_item in users:
        first = {name: value for name, value in user_item.items() if name not in ("schema_version", "preferences")}
        db.send("PutItem", {"TableName": db.table_name, "Item": first})
    for item in db.send("Scan", {"TableName": db.table_name, **work.reads})["Items"]:
        decision = work.look(item)
        assert isinstance(decision, Writes)
        db.send("TransactWriteItems", {"TransactItems": list(decision.actions)})
    assert users
    assert db.send("Scan", {"TableName": db.table_name, **work.reads})["Items"] == []


def test_nothing_is_wrong_with_the_model() -> None:
    assert [p.name for p in main_table.prove().patterns if not p.served] == []
    assert [(one.code, one.message) for one in lint(main_table) if one.waived is None] == []


IDS = st.text("ab#$%~ /\x00é\U0001f528", min_size=1, max_size=12)


@settings(max_examples=12)
@given(st.lists(IDS, min_size=2, max_size=3, unique=True), st.lists(IDS, min_size=2, max_size=3, unique=True))
def test_nobody_sees_what_is_not_theirs_whatever_the_ids(people: list[str], numbers: list[str]) -> None:
    with main_table.open("memory:") as db:
        store = Store(db, clock=lambda: hours(0))
        for user_id in people:
            store.register(f"{ulid()}@example.com", "n", user_id=user_id)
            store.record(user_id, "login")
        for product_id in numbers:
            store.offer(product_id, product_id, "p", Decimal(1))
            store.store_away(product_id, people[0], 1)
            store.review(product_id, people[0], 5)
        placed = {user_id: store.place_order(user_id, dict.fromkeys(numbers, 1)) for user_id in people}
        for user_id, whole in placed.items():
            assert whole.order is not None
            assert list(store.orders(user_id)) == store.recent_orders(user_id) == [whole.order]
            assert store.order(whole.order.order_id) == whole
            assert store.activity_summary(user_id).activities == {"login": 1, "order": 1}
        for product_id in numbers:
            page = store.product_page(product_id)
            assert page is not None
            assert (len(page.stock), len(page.reviews)) == (1, 1)
            assert [p.product_id for p in store.products_in(product_id)] == [product_id]
        assert set(store.users(people)) == set(people)
