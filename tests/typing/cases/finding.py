"""Feeds, statements, tallies and sweeps: typed by the entity or model that they read."""

from typing import assert_type

from tablewright import (
    AsyncSession,
    ChangePage,
    Entity,
    Results,
    Session,
    Swept,
    Table,
    Tally,
    Tombstone,
    UniqueMarker,
    key,
    query,
)

from .model import Customer, Order, OrderRow, orders_of


def sync(db: Session, text: str) -> None:
    page = db.changes(Order, Order.username == "a", since=None)
    assert_type(page, ChangePage[Order])
    assert_type(page.items[0].entity, Order | None)
    shared = db.changes(query(Order, Order.username == "a") | query(Customer, Customer.username == "a"))
    assert_type(shared, ChangePage[Order | Customer])
    assert_type(shared.items[0].entity, Order | Customer | None)
    assert_type(db.statement('SELECT * FROM "{table}" WHERE PK = ?', ["a"], into=Order), Results[Order])
    assert_type(db.statement('SELECT * FROM "{table}" WHERE PK = ?', ["a"], into=OrderRow), Results[OrderRow])
    assert_type(db.tally(orders_of("a"), of=lambda o: o.total), Tally)
    assert_type(db.tally(query(Order, Order.username == "a")), Tally)
    seen: list[Order] = []
    assert_type(db.sweep_for_maintenance(Order, seen.extend, segments=2), Swept)

    keys = [key(Order, username="a", order_id="o1")]
    assert_type(db.get_many(keys, chunk_size=10), list[Order | None])
    assert_type(db.get_many(keys, only=OrderRow), list[OrderRow | None])

    db.get_many(keys, only=dict)  # E
    db.get_many(keys, chunk_size="10")  # E
    db.changes("Order")  # E
    db.changes(Order, since=5)  # E
    db.changes(query(Order, Order.username == "a"))  # E
    db.changes(query(Order).only(OrderRow) | query(Customer))  # E
    shared.items[0].entity.total  # E
    page.items[0].entity.total  # E - it may be None
    db.statement('SELECT * FROM "{table}"')  # E
    db.statement('SELECT * FROM "{table}"', into=dict)  # E
    db.tally(orders_of("a"), of=lambda o: o.totals)  # E
    db.tally(orders_of)  # E
    assert_type(db.decode_record({}).new, Entity | Tombstone[Entity] | UniqueMarker | None)
    assert_type(db.decode({}), Entity | Tombstone[Entity] | UniqueMarker)
    db.decode(Order)  # E
    db.decode_record("x")  # E
    Table("T", stream="ALL")  # E
    both: list[type[Order] | type[Customer]] = [Order, Customer]
    for one in db.scan_for_maintenance(both):
        assert_type(one, Order | Customer)
    for row in db.scan_for_maintenance([Order], only=OrderRow):
        assert_type(row, OrderRow)
    mixed: list[Order | Customer] = []
    db.sweep_for_maintenance([Order, Customer], mixed.extend)
    rows: list[OrderRow] = []
    db.sweep_for_maintenance(Order, rows.extend, only=OrderRow)
    db.sweep_for_maintenance(Order, rows.extend)  # E
    db.sweep_for_maintenance(Order, seen.extend, only=OrderRow)  # E
    db.scan_for_maintenance(["Order"])  # E
    customers: list[Customer] = []
    db.sweep_for_maintenance(Order, customers.extend)  # E


async def asynchronous(db: AsyncSession) -> None:
    assert_type(await db.changes(Order, Order.username == "a"), ChangePage[Order])
    assert_type(await db.tally(orders_of("a")), Tally)
    assert_type(await db.get_many([key(Order, order_id="o1")], only=OrderRow), list[OrderRow | None])
    feed = await db.changes(query(Order, Order.username == "a") | query(Customer, Customer.username == "a"))
    assert_type(feed, ChangePage[Order | Customer])
    db.changes(Order).items  # E
    await db.sweep_for_maintenance(Order, len)  # E - the work is awaited
