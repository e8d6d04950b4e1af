"""The three patterns find what they say, and an order that is shipped moves from one list to the other."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from examples.small.user_orders import Order, User, app, get_orders_by_status, get_user_by_id, get_user_orders, ship
from tablewright import Session, key
from tablewright.errors import ConditionalCheckError

START = datetime(2026, 3, 1, tzinfo=UTC)
USERS = [User(user_id=name, full_name=name) for name in ("1", "10", "1#ORDER")]
ORDERS = [
    Order(user_id=user.user_id, order_id=f"{n:02}", placed_at=START + timedelta(days=n), amount=Decimal(n))
    for user in USERS
    for n in range(4)
]


@pytest.fixture
def db(opened: Callable[..., Session]) -> Session:
    session = opened(app)
    for entity in (*USERS, *ORDERS):
        session.create(entity)
    return session


def test_a_user_and_their_orders(db: Session, asked: Callable[..., Any]) -> None:
    with db.measure() as meter:
        assert db.run(get_user_by_id, "1") == USERS[0]
        assert db.run(get_user_orders, "1").all() == ORDERS[:4]
    assert (asked(meter), meter.capacity.read) == ([("GetItem", None), ("Query", None)], 1.0)
    assert db.run(get_user_by_id, "2") is None


def test_orders_by_status_with_and_without_a_date(db: Session, asked: Callable[..., Any]) -> None:
    in_order = sorted(ORDERS, key=lambda order: (order.placed_at, order.order_id))
    with db.measure() as meter:
        found = db.run(get_orders_by_status, "PENDING").all()
    assert sorted(found, key=repr) == sorted(ORDERS, key=repr)
    assert [order.placed_at for order in found] == [order.placed_at for order in in_order]
    assert asked(meter) == [("Query", "GSI1")] * 2
    since = START + timedelta(days=2)
    with db.measure() as meter:
        found = db.run(get_orders_by_status, "PENDING", since).all()
    assert sorted(found, key=repr) == sorted((o for o in ORDERS if o.placed_at >= since), key=repr)
    assert asked(meter) == [("Query", "GSI1")] * 2
    assert db.run(get_orders_by_status, "SHIPPED").all() == []


def test_a_shipped_order_changes_lists_once(db: Session) -> None:
    which = key(Order, user_id="1", order_id="02")
    shipped = db.apply(ship, which)
    assert db.run(get_orders_by_status, "SHIPPED").all() == [shipped]
    assert len(db.run(get_orders_by_status, "PENDING").all()) == 11
    with pytest.raises(ConditionalCheckError):
        db.apply(ship, which)
