"""Descriptions of reads: small immutable values that hold no client."""

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec.structs import replace
from pydantic import BaseModel

from tablewright import Entity, Keys, Table, collect, get, many, one, query
from tablewright.errors import ArgumentError, PatternError
from tablewright.model.operations import _ELSEWHERE, Query
from tablewright.model.symbols import Symbol

table = Table("Operations")


class Order(Entity, table=table):
    keys = Keys("C#{customer}", "O#{order_id}")
    customer: str
    order_id: str
    total: int = 0


class Loose(Entity):
    id: str


class Summary(BaseModel):
    order_id: str
    total: int


@dataclass
class Page:
    first: Order | None
    orders: list[Order]


def test_each_step_makes_a_new_description() -> None:
    base = query(Order, Order.customer == "c")
    assert base.newest_first().descending is True
    assert base.newest_first().oldest_first().descending is False
    assert base.per_page(5).page_limit == 5
    assert base.via("GSI1").index == "GSI1"
    assert base.consistent().strong is True
    assert len(base.filter(Order.total > 1, Order.total < 5).filters) == 2
    assert len(base.when("x", lambda x: Order.order_id == x).conditions) == 2
    assert base.when(None, lambda x: Order.order_id == x) is base
    assert base.when(None, lambda x: Order.order_id == x, after=None) is base
    assert len(base.when("x", lambda x: Order.order_id == x, after="y").conditions) == 2
    with pytest.raises(ArgumentError, match="without the one that it comes after"):
        base.when("x", lambda x: Order.order_id == x, after=None)
    assert base.only(Summary).result is Summary
    assert base.result is Order
    assert (base.descending, base.page_limit, base.index, base.strong, base.filters) == (False, None, None, False, ())


def test_gets_can_be_views_and_consistent() -> None:
    described = get(Order, Order.customer == "c").only(Summary).consistent()
    assert described.result is Summary
    assert described.strong is True


def test_collections_keep_their_parts_in_order() -> None:
    read = collect(Page, first=one(query(Order)), orders=many(query(Order))).consistent()
    assert [(p.name, p.many) for p in read.parts] == [("first", False), ("orders", True)]
    assert read.strong is True


def untyped(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: query(untyped(int)), r"query\(\) takes an entity class with a table first"),
        (lambda: get(Loose), r"get\(\) takes an entity class with a table first"),
        (lambda: query(Order).per_page(0), r"per_page\(\) takes a positive number"),
        (lambda: query(Order).per_page(untyped(True)), r"per_page\(\) takes a positive number"),
        (lambda: query(Order).per_page(untyped(Symbol("n", int))), r"per_page.*not known yet.*\.page\(size\)"),
        (lambda: query(Order).only(untyped(int)), r"only\(\) takes a Pydantic model class"),
        (lambda: query(Order).only(untyped(Symbol("n", int))), r"only\(\) takes a Pydantic model class"),
        (lambda: untyped(collect)(Page, None, orders=many(query(Order))), r"collect\(\) takes its parts by name"),
        (lambda: untyped(collect)(Page), r"collect\(\) needs at least one part"),
        (lambda: untyped(collect)(Page, first=query(Order)), r"collect\(first=...\) is not one\(query\(...\)\)"),
        (lambda: untyped(collect)(Page, first=one(untyped(get(Order)))), r"collect\(first=...\) is not one"),
        (lambda: untyped(collect)(Page, frist=one(query(Order))), r"collect\(\) cannot call Page with these parts"),
    ],
)
def test_wrong_descriptions_name_the_line(attempt: Any, message: str) -> None:
    with pytest.raises(PatternError, match=rf"test_operations.py:\d+: {message}"):
        attempt()


def test_what_other_libraries_call_otherwise_is_named() -> None:
    read: Any = query(Order)
    with pytest.raises(
        AttributeError, match=r"no attribute 'where'\. It is called \.filter\(\) here: Drops items after"
    ):
        read.where(Order.total > 1)
    with pytest.raises(AttributeError, match=r"It is called \.sorted_by\(\) here"):
        read.order_by(Order.total)
    one: Any = get(Order, Order.order_id == "o")
    with pytest.raises(AttributeError, match=r"^'Get' object has no attribute 'where'$"):  # there is nothing to drop
        one.where(Order.total > 1)
    assert all(hasattr(Query, meant) for meant in _ELSEWHERE.values())


@pytest.mark.parametrize("read", [get(Order, Order.order_id == "o"), query(Order)], ids=["get", "query"])
def test_a_field_of_a_read_that_was_not_made_is_told_kindly(read: Any) -> None:
    with pytest.raises(
        AttributeError, match=r"'total' is a field of Order, and this is a read .* db\.run\(pattern, \.\.\.\)"
    ):
        _ = read.total
    with pytest.raises(AttributeError, match=r"^'(Get|Query)' object has no attribute 'nothing'$"):
        _ = read.nothing
    assert not hasattr(read, "total")
    assert not hasattr(read, "__nothing__")
    for made in (copy.copy(read), copy.deepcopy(read), replace(read, index="GSI1")):
        assert (type(made), made.entity, len(made.conditions)) == (type(read), Order, len(read.conditions))
    again = pickle.loads(pickle.dumps(get(Order)))
    assert (again.entity, again.conditions) == (Order, ())


def test_conditions_must_name_the_class() -> None:
    order = Order(customer="c", order_id="o")
    with pytest.raises(ArgumentError, match=r"query\(\) was given bool, not a condition"):
        query(Order, order.customer == "c")
