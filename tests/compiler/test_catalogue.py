"""The list of a table's patterns, and patterns by name."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tablewright import GSI, Collection, Entity, Get, Keys, Query, Table, collect, get, many, one, query
from tablewright.errors import ArgumentError

shop = Table("Catalogued", indexes=[GSI("GSI1")])


class Customer(Entity, table=shop):
    keys = Keys("CUSTOMER#{name}", "CUSTOMER")
    name: str


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{name}", "ORDER#{number:6}", GSI1=("STATUS#{status}", "{number:6}"))
    name: str
    number: int
    status: str = "new"


@dataclass
class Summary:
    """What a pattern makes of its items."""

    customer: str
    orders: int


def summed_up(customer: Customer | None, orders: list[Order]) -> Summary:
    return Summary(customer.name if customer else "nobody", len(orders))


@shop.pattern
def order(name: str, number: int) -> Get[Order]:
    "One order."
    return get(Order, Order.name == name, Order.number == number)


@shop.pattern
def in_status(status: str, since: int | None = None, old: str | None = None) -> Query[Order]:
    "Orders in a status."
    found = query(Order, Order.status == status).when(since, lambda n: Order.number >= n)
    return found if old is None else found.filter(Order.name != old)


@shop.pattern
def summary(name: str) -> Collection[Summary]:
    "A transform: its result is what the caller gets."
    return collect(
        summed_up, customer=one(query(Customer, Customer.name == name)), orders=many(query(Order, Order.name == name))
    )


def test_every_pattern_is_listed_with_entity_index_key_and_parameters() -> None:
    listed = {entry.name: entry for entry in shop.catalogue()}
    assert list(listed) == ["order", "in_status", "summary"]
    assert listed["order"].parameters == {"name": "str", "number": "int"}
    assert listed["order"].entities == ("Order",)
    assert str(listed["order"]) == (
        "order(name: str, number: int) -> Order\n"
        "  One order.\n"
        "  GetItem table: PK = CUSTOMER#{name} AND SK = ORDER#{number} (one item or none)"
    )
    assert [(r.operation, r.index) for r in listed["in_status"].requests] == [("Query", "GSI1")] * 4
    assert [r.note for r in listed["in_status"].requests].count("then a filter, which saves no read units") == 2
    assert listed["in_status"].parameters["since"] == "int | None"
    assert listed["summary"].entities == ("Customer", "Order")


def test_a_pattern_is_run_by_its_name_and_a_wrong_one_is_told_what_there_is() -> None:
    with shop.open("memory:") as db:
        db.create(Customer(name="ada"))
        db.create(Order(name="ada", number=1))
        assert db.run(shop.find_pattern("order"), name="ada", number=1) == Order(name="ada", number=1)
        assert db.run(shop.find_pattern("summary"), "ada") == db.run(summary, "ada") == Summary("ada", 1)
        with pytest.raises(ArgumentError, match="Its patterns are: in_status, order, summary"):
            shop.find_pattern("orders")
        with pytest.raises(ArgumentError, match=r"Its parameters are \(name: str, number: int\)"):
            db.run(shop.find_pattern("order"), name="ada")
        with pytest.raises(ArgumentError, match=r"Its parameters are \(name: str, number: int\)"):
            db.run(shop.find_pattern("order"), name="ada", number=1, colour="red")
        with pytest.raises(ArgumentError):
            shop.find_pattern(None)  # type: ignore[arg-type]
