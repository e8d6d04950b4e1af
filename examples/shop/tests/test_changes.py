"""What changes an item changes its index keys with it: orders move through the status index, email addresses stay unique."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from examples.shop.model import (
    Customer,
    Order,
    OrderStatus,
    customer,
    customer_by_email,
    deliver,
    order,
    orders_with_status,
    ship,
    shop,
)
from tablewright import Session
from tablewright.errors import AlreadyExistsError, ConditionalCheckError, NotFoundError, UniqueViolationError

PLACED = datetime(2025, 12, 1, 10, 30, tzinfo=UTC)


def an_order(order_id: str = "o1") -> Order:
    return Order(username="ann", order_id=order_id, placed_at=PLACED, total=Decimal("12.50"))


def ann(email: str = "ann@example.com") -> Customer:
    return Customer(username="ann", email=email, name="Ann")


def in_status(db: Session, status: OrderStatus) -> list[str]:
    return [o.order_id for o in db.run(orders_with_status, status)]


def partition(db: Session, status: str) -> list[str]:
    """The sort keys in one partition of GSI2, as they are stored."""
    reply = db.send(
        "Query",
        {
            "TableName": db.table_name,
            "IndexName": "GSI2",
            "KeyConditionExpression": "GSI2PK = :status",
            "ExpressionAttributeValues": {":status": {"S": f"STATUS#{status}"}},
        },
    )
    return [item["GSI2SK"]["S"] for item in reply["Items"]]


def unique_markers(db: Session) -> list[str]:
    items: list[dict[str, Any]] = db.send("Scan", {"TableName": db.table_name})["Items"]
    return sorted(item["PK"]["S"] for item in items if item["Type"]["S"] == "Unique")


# --------------------------------------------------------------------------------------------------- the status


def test_a_shipped_order_moves_to_another_partition_of_the_index(db: Session) -> None:
    db.create(an_order())
    assert partition(db, "PENDING") == ["2025-12-01T10:30:00.000000Z#o1"]
    assert partition(db, "SHIPPED") == []

    shipped = db.apply(ship, order("o1"), tracking="T1")

    assert (shipped.status, shipped.tracking, shipped.total) == ("SHIPPED", "T1", Decimal("12.50"))
    assert db.run(order, "o1") == shipped
    assert partition(db, "PENDING") == []
    assert partition(db, "SHIPPED") == ["2025-12-01T10:30:00.000000Z#o1"]


def test_every_way_to_write_moves_the_order(db: Session) -> None:
    for number in range(1, 7):
        db.create(an_order(f"o{number}"))

    db.update(order("o1"), set={"status": "SHIPPED"})
    with db.edit(order("o2")) as edited:
        edited.status = "SHIPPED"
    read = db.run(order, "o3")
    assert read is not None
    read.status = "SHIPPED"
    db.put(read)
    with db.transaction() as tx:
        tx.apply(ship, order("o4"), "T4")
    with db.transaction() as tx:
        tx.update(order("o5"), set={"status": "SHIPPED"})
    with db.batch() as batch:
        batch.put(an_order("o6").model_copy(update={"status": "SHIPPED"}))

    assert in_status(db, "PENDING") == []
    assert in_status(db, "SHIPPED") == ["o1", "o2", "o3", "o4", "o5", "o6"]


def test_shipping_costs_one_read_of_the_index_and_one_guarded_write(db: Session) -> None:
    db.create(an_order())
    with db.measure() as meter:
        db.apply(ship, order("o1"), tracking="T1")
    assert [(sent.operation, sent.index) for sent in meter.requests] == [("Query", "GSI1"), ("UpdateItem", None)]
    # The item, its entry in GSI1, and in GSI2 a delete and an insert.
    assert (meter.capacity.read, meter.capacity.write) == (0.5, 4.0)


def test_an_order_is_shipped_once_and_delivered_after_that(db: Session) -> None:
    db.create(an_order())
    with pytest.raises(ConditionalCheckError):
        db.apply(deliver, order("o1"))
    db.apply(ship, order("o1"), tracking="T1")
    with pytest.raises(ConditionalCheckError):
        db.apply(ship, order("o1"), tracking="T2")
    db.apply(deliver, order("o1"))

    stored = db.run(order, "o1")
    assert stored is not None
    assert (stored.status, stored.tracking) == ("DELIVERED", "T1")
    assert in_status(db, "DELIVERED") == ["o1"]
    assert in_status(db, "SHIPPED") == []


def test_an_order_that_is_not_there_cannot_be_shipped(db: Session) -> None:
    with pytest.raises(NotFoundError):
        db.apply(ship, order("o1"), tracking="T1")


def test_a_deleted_order_leaves_both_indexes(db: Session) -> None:
    db.create(an_order())
    db.delete(order("o1"))
    assert db.run(order, "o1") is None
    assert partition(db, "PENDING") == []


def test_a_change_is_plain_python_on_an_order_in_memory() -> None:
    held = an_order()
    ship(held, tracking="T1")
    assert (held.status, held.tracking) == ("SHIPPED", "T1")
    with pytest.raises(ConditionalCheckError):
        ship(held, tracking="T2")


def test_the_model_knows_which_indexes_a_change_moves() -> None:
    assert {name: change.indexes for name, change in shop.plan.changes.items()} == {
        "ship": ("GSI2",),
        "deliver": ("GSI2",),
        "cancel": ("GSI2",),
        "leave": (),
        "capture": (),
        "refund": (),
    }


# ---------------------------------------------------------------------------------------------- the unique email


def test_two_customers_cannot_have_one_email(db: Session) -> None:
    db.create(ann("ann@example.com"))
    with pytest.raises(UniqueViolationError):
        db.create(Customer(username="bob", email=" Ann@Example.COM", name="Bob"))
    assert db.run(customer, "bob") is None
    with pytest.raises(AlreadyExistsError):
        db.create(ann("other@example.com"))
    assert unique_markers(db) == ["UNIQUE#Customer#email#ann@example.com"]


def test_a_changed_email_frees_the_old_one_and_takes_the_new_one(db: Session) -> None:
    db.create(ann("ann@example.com"))
    changed = db.update(customer("ann"), set={"email": "Ann@Example.org"})

    assert changed.email == "ann@example.org"
    assert db.run(customer_by_email, "ann@example.com") is None
    assert db.run(customer_by_email, "ann@example.org") == changed
    assert unique_markers(db) == ["UNIQUE#Customer#email#ann@example.org"]
    db.create(Customer(username="bob", email="ann@example.com", name="Bob"))


def test_an_email_cannot_be_changed_to_one_that_is_taken(db: Session) -> None:
    db.create(ann("ann@example.com"))
    db.create(Customer(username="bob", email="bob@example.com", name="Bob"))
    with pytest.raises(UniqueViolationError):
        db.update(customer("bob"), set={"email": "ANN@example.com"})
    found = db.run(customer_by_email, "bob@example.com")
    assert found is not None
    assert found.username == "bob"
    assert unique_markers(db) == ["UNIQUE#Customer#email#ann@example.com", "UNIQUE#Customer#email#bob@example.com"]


def test_two_customers_can_swap_their_emails_in_one_transaction(db: Session) -> None:
    db.create(ann("ann@example.com"))
    db.create(Customer(username="bob", email="bob@example.com", name="Bob"))
    with db.transaction() as tx:
        tx.update(customer("ann"), set={"email": "bob@example.com"})
        tx.update(customer("bob"), set={"email": "ann@example.com"})
    owners = [db.run(customer_by_email, email) for email in ("ann@example.com", "bob@example.com")]
    assert [owner.username for owner in owners if owner is not None] == ["bob", "ann"]


def test_a_deleted_customer_frees_the_email(db: Session) -> None:
    db.create(ann("ann@example.com"))
    db.delete(customer("ann"))
    assert unique_markers(db) == []
    db.create(Customer(username="bob", email="ann@example.com", name="Bob"))


def test_the_name_can_change_without_touching_the_email(db: Session) -> None:
    db.create(ann("ann@example.com"))
    with db.measure() as meter:
        db.update(customer("ann"), set={"name": "Ann Lee"})
    assert [sent.operation for sent in meter.requests] == ["UpdateItem"]
    assert unique_markers(db) == ["UNIQUE#Customer#email#ann@example.com"]
