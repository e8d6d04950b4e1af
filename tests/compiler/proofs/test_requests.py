"""What is proved of patterns that are served: the exact request, its order, and what it takes at worst."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from tablewright import (
    GSI,
    LSI,
    Bucket,
    Collection,
    Entity,
    Get,
    Keys,
    Query,
    Shard,
    Table,
    between,
    collect,
    get,
    is_in,
    many,
    number,
    one,
    query,
    starts_with,
)
from tablewright.compiler.proofs import RequestProof, TableProof, prove
from tablewright.compiler.proofs.showing import shown
from tablewright.compiler.reads import QueryPlan

shop = Table(
    "Proved",
    indexes=[GSI("GSI1"), GSI("Month"), GSI("Spread"), LSI("ByTotal", projection="KEYS_ONLY"), GSI("Idle")],
)
Status = Literal["NEW", "PAID"]


class Customer(Entity, table=shop):
    keys = Keys("CUSTOMER#{name}", "CUSTOMER", GSI1=("MAIL#{mail}", "MAIL"), unique=["mail"])
    name: str
    mail: str


class Order(Entity, table=shop):
    keys = Keys(
        "CUSTOMER#{name}",
        "ORDER#{placed_at}#{order_id}",
        GSI1=("STATUS#{status}", "{placed_at}#{order_id}"),
        Month=("MONTH#{month}", "{placed_at}#{order_id}"),
        Spread=("ORDERS#{shard}", "{placed_at}#{order_id}"),
        ByTotal="{total:6}#{order_id}",
        derive={"month": Bucket("placed_at", "month"), "shard": Shard("order_id", of=4)},
    )
    name: str
    order_id: str
    placed_at: datetime
    status: Status = "NEW"
    total: int


class Note(Entity, table=shop):
    keys = Keys("CUSTOMER#{name}", "NOTE#{note_id}")
    name: str
    note_id: str


class Short(BaseModel):
    """A view of an order."""

    order_id: str


@dataclass
class Page:
    """A customer with orders."""

    customer: Customer | None
    orders: list[Order]


@shop.pattern
def customer(name: str) -> Get[Customer]:
    "One customer."
    return get(Customer, Customer.name == name).consistent()


@shop.pattern
def by_mail(mail: str) -> Get[Customer]:
    return get(Customer, Customer.mail == mail)


@shop.pattern
def orders_of(name: str, since: datetime | None = None) -> Query[Order]:
    return query(Order, Order.name == name).when(since, lambda t: Order.placed_at >= t).newest_first()


@shop.pattern
def large_orders(name: str, least: int, status: Status) -> Query[Order]:
    return query(Order, Order.name == name).filter(Order.total >= least, Order.status == status)


@shop.pattern
def with_status(statuses: list[Status]) -> Query[Order]:
    return query(Order, is_in(Order.status, statuses))


@shop.pattern
def in_months(first: datetime, last: datetime) -> Query[Order]:
    return query(Order, between(Order.placed_at, first, last)).via("Month")


@shop.pattern
def all_orders() -> Query[Order]:
    return query(Order)


@shop.pattern
def costing(name: str, total: int) -> Query[Order]:
    return query(Order, Order.name == name, Order.total == total)


@shop.pattern
def ids_of(name: str) -> Query[Short]:
    return query(Order, Order.name == name).only(Short)


@shop.pattern
def page(name: str) -> Collection[Page]:
    return collect(
        Page, customer=one(query(Customer, Customer.name == name)), orders=many(query(Order, Order.name == name))
    )


shop.expect(Customer, size=300)
shop.expect(Order, items=1_000, size=1_000, max_size=4_000, per={"name": 50})
shop.expect(Note, size=100)


@pytest.fixture(scope="module")
def proof() -> TableProof:
    return prove(shop)


def only(proof: TableProof, name: str) -> RequestProof:
    (request,) = proof.of(name).requests
    return request


def test_everything_holds(proof: TableProof) -> None:
    assert proof.holds
    assert (proof.unserved, proof.problems, proof.unproved) == ((), (), ())
    assert [p.name for p in proof.patterns] == list(shop.patterns)
    assert proof.unused_indexes == ("Idle",)


def test_a_pattern_says_what_it_is(proof: TableProof) -> None:
    found = proof.of("customer")
    assert (found.doc, found.parameters, found.entities) == ("One customer.", {"name": "str"}, ("Customer",))
    with pytest.raises(KeyError):
        proof.of("nothing")


def test_a_get_by_the_whole_key(proof: TableProof) -> None:
    found = only(proof, "customer")
    assert found.request == {
        "TableName": "Proved",
        "Key": {"PK": {"S": "CUSTOMER#{name}"}, "SK": {"S": "CUSTOMER"}},
        "ConsistentRead": True,
    }
    assert (found.operation, found.index, found.unique, found.single) == ("GetItem", None, True, True)
    assert (found.items_at_worst, found.read_units_at_worst) == (1, 1.0)


def test_a_unique_field_brings_one_item(proof: TableProof) -> None:
    found = only(proof, "by_mail")
    assert (found.operation, found.index, found.unique) == ("Query", "GSI1", True)
    assert (found.items_at_worst, found.read_units_at_worst) == (1, 0.5)


def test_each_variant_is_a_request(proof: TableProof) -> None:
    given, without = proof.of("orders_of").requests
    assert (given.when, without.when) == ("since is given", "since is None")
    assert given.key_condition == "PK = CUSTOMER#{name} AND SK BETWEEN ORDER#{since} AND ORDER$"
    assert given.request == {
        "TableName": "Proved",
        "KeyConditionExpression": "#0 = :0 AND #1 BETWEEN :1 AND :2",
        "ExpressionAttributeNames": {"#0": "PK", "#1": "SK"},
        "ExpressionAttributeValues": {
            ":0": {"S": "CUSTOMER#{name}"},
            ":1": {"S": "ORDER#{since}"},
            ":2": {"S": "ORDER$"},
        },
        "ScanIndexForward": False,
    }
    assert (given.order, given.descending) == (("placed_at", "order_id"), True)
    # 50 orders of at most 4,000 bytes are 49 blocks of 4 KB.
    assert (given.items_at_worst, given.read_units_at_worst) == (50, 24.5)


def test_a_filter_is_paid_for(proof: TableProof) -> None:
    found = only(proof, "large_orders")
    assert found.filtered_by == ("total", "status")
    assert found.items_at_worst == 50
    assert found.request["FilterExpression"] == "#2 >= :3 AND #3 = :4"
    values = found.request["ExpressionAttributeValues"]
    assert (values[":3"], values[":4"]) == ({"N": "{least}"}, {"S": "{status}"})


def test_lists_buckets_and_shards_ask_several_partitions(proof: TableProof) -> None:
    listed, months, spread = (only(proof, n) for n in ("with_status", "in_months", "all_orders"))
    assert [r.single for r in (listed, months, spread)] == [False, False, False]
    assert [r.partitions for r in (listed, months, spread)] == [None, None, 4]
    assert listed.fan_out == ("each value of status",)
    assert months.fan_out == ("each month of placed_at",)
    assert spread.fan_out == ("each of 4 values of {shard}",)
    assert [r.items_at_worst for r in (listed, months, spread)] == [1_000, 1_000, 1_000]
    assert (listed.read_units_at_worst, months.read_units_at_worst) == (None, None)
    # 977 blocks, and three pages and three partitions more, each of which begins a block of its own.
    assert spread.read_units_at_worst == (977 + 3 + 3) / 2
    assert spread.request["ExpressionAttributeValues"] == {":0": {"S": "ORDERS#{shard}"}}


def test_items_that_a_local_index_does_not_hold_are_fetched_one_by_one(proof: TableProof) -> None:
    found = only(proof, "costing")
    assert (found.index, found.request["Select"]) == ("ByTotal", "ALL_ATTRIBUTES")
    assert found.read_units_at_worst == 24.5 + 50 * 0.5


def test_a_view_is_projected(proof: TableProof) -> None:
    found = only(proof, "ids_of").request
    assert "ProjectionExpression" in found
    names = set(found["ExpressionAttributeNames"].values())
    assert "order_id" in names
    assert names.isdisjoint({"total", "status"})


def test_a_collection_may_read_others(proof: TableProof) -> None:
    found = only(proof, "page")
    assert found.entities == ("Customer", "Order")
    assert found.over_reads == ("Note",)
    assert found.key_condition == "PK = CUSTOMER#{name} AND SK BETWEEN CUSTOMER AND ORDER$"
    assert found.items_at_worst is None  # nothing was said of the notes of a customer
    assert (found.order, found.unique) == ((), False)


def test_the_requests_are_those_that_are_sent() -> None:
    sent: list[dict[str, Any]] = []
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    texts = {"name": "ann", "since": "2026-01-02T00:00:00.000000Z", "least": "3", "status": "NEW"}
    for pattern, arguments in (
        (orders_of, {"name": "ann", "since": moment}),
        (large_orders, {"name": "ann", "least": 3, "status": "NEW"}),
    ):
        plan = next(iter(shop.plan.patterns[pattern.name].values()))
        sent = [q.request() for q in plan.queries(arguments, "Proved")]  # type: ignore[union-attr]
        outline = prove(shop).of(pattern.name).requests[0].request
        assert sent == [_filled(outline, texts)]


def _filled(value: Any, texts: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _filled(inner, texts) for name, inner in value.items()}
    if isinstance(value, str) and "{" in value:
        for name, text in texts.items():
            value = value.replace(f"{{{name}}}", text)
    return value


def test_the_empty_beginning_of_a_native_key_is_no_condition() -> None:
    table = Table("Beginnings", indexes=[GSI("ByName", pk=["shelf"], sk=["title", number("year")])])

    class Book(Entity, table=table):
        """A book."""

        keys = Keys("BOOK#{book_id}", "BOOK#{book_id}", indexes={"ByName": (("{shelf}",), ("{title}", "{year}"))})
        book_id: str
        shelf: str
        title: str
        year: int

    @table.pattern
    def books() -> Query[Book]:
        """Of one shelf."""
        return query(Book, Book.shelf == "a", starts_with(Book.title, ""))

    (request,) = prove(table).of("books").requests
    (plan,) = table.plan.patterns["books"].values()
    assert isinstance(plan, QueryPlan)
    assert [q.request() for q in plan.queries({}, "Beginnings")] == [request.request]


def test_a_get_that_may_find_two_says_so() -> None:
    table = Table("People", indexes=[GSI("GSI1"), GSI("GSI2"), GSI("GSI3")])

    class Person(Entity, table=table):
        keys = Keys(
            "PERSON#{person}",
            "PERSON",
            GSI1=("MAIL#{mail}", "PERSON"),
            GSI2=("NICK#{nick}", "PERSON"),
            GSI3=("CITY#{city}", "NAME#{name}"),
            unique=["nick"],
        )
        person: str
        mail: str
        nick: str
        city: str
        name: str

    @table.pattern
    def by_mail(mail: str) -> Get[Person]:
        return get(Person, Person.mail == mail)

    @table.pattern
    def by_nick(nick: str) -> Get[Person]:
        return get(Person, Person.nick == nick)

    @table.pattern
    def by_name(city: str, name: str) -> Get[Person]:
        return get(Person, Person.city == city, Person.name == name)

    @table.pattern
    def named(city: str, name: str) -> Query[Person]:
        return query(Person, Person.city == city, Person.name == name)

    proof = table.prove()
    assert {p.name: p.requests[0].may_repeat for p in proof.patterns} == {
        "by_mail": ("mail",),
        "by_nick": (),
        "by_name": ("city", "name"),
        "named": (),
    }
    assert proof.holds
    assert [line.text.strip() for line in shown(proof) if "not unique" in line.text] == [
        "not unique: a second item may have the same mail, and the get would fail; "
        'unique=["mail"] in its Keys keeps that out',
        "not unique: a second item may have the same city, name, and the get would fail; "
        'unique=[Unique("city", "name")] in its Keys keeps that out',
    ]
