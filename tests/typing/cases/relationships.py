"""Relationships: links whose ends exist, mirrors, and copies that follow their originals."""

from typing import assert_type

from tablewright import AsyncSession, Entity, Query, Refreshed, Relationship, Session, key

from .model import Customer, Order, orders_of

Relationship(Order, Customer, "1:N", "shallow duplication", copies={"customer_name": "name"}, found_by=orders_of)
Relationship(Customer, Order, "M:N", "adjacency list", via=Order, mirror=Order, source_fields=("username",))
Relationship(Customer, Order, "M:N", "adjacency list", via=Order, target_fields={"order": "order_id"})
Relationship(Order, Customer, "N:1", "shallow duplication")  # E - no such cardinality
Relationship(Order, Customer, "1:N", "copied")  # E - no such strategy
Relationship(Order, Customer, "1:N", "shallow duplication", copies=["name"])  # E
Relationship(Order, Customer, "1:N", "shallow duplication", found_by="orders_of")  # E
Relationship(Order, Customer, "M:N", "adjacency list", via=Order, mirror="Order")  # E
Relationship(Order, Customer, "M:N", "adjacency list", via=Order, source_fields="username")  # E


def work(db: Session, order: Order) -> None:
    assert_type(db.link(order), Order)
    assert_type(db.stale_copies(key(Customer, username="ada")), list[Entity])
    assert_type(db.refresh_copies(order), Refreshed)
    assert_type(db.refresh_copies(order).updated, int)
    db.link(key(Order, order_id="o1"))  # E - a new link, not a key
    db.link(Order)  # E
    db.stale_copies(Customer)  # E
    db.refresh_copies("ada")  # E
    with db.transaction() as tx:
        tx.link(order)
        tx.link(Order)  # E


async def work_async(db: AsyncSession, order: Order) -> None:
    assert_type(await db.link(order), Order)
    assert_type(await db.refresh_copies(order), Refreshed)
    db.refresh_copies(order).updated  # E - not awaited


def shown(read: Query[Order]) -> None:
    Relationship(Order, Customer, "1:N", "shallow duplication", found_by=read)  # E - a pattern, not a read
