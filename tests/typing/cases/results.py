"""What a sync session's reads give back, and how it may be used."""

from datetime import datetime
from decimal import Decimal
from typing import assert_type

from tablewright import Get, Key, Page, Results, Session, get, key, query

from .model import (
    Customer,
    CustomerPage,
    Order,
    OrderRow,
    OrderStatus,
    customer,
    customer_page,
    order,
    orders_of,
    rows_of,
    status_of,
)


def of_a_get(db: Session) -> None:
    found = db.run(order, "o1")
    assert_type(found, Order | None)
    assert_type(db.run(order, order_id="o1"), Order | None)
    assert_type(db.execute(get(Order, Order.order_id == "o1")), Order | None)
    assert_type(db.run(status_of, "o1"), OrderRow | None)
    assert_type(db.execute(order("o1").only(OrderRow)), OrderRow | None)

    found.status  # E - it may be None
    found.status = "SHIPPED"  # E
    db.run(order, "o1").status  # E
    for each in found:  # E - one or none
        print(each)
    for each in db.run(order, "o1"):  # E
        print(each)
    found[0]  # E
    found.all()  # E
    sure: Order = found  # E
    other: Customer | None = found  # E
    db.run(status_of, "o1").order_id  # E
    if found is not None:
        assert_type(found, Order)
        assert_type(found.placed_at, datetime)
        found.state  # E
        number: int = found.status  # E
    row = db.run(status_of, "o1")
    if row is not None:
        assert_type(row.status, OrderStatus)
        row.total  # E - not in the view
        another: Order = row  # E


def of_a_query(db: Session) -> None:
    found = db.run(orders_of, "alice")
    assert_type(found, Results[Order])
    assert_type(db.execute(orders_of("alice")), Results[Order])
    assert_type(db.query(Order, Order.username == "alice"), Results[Order])
    assert_type(db.execute(query(Order, Order.username == "alice").only(OrderRow)), Results[OrderRow])
    assert_type(db.run(rows_of, "alice", parcels=1), Results[OrderRow])
    for each in found:
        assert_type(each, Order)
        each.state  # E
    assert_type(list(found), list[Order])
    assert_type(found.all(), list[Order])
    assert_type(found.first(), Order | None)
    assert_type(found.count(), int)
    assert_type([o.order_id for o in found], list[str])

    found[0]  # E - results are lazy: all() or first()
    len(found)  # E - count() says that it costs something
    found.status  # E
    found.first().status  # E - it may be None
    listed: list[Order] = found  # E
    customers: Results[Customer] = found  # E
    others: list[Customer] = found.all()  # E
    name: str = found.count()  # E
    for customer_ in found:
        customer_.email  # E
    for row in db.run(rows_of, "alice", parcels=1):
        row.total  # E - not in the view
    [o.state for o in found]  # E


def of_a_page(db: Session) -> None:
    found = db.run(orders_of, "alice")
    page = found.page()
    assert_type(page, Page[Order])
    assert_type(found.page(20, page.cursor), Page[Order])
    assert_type(found.page(limit=20, cursor=None), Page[Order])
    assert_type(page.items, tuple[Order, ...])
    assert_type(page.cursor, str | None)
    assert_type(page.has_more, bool)
    assert_type(len(page), int)
    for each in page:
        assert_type(each, Order)
        each.state  # E

    found.page("20")  # E
    found.page(cursor=20)  # E
    found.page(size=20)  # E
    page[0]  # E - its items can be indexed
    page.items[0].state  # E
    page.cursor.upper()  # E - there is none at the end
    page.items = ()  # E


def of_a_collection(db: Session) -> None:
    found = db.run(customer_page, "alice")
    assert_type(found, CustomerPage)
    assert_type(found.customer, Customer | None)
    assert_type(found.orders, list[Order])
    assert_type(db.execute(customer_page("alice").consistent()), CustomerPage)

    found.customers  # E
    found.customer.name  # E - it may be None
    found.orders[0].state  # E
    for each in found:  # E
        print(each)
    other: Customer = found  # E


def of_a_target(db: Session, known: Order) -> None:
    assert_type(db.get(order("o1")), Order | None)
    assert_type(db.get(key(Order, username="alice", placed_at=known.placed_at, order_id="o1")), Order | None)
    assert_type(db.get(known, consistent=True), Order | None)
    assert_type(db.get_many([order("o1"), order("o2")]), list[Order | None])
    assert_type(db.get_many([known], together=True), list[Order | None])
    assert_type(db.get_many([key(Order, order_id="o1")], consistent=True), list[Order | None])
    either: list[Key[Order | Customer]] = [key(Order, order_id="o1"), key(Customer, username="alice")]
    assert_type(db.get_many(either), list[Order | Customer | None])
    both: list[Get[Order | Customer]] = [order("o1"), customer("alice")]
    assert_type(db.get_many(both), list[Order | Customer | None])
    for one in db.get_many([key(Order, order_id="o1"), key(Customer, username="alice")]):
        if isinstance(one, Order):
            assert_type(one.total, Decimal)

    db.get("o1")  # E
    db.get(order)  # E - that is a pattern: order("o1") names one
    db.get(orders_of("alice"))  # E - that may be many
    db.get(customer_page("alice"))  # E
    db.get(Order)  # E
    db.get(order("o1"), strong=True)  # E
    db.get(order("o1"), consistent="yes")  # E
    db.get(order("o1")).status  # E - it may be None
    mistaken: Customer | None = db.get(order("o1"))  # E
    db.get_many(order("o1"))  # E - that is one
    db.get_many(["o1", "o2"])  # E
    db.get_many([orders_of("alice")])  # E
    for each in db.get_many([order("o1")]):
        each.status  # E - it may be None
    customers: list[Customer | None] = db.get_many([order("o1")])  # E
    narrow: list[Key[Order]] = [key(Customer, username="alice")]  # E
    orders: list[Order | None] = db.get_many(either)  # E
    for scanned in db.scan_for_maintenance(Order):
        assert_type(scanned, Order)
    db.scan_for_maintenance("Order")  # E
    assert_type(db.run(orders_of, "alice").take(3), list[Order])
    assert_type(db.run(orders_of, "alice").page(3, fill=True), Page[Order])
    db.run(orders_of, "alice").take("3")  # E
    db.run(orders_of, "alice").page(3, None, True)  # E - by name
    db.get(customer("alice"))
