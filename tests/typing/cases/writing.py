"""The writes of a sync session: their targets, their arguments, and what they give back."""

from datetime import datetime
from decimal import Decimal
from typing import Any, assert_type

from tablewright import BatchWriter, Capacity, Deleted, Session, ShardedCounter, Transaction, key
from tablewright.errors import ConcurrentModificationError

from .model import Address, Customer, Order, OrderRow, customer, move, order, orders_of, ship, shop, status_of

NOW = datetime(2026, 1, 1)
HOME = Address(street="Main St 1", city="Bonn")
alice = Customer(username="alice", email="alice@example.com", name="Alice")
first = Order(username="alice", order_id="o1", placed_at=NOW, total=Decimal(10))
first_key = key(Order, username="alice", placed_at=NOW, order_id="o1")


def opening() -> None:
    assert_type(shop.open("memory:"), Session)
    with shop.open("memory:") as db:
        assert_type(db, Session)
    shop.open("memory:", no_such_option=True)  # E
    db.no_such_method()  # E


def whole_entities(db: Session) -> None:
    assert_type(db.create(first), Order)
    assert_type(db.put(first), Order)
    assert_type(db.put(first, when=Order.status == "PENDING"), Order)
    assert_type(db.put(first, when=[Order.status == "PENDING", Order.parcels > 1]), Order)

    db.create(Order)  # E
    db.create(order("o1"))  # E
    db.create(first, alice)  # E
    db.create({"order_id": "o1"})  # E
    db.create(OrderRow(order_id="o1", status="PENDING"))  # E - a view is no entity
    assert_type(db.put(first, expected_version=3), Order)
    db.put(first, expected_version="3")  # E
    db.put(None)  # E
    db.put(db.get(order("o1")))  # E - there may be none
    db.put(first, when="status = PENDING")  # E - that is no condition
    db.put(first, when=Order.status)  # E
    db.put(first, when=Order.placed_at > "2026")  # E
    mistaken: Customer = db.create(first)  # E


def returned_values(db: Session) -> None:
    assert_type(db.put(first, returns="new"), Order)
    assert_type(db.put(first, returns="old"), Order | None)
    db.put(first, returns="none")
    nothing: Order = db.put(first, returns="none")  # E
    perhaps: Order = db.put(first, returns="old")  # E
    db.put(first, returns="ALL_OLD")  # E
    db.put(first, returns="old_fields")  # E - a put changes all of them

    assert_type(db.update(first, set={"status": "SHIPPED"}, returns="old"), Order)
    assert_type(db.update(first, set={"status": "SHIPPED"}, returns="new_fields"), dict[str, Any])
    assert_type(db.update(first, set={"status": "SHIPPED"}, returns="old_fields"), dict[str, Any])
    db.update(first, set={"status": "SHIPPED"}, returns="none")
    fields: Order = db.update(first, set={"status": "SHIPPED"}, returns="old_fields")  # E
    db.update(first, set={"status": "SHIPPED"}, returns="UPDATED_NEW")  # E
    db.update(first, set={"status": "SHIPPED"}, returns=None)  # E

    assert_type(db.delete(first, returns="old"), Order | None)
    db.delete(first, returns="none")
    db.delete(first, returns="new")  # E - nothing is left


def upserts(db: Session) -> None:
    assert_type(db.upsert(first), Order)
    assert_type(db.upsert(first, add={"parcels": 1}), Order)
    assert_type(db.save(alice), Customer)
    db.upsert(first_key, add={"parcels": 1})  # E - a key is no entity
    db.upsert(first, add=["parcels"])  # E
    db.upsert(first, when=Order.parcels == 1)  # E
    db.save(first_key)  # E


def told(error: ConcurrentModificationError) -> None:
    assert_type(error.entity, str | None)
    assert_type(error.key, dict[str, Any] | None)
    error.key["order_id"]  # E - it may be None
    error.entity = "Order"  # E


def counting(db: Session) -> None:
    assert_type(db.increment(first, Order.parcels), int)
    assert_type(db.increment(order("o1"), Order.parcels, by=-2), int)
    assert_type(db.increment(first_key, Order.total, by=Decimal("0.5")), Decimal)
    assert_type(db.increment(first_key, Order.total, by=2), Decimal)
    db.increment(alice, Order.parcels)  # an int like any other to type checkers; refused when the call is made
    db.increment(first, "parcels")  # E - a field, not its name
    db.increment(first, Order.status)  # E
    db.increment(first, Order.parcels, by="2")  # E
    db.increment(first, Order.parcels, by=Decimal("0.5"))  # E
    wrong: str = db.increment(first, Order.parcels)  # E

    shards = ShardedCounter(Order.parcels, Order.total, of=8)
    assert_type(shards, ShardedCounter[Decimal])
    db.count_up(shards(username="alice"), Decimal("0.5"))
    db.count_up(shards(username="alice"), spread="x")
    assert_type(db.total(shards(username="alice")), Decimal)
    db.count_up(shards)  # E - of whom?
    db.count_up(shards(username="alice"), "1")  # E
    db.count_up(shards(username="alice"), spread=1)  # E
    with db.transaction() as tx:
        tx.count_up(shards(username="alice"), Decimal("0.5"), spread="x")
        tx.count_up(shards(username="alice"), "1")  # E
    ShardedCounter(Order.username, Order.total, of=8)  # E
    ShardedCounter(Order.parcels, Order.status, of=8)  # E


def collections(db: Session) -> None:
    assert_type(db.delete_collection(orders_of("alice")), Deleted)
    assert_type(db.delete_collection(first_key, reach="partition", limit=10, progress=print), Deleted)
    db.delete_collection(orders_of)  # E
    db.delete_collection(Order)  # E
    db.delete_collection(first_key, reach="all")  # E
    db.delete_collection(first_key, limit="10")  # E
    assert_type(db.undelete(first_key), Order)
    db.purge(first_key)
    db.undelete(orders_of("alice"))  # E
    db.purge("o1")  # E


def updates(db: Session) -> None:
    assert_type(db.update(order("o1"), set={"status": "SHIPPED"}), Order)
    assert_type(db.update(first, add={"parcels": 1}, remove=["tracking"]), Order)
    assert_type(db.update(first_key, include={"tags": ["gift"]}, when=Order.parcels == 1), Order)
    assert_type(db.update(alice, append={"addresses": [HOME]}, expected_version=3), Customer)
    assert_type(db.update(alice, set={"name": "Al"}, expected_version=NOW), Customer)

    db.update("o1", set={"status": "SHIPPED"})  # E
    db.update(Order, set={"status": "SHIPPED"})  # E
    db.update(order, set={"status": "SHIPPED"})  # E
    db.update(orders_of("alice"), set={"status": "SHIPPED"})  # E
    db.update(status_of("o1"), set={"status": "SHIPPED"})  # E - a view is no entity
    db.update(order("o1"), {"status": "SHIPPED"})  # E - by name only
    db.update(order("o1"), status="SHIPPED")  # E
    db.update(order("o1"), set=["status"])  # E
    db.update(order("o1"), set={1: "SHIPPED"})  # E
    db.update(order("o1"), append={"tags": 1})  # E
    db.update(order("o1"), remove=[1])  # E
    db.update(order("o1"), set={"status": "SHIPPED"}, when="x")  # E
    db.update(alice, set={"name": "Al"}, expected_version="3")  # E
    mistaken: Customer = db.update(order("o1"), set={"status": "SHIPPED"})  # E

    # Wrong, but no type checker tells: names are text here. Refused before anything is sent; prefer a declared change.
    db.update(order("o1"), set={"state": "SHIPPED"})
    db.update(order("o1"), set={"status": 1})


def declared_changes(db: Session) -> None:
    assert_type(db.apply(ship, order("o1"), "DE1"), Order)
    assert_type(db.apply(ship, first, tracking="DE1"), Order)
    assert_type(db.apply(ship, first_key, "DE1", parcels=2), Order)
    assert_type(db.apply(move, customer("alice"), HOME), Customer)
    assert_type(db.apply(move, alice, address=HOME), Customer)

    db.apply(ship, customer("alice"), "DE1")  # E - ship changes orders
    db.apply(ship, alice, "DE1")  # E
    db.apply(ship, key(Customer, username="alice"), "DE1")  # E
    db.apply(move, order("o1"), HOME)  # E
    db.apply(move, first_key, HOME)  # E
    db.apply(ship, orders_of("alice"), "DE1")  # E
    db.apply(ship, status_of("o1"), "DE1")  # E - a view is no entity
    db.apply(ship, "o1", "DE1")  # E
    db.apply(ship, Order, "DE1")  # E
    db.apply(ship)  # E
    db.apply(ship, order("o1"))  # E - an argument is missing
    db.apply(ship, order("o1"), 1)  # E
    db.apply(ship, order("o1"), None)  # E
    db.apply(ship, order("o1"), "DE1", 2)  # E - by name only
    db.apply(ship, order("o1"), "DE1", parcels="2")  # E
    db.apply(ship, order("o1"), "DE1", packages=2)  # E
    db.apply(ship, order("o1"), trackign="DE1")  # E
    db.apply(move, customer("alice"), "Main St 1")  # E
    db.apply(order, order("o1"))  # E - that is a pattern
    db.apply(lambda o: None, order("o1"))  # E - it is not declared
    mistaken: Customer = db.apply(ship, order("o1"), "DE1")  # E


def editing(db: Session) -> None:
    with db.edit(order("o1")) as o:
        assert_type(o, Order)
        o.status = "SHIPPED"
        o.status = "LOST"  # E
        o.state = "SHIPPED"  # E
        o.parcels += "1"  # E
    with db.edit(orders_of("alice")) as several:  # E
        pass
    with db.edit("o1") as nothing:  # E
        pass
    db.edit(order("o1")).status = "SHIPPED"  # E - it is a context manager

    assert_type(db.revise(order("o1"), lambda o: o.tags.add("gift")), Order)
    db.revise(order("o1"), lambda o: o.tag.add("gift"))  # E
    db.revise(order("o1"), move)  # E - move changes customers


def deletes(db: Session) -> None:
    assert_type(db.delete(order("o1")), Order | None)
    assert_type(db.delete(first, when=Order.status == "PENDING"), Order | None)
    assert_type(db.delete(key(Customer, username="alice"), expected_version=None), Customer | None)

    db.delete(Order)  # E
    db.delete("o1")  # E
    db.delete(orders_of("alice"))  # E
    db.delete(order("o1")).status  # E - it may be None
    db.delete(order("o1"), when="x")  # E
    db.delete(alice, expected_version=1.5)  # E


def transactions(db: Session) -> None:
    with db.transaction() as tx:
        assert_type(tx, Transaction)
        tx.create(first)
        tx.put(alice, when=Customer.name == "Alice")
        tx.update(order("o1"), set={"status": "SHIPPED"})
        tx.apply(ship, order("o1"), "DE1", parcels=2)
        tx.upsert(alice, set={"name": "Alice"})
        tx.undelete(first_key)
        tx.upsert(first_key)  # E
        tx.update(alice, set={"name": "Al"}, returns="old")  # E - a transaction returns nothing
        tx.delete(first_key)
        tx.check(customer("alice"), Customer.name == "Alice")

        tx.create(Order)  # E
        tx.put(alice, when="name")  # E
        tx.update(orders_of("alice"), set={"status": "SHIPPED"})  # E
        tx.update(order("o1"), status="SHIPPED")  # E
        tx.update(order("o1"), set={"status": "SHIPPED"}, when=Order.username)  # E
        tx.apply(ship, customer("alice"), "DE1")  # E
        tx.apply(ship, alice, "DE1")  # E
        tx.apply(move, first_key, HOME)  # E
        tx.apply(ship, order("o1"))  # E
        tx.apply(ship, order("o1"), 1)  # E
        tx.apply(ship, order("o1"), "DE1", packages=2)  # E
        tx.delete("o1")  # E
        tx.delete(order("o1"), when="x")  # E
        tx.check(customer("alice"), Customer.name)  # E
        tx.check(orders_of("alice"))  # E
        tx.get(order("o1"))  # E - a transaction only writes
        done: Order = tx.create(first)  # E - nothing is written yet
    with db.transaction("token"):
        pass
    db.transaction(1)  # E
    db.transaction().begin()  # E


def batches(db: Session) -> None:
    with db.batch(chunk_size=10, transactional=True) as guarded:
        guarded.put(alice)
    db.batch(chunk_size="10")  # E
    db.batch(10)  # E - by name only
    with db.batch() as batch:
        assert_type(batch, BatchWriter)
        batch.put(first)
        batch.delete(first_key)

        batch.put(Order)  # E
        batch.put(first, when=Order.parcels == 1)  # E - a batch has no conditions
        batch.apply(ship, order("o1"), "DE1")  # E
    db.batch().put(first)  # E - it is a context manager


def measuring(db: Session) -> None:
    with db.measure() as meter:
        db.get(order("o1"))
    assert_type(meter.capacity, Capacity)
    assert_type(meter.capacity.read, float)
    assert_type(meter.requests[0].operation, str)
    assert_type(meter.requests[0].index, str | None)
    meter.capacity.reads  # E
    db.measure().capacity  # E - it is a context manager
