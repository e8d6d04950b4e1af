"""Index keys that are made of defaults: they are stored with the keys, where an index needs them or they differ each time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from pydantic import Field

from tablewright import GSI, Entity, Keys, Query, Session, Table, query
from tablewright.engine import open_engine
from tablewright.evolve.migrations import AddIndex, FillKeys, MoveEntity
from tablewright.evolve.migrations.migrator import Migrator
from tests.evolve.migrations.tables import file, skipped, written

was = Table("Shop", indexes=[GSI("GSI1")])
shop = Table("Shop", indexes=[GSI("GSI1"), GSI("ByState", pk="state", sk="number")])
moved = Table("Shop", indexes=[GSI("GSI1")])


class Before(Entity, table=was, type="Order"):
    keys = Keys("ORDER#{number}", "ORDER")
    number: str


class Order(Entity, table=shop):
    keys = Keys("ORDER#{number}", "ORDER", GSI1=("ORDERS", "{token}"), ByState=("{state}", "{number}"))
    number: str
    token: str = Field(default_factory=lambda: uuid4().hex)
    state: str = "open"
    remark: str = ""


class Sale(Entity, table=moved, type="Order"):
    keys = Keys("SALE#{number}", "SALE", GSI1=("ORDERS", "{token}"))
    number: str
    token: str = Field(default_factory=lambda: uuid4().hex)


@shop.pattern
def by_token() -> Query[Order]:
    return query(Order).via("GSI1")


@shop.pattern
def in_state(state: str) -> Query[Order]:
    return query(Order, Order.state == state)


@contextmanager
def orders(model: Table) -> Iterator[Session]:
    with open_engine("memory:") as engine, was.open(engine) as db:
        for number in range(3):
            db.create(Before(number=f"{number}"))
        with model.open(engine, create=False) as session:
            yield session


def test_defaults_that_keys_are_made_of_are_stored_once() -> None:
    steps = [AddIndex("ByState", pk=("state (S)",), sk=("number (S)",)), FillKeys("Order", "GSI1")]
    made = file(*steps, FillKeys("Order", "ByState"))
    with orders(shop) as db:
        told = Migrator(db, shop, [made]).run(write=True)
        assert (skipped(told), written(told)) == ({}, 7)
        tokens = [order.token for order in db.run(by_token)]
        assert written(Migrator(db, shop, [made]).run(write=True)) == 0
        assert tokens == [order.token for order in db.run(by_token)] == sorted(tokens)
        assert [order.number for order in db.run(in_state, "open")] == ["0", "1", "2"]
        assert Migrator(db, shop, [made]).cutover() is not None
        items = db.send("Scan", {"TableName": "Shop", "FilterExpression": "attribute_exists(GSI1PK)"})["Items"]
        assert ["remark" in item for item in items] == [False] * 3


def test_an_item_that_is_moved_takes_its_default_along() -> None:
    made = file(MoveEntity("Sale", was=("ORDER#{number}", "ORDER"), copies=False), FillKeys("Sale", "GSI1"))
    with orders(moved) as db:
        assert skipped(Migrator(db, moved, [made]).run(write=True)) == {}
        assert written(Migrator(db, moved, [made]).run(write=True)) == 0
