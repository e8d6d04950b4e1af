"""AsyncSession: the same surface as Session, awaited; a forgotten await and a mistaken one are both refused."""

from collections.abc import Coroutine
from datetime import datetime
from decimal import Decimal
from typing import Any, assert_type

from tablewright import AsyncResults, AsyncSession, AsyncTransaction, BatchWriter, Capacity, Page, get, key

from .model import (
    Address,
    Customer,
    CustomerPage,
    Order,
    OrderRow,
    customer,
    customer_page,
    move,
    order,
    orders_of,
    rows_of,
    ship,
    shop,
    status_of,
)

NOW = datetime(2026, 1, 1)
HOME = Address(street="Main St 1", city="Bonn")
alice = Customer(username="alice", email="alice@example.com", name="Alice")
first = Order(username="alice", order_id="o1", placed_at=NOW, total=Decimal(10))
first_key = key(Order, username="alice", placed_at=NOW, order_id="o1")


async def opening() -> None:
    assert_type(shop.open_async("memory:"), AsyncSession)
    async with shop.open_async("memory:") as db:
        assert_type(db, AsyncSession)
    with shop.open_async("memory:") as wrong:  # E
        pass
    async with shop.open("memory:") as wrong_too:  # E
        pass
    await shop.open_async("memory:")  # E - it opens as it is entered


async def of_a_get(db: AsyncSession) -> None:
    waiting: Coroutine[Any, Any, Order | None] = db.run(order, "o1")
    found = await db.run(order, "o1")
    assert_type(found, Order | None)
    assert_type(await db.execute(get(Order, Order.order_id == "o1")), Order | None)
    assert_type(await db.run(status_of, "o1"), OrderRow | None)
    assert_type(await db.get(order("o1")), Order | None)
    assert_type(await db.get(first_key, consistent=True), Order | None)
    assert_type(await db.get_many([order("o1"), order("o2")]), list[Order | None])
    if found is not None:
        assert_type(found, Order)
        found.state  # E

    found.status  # E - it may be None
    forgotten = db.run(order, "o1")
    forgotten.status  # E - not awaited
    if forgotten is not None:
        forgotten.status  # E - still not
    forgotten_too = db.get(order("o1"))
    forgotten_too.status  # E
    db.run(order, "o1").status  # E
    db.run(order, "o1")  # E - never awaited
    db.get(order("o1"))  # E
    assigned: Order | None = db.run(order, "o1")  # E
    (await db.run(order, "o1")).status  # E - it may be None
    db.get_many([order("o1")])[0]  # E
    async for each in db.run(order, "o1"):  # E - one or none
        print(each)
    for each in await db.run(order, "o1"):  # E
        print(each)

    await db.run(order)  # E - an argument is missing
    await db.run(order, 1)  # E
    await db.run(order, id="o1")  # E
    await db.run(order, "o1", "o2")  # E
    await db.run(order("o1"))  # E - that is an operation
    await db.execute(order)  # E - that is a pattern
    await db.get("o1")  # E
    await db.get(orders_of("alice"))  # E
    await db.get_many(["o1"])  # E


async def of_a_query(db: AsyncSession) -> None:
    found = db.run(orders_of, "alice", since=NOW)
    assert_type(found, AsyncResults[Order])
    assert_type(db.execute(orders_of("alice").only(OrderRow)), AsyncResults[OrderRow])
    assert_type(db.query(Order, Order.username == "alice"), AsyncResults[Order])
    assert_type(db.run(rows_of, "alice", parcels=1), AsyncResults[OrderRow])
    async for each in found:
        assert_type(each, Order)
        each.state  # E
    assert_type([o.order_id async for o in found], list[str])
    assert_type(await found.all(), list[Order])
    assert_type(await found.first(), Order | None)
    assert_type(await found.count(), int)
    assert_type(await found.page(20, None), Page[Order])
    async for scanned in db.scan_for_maintenance(Order):
        assert_type(scanned, Order)

    for each in found:  # E - async for
        print(each)
    for each in db.run(orders_of, "alice"):  # E
        print(each)
    [o.order_id for o in found]  # E
    list(found)  # E
    await found  # E - a query is iterated, or asked for all()
    await db.run(orders_of, "alice")  # E
    found[0]  # E
    len(found)  # E
    found.first()  # E - never awaited
    found.first().status  # E
    found.all()[0]  # E
    found.page().items  # E
    (await found.first()).status  # E - it may be None
    (await found.page(cursor=1)).items  # E
    number: int = found.count()  # E
    for each in found.all():  # E - not awaited
        print(each)
    for scanned in db.scan_for_maintenance(Order):  # E
        print(scanned)

    db.run(orders_of)  # E
    db.run(orders_of, "alice", "2026-01-01")  # E
    db.run(orders_of, "alice", until=NOW)  # E


async def of_a_collection(db: AsyncSession) -> None:
    found = await db.run(customer_page, "alice")
    assert_type(found, CustomerPage)
    found.customers  # E
    db.run(customer_page, "alice").orders  # E - not awaited
    db.run(customer_page, "alice")  # E - never awaited
    await db.run(customer_page)  # E


async def writes(db: AsyncSession) -> None:
    assert_type(await db.create(first), Order)
    assert_type(await db.put(first, when=Order.status == "PENDING"), Order)
    assert_type(await db.update(order("o1"), set={"status": "SHIPPED"}), Order)
    assert_type(await db.apply(ship, order("o1"), "DE1", parcels=2), Order)
    assert_type(await db.apply(move, alice, HOME), Customer)
    assert_type(await db.revise(order("o1"), lambda o: o.tags.add("gift")), Order)
    assert_type(await db.delete(first_key), Order | None)

    db.create(first)  # E - never awaited
    db.put(first)  # E
    db.update(order("o1"), set={"status": "SHIPPED"})  # E
    db.apply(ship, order("o1"), "DE1")  # E
    db.revise(order("o1"), lambda o: o.tags.add("gift"))  # E
    db.delete(first_key)  # E
    db.create_table()  # E
    db.apply(ship, order("o1"), "DE1").status  # E - not awaited
    created: Order = db.create(first)  # E

    await db.create(Order)  # E
    await db.put(first, when="status")  # E
    await db.update(orders_of("alice"), set={"status": "SHIPPED"})  # E
    await db.update(order("o1"), status="SHIPPED")  # E
    await db.update(order("o1"), when=Order.username)  # E
    await db.apply(ship, customer("alice"), "DE1")  # E - ship changes orders
    await db.apply(ship, alice, "DE1")  # E
    await db.apply(move, first_key, HOME)  # E
    await db.apply(ship, db.get(order("o1")), "DE1")  # E - not awaited
    await db.apply(ship, await db.get(order("o1")), "DE1")  # E - it may be None
    await db.apply(ship, order("o1"))  # E
    await db.apply(ship, order("o1"), 1)  # E
    await db.apply(ship, order("o1"), "DE1", packages=2)  # E
    await db.revise(order("o1"), lambda o: o.tag.add("gift"))  # E
    await db.delete("o1")  # E
    (await db.delete(order("o1"))).status  # E - it may be None


async def blocks(db: AsyncSession) -> None:
    async with db.edit(order("o1")) as o:
        assert_type(o, Order)
        o.status = "LOST"  # E
    async with db.transaction() as tx:
        assert_type(tx, AsyncTransaction)
        tx.create(first)
        tx.apply(ship, order("o1"), "DE1")
        await tx.create(first)  # E - nothing is sent yet
        tx.apply(ship, customer("alice"), "DE1")  # E
        tx.apply(ship, order("o1"), 1)  # E
    async with db.batch() as batch:
        assert_type(batch, BatchWriter)
        batch.put(first)
        batch.put(Order)  # E
    with db.measure() as meter:
        assert_type(meter.capacity, Capacity)
    with db.edit(order("o1")) as wrong_edit:  # E
        pass
    with db.transaction() as wrong_transaction:  # E
        pass
    with db.batch() as wrong_batch:  # E
        pass
