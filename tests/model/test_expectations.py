"""What is expected of a model in use: noted where it makes sense, refused where it cannot be."""

from __future__ import annotations

from inspect import currentframe
from typing import Any

import pytest

from tablewright import GSI, Entity, Keys, Query, Table, query
from tablewright.errors import ModelError
from tablewright.model.expectations import ChangesExpected, ItemsExpected, ReadsExpected, ValuesExpected, Waiver

shop = Table("AppTable", indexes=[GSI("GSI1")])


class Order(Entity, table=shop):
    keys = Keys("USER#{username}", "ORDER#{order_id}", GSI1=("STATUS#{status}", "{order_id}"))
    username: str
    order_id: str
    status: str


@shop.pattern
def orders_of(username: str) -> Query[Order]:
    "Somebody's orders."
    return query(Order, Order.username == username)


@shop.change
def ship(order: Order) -> None:
    order.status = "SHIPPED"


@shop.change
def hold(order: Order) -> None:
    order.status = "HELD"


@pytest.fixture(autouse=True)
def forget() -> Any:
    yield
    shop.__dict__.pop("expectations", None)
    shop.waivers.clear()


def test_facts_are_kept_and_added_to() -> None:
    shop.expect(Order, items=1000, size=200, per={"username": 50})
    shop.expect(Order, writes=2.5, per={("status", "username"): 5})
    shop.expect(Order.status, distinct=3)
    shop.expect(Order.status, hottest=0.5)
    shop.expect(orders_of, rate=10, results=20, latency_ms=50, source="GET /orders", note="often")
    expected = shop.expectations
    assert expected.of(Order) == ItemsExpected(1000, 200, None, 2.5, {("username",): 50, ("status", "username"): 5})
    assert expected.of_field(Order, "status") == ValuesExpected(3, 0.5)
    assert expected.of_field(Order, "username") == ValuesExpected()
    assert expected.of_pattern("orders_of") == ReadsExpected(10, 20, 50, "GET /orders", "often")


def test_an_entity_is_written_at_least_as_often_as_it_is_changed() -> None:
    expected = shop.expectations
    shop.expect(ship, rate=3)
    shop.expect(hold, rate=1.5)
    assert (expected.of(Order).writes, expected.changed(Order), expected.created(Order)) == (4.5, 4.5, 0)
    shop.expect(Order, items=5)
    shop.expect(ship, rate=1)
    assert expected.of(Order).writes == 2.5
    shop.expect(Order, writes=10)
    assert (expected.of(Order).writes, expected.changed(Order), expected.created(Order)) == (10, 2.5, 7.5)
    assert expected.of_change(Order, "ship") == ChangesExpected(1)


def test_the_smallest_count_that_applies_is_the_bound() -> None:
    items = ItemsExpected(1000, per={("username",): 50, ("status", "username"): 5})
    assert items.at_most(frozenset()) == 1000
    assert items.at_most(frozenset({"username", "order_id"})) == 50
    assert items.at_most(frozenset({"username", "status"})) == 5
    assert ItemsExpected().at_most(frozenset({"username"})) is None


OTHER = Table("Other")


class Note(Entity, table=OTHER):
    keys = Keys("NOTE#{note_id}", "NOTE#{note_id}")
    note_id: str
    marked: bool = False


@OTHER.change
def mark(note: Note) -> None:
    note.marked = True


@pytest.mark.parametrize(
    ("what", "facts", "words"),
    [
        (Order, {"item": 5}, "Did you mean 'items'"),
        (Order, {"items": -1}, "items is a number from 0 on"),
        (Order, {"items": 1.5}, "items is a whole number"),
        (Order, {"size": True}, "size is a number"),
        (Order, {"size": 10, "max_size": 5}, "larger than the largest"),
        (Order, {"per": 5}, "per is a mapping"),
        (Order, {"per": {"user": 5}}, "per names 'user'"),
        (Order, {"per": {"username": 0.5}}, "no whole number for username"),
        (Order.status, {"hottest": 2}, "a share, from 0 to 1"),
        (Order.status, {"items": 2}, "'items' is nothing to expect of it"),
        (orders_of, {"source": 5}, "source is a text"),
        (orders_of, {"writes": 5}, "nothing to expect"),
        (Note, {"items": 5}, "not of this table"),
        (Note.note_id, {"distinct": 5}, "not of this table"),
        (ship, {"rate": -5}, "rate is a number from 0 on"),
        (ship, {"results": 5}, "nothing to expect"),
        (mark, {"rate": 5}, "not of this table"),
        ("orders_of", {"rate": 5}, "expect() was given str"),
    ],
)
def test_what_cannot_be_is_refused(what: Any, facts: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError) as caught:
        shop.expect(what, **facts)
    assert words in caught.value.message
    said = shop.expectations
    assert not any((said.entities, said.fields, said.patterns, said.changes))


def test_findings_are_waived_with_a_reason() -> None:
    shop.waive("TW101", Order, reason="  few of them ")
    line = currentframe().f_lineno - 1  # type: ignore[union-attr]
    assert shop.waivers == [Waiver("TW101", Order, "few of them", (__file__, line))]
    with pytest.raises(ModelError, match="a reason"):
        shop.waive("TW101", reason=" ")
