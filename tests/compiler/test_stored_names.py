"""Attributes whose names need to be quoted wherever code or JSON is made of them."""

from __future__ import annotations

import pytest

from tablewright import GSI, Entity, Keys, Query, Table, key, query

ODD = ['a"b', "a\\b", "a\\'b", "a\nb", "a\x00b", "a\x7fb", "a'b", "a\u00a0b", "a{b}", "é"]


@pytest.mark.parametrize("name", ODD, ids=ascii)
def test_a_field_can_be_stored_under_any_name(name: str) -> None:
    table = Table("Shop", indexes=[GSI("GSI1")])

    class Order(Entity, table=table, stored={"state": name}, version=True):
        keys = Keys("ORDER#{number}", "ORDER", GSI1=("STATE#{state}", "{number}"))
        number: str
        state: str = "open"

    @table.pattern
    def orders_in(state: str) -> Query[Order]:
        return query(Order, Order.state == state)

    with table.open("memory:") as db:
        db.create(Order(number="1"))
        found = db.get(key(Order, number="1"))
        assert found is not None
        assert found.state == "open"
        db.update(key(Order, number="1"), set={"state": "paid"})
        assert [one.state for one in db.run(orders_in, "paid")] == ["paid"]
        item = db.send("GetItem", {"TableName": "Shop", "Key": {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}}})["Item"]
        assert item[name] == {"S": "paid"}
