"""large-projection: whole large items, read by habit; and what a projection does not save."""

from typing import Any

import pytest

from tablewright import Entity, Keys, Query, Table, query
from tablewright.observe.snapshot import FieldUse, Traffic
from tests.observe.observations import observed, told

KB = 1024

shop = Table("Shop")


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
    username: str
    order_id: str


@shop.pattern
def orders_of(username: str) -> Query[Order]:
    return query(Order, Order.username == username)


def reads(**more: Any) -> Traffic:
    figures: dict[str, Any] = {
        "operation": "Query",
        "pattern": "orders_of",
        "requests": 200,
        "projected": 10,
        "sized": 400,
        "size": 400 * 24 * KB,
        "largest": 50 * KB,
        "read_units": 1_200.0,
    }
    return Traffic(**(figures | more))


def test_whole_items_of_24_kb_are_told_without_promising_read_units() -> None:
    (found,) = told("large-projection", observed(reads(), table=shop))
    assert found.severity == "info"
    assert found.message == "orders_of() reads whole items of 24 KB on average."
    assert found.details == (
        "190 of 200 requests asked for whole items; the 400 that were measured have 24 KB on average and 50 KB at most. Each takes "
        "some 3 read units, and as many with a projection expression."
    )
    assert ".only(View) saves transfer, though no read units." in found.action
    assert "split the item into a small and a large one" in found.action
    assert found.saves is None
    assert found.code is not None
    assert "query(Order, ...).only(OrderSummary)" in found.code


def test_through_an_index_fewer_attributes_in_it_save_units() -> None:
    (found,) = told("large-projection", observed(reads(index="GSI1")))
    assert "let GSI1 hold fewer attributes" in found.action
    assert found.code == "table.query(..., projection=[...])"


def test_fields_that_were_watched_are_named() -> None:
    watched = {"orders_of": FieldUse(fetched=100, used={"order_id": 100, "username": 3})}
    (found,) = told("large-projection", observed(reads(), table=shop, fields=watched))
    assert "Of 100 entities that were watched, only order_id and username were looked at." in found.details
    assert found.code is not None
    assert "    order_id: ...\n    username: ...\n" in found.code


@pytest.mark.parametrize(
    "traffic",
    [
        reads(size=400 * 10 * KB),
        reads(projected=21),
        reads(operation="PutItem"),
        reads(requests=99),
        reads(sized=9, size=9 * 24 * KB),
        reads(scanned=2_000),  # 1,200 units for 2,000 items: those that were measured are exceptions
        reads(sized=0, size=0),
    ],
    ids=["small", "often projected", "write", "few requests", "few items", "others are small", "nothing measured"],
)
def test_nothing_is_said_of_small_items_of_views_or_of_little(traffic: Traffic) -> None:
    assert told("large-projection", observed(traffic, table=shop)) == []
