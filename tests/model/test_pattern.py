"""Patterns are read once, at definition, with symbols; calling one only fills in the arguments."""

from datetime import datetime
from typing import Any

import pytest
from pydantic import BaseModel

from tablewright import Collection, Entity, Get, Keys, Query, Table, get, query
from tablewright.errors import ArgumentError, ModelError, PatternError
from tablewright.model.conditions import Compare
from tablewright.model.pattern import Pattern


class View(BaseModel):
    order_id: str


@pytest.fixture
def table() -> Table:
    return Table("Patterns")


@pytest.fixture
def order(table: Table) -> Any:
    class Order(Entity, table=table):
        keys = Keys("C#{customer}", "O#{placed_at}#{order_id}")
        customer: str
        placed_at: datetime
        order_id: str
        open: bool = True

    return Order


def test_the_body_is_read_in_every_variant_and_never_again(table: Table, order: Any) -> None:
    calls = []

    @table.pattern
    def orders(customer: str, since: datetime | None = None, newest: bool = True) -> Query[Any]:
        """A customer's orders."""
        calls.append((since is None, newest))
        found = query(order, order.customer == customer).when(since, lambda t: order.placed_at >= t)
        return found.newest_first() if newest else found

    assert sorted(set(calls)) == [(False, False), (False, True), (True, False), (True, True)]
    assert (orders.name, orders.doc, orders.__doc__) == ("orders", "A customer's orders.", "A customer's orders.")
    assert repr(orders) == "<pattern orders(customer, since, newest)>"
    read = len(calls)
    described = orders("alice", newest=False)
    assert len(calls) == read
    assert (described.descending, described.arguments) == (False, {"customer": "alice", "since": None, "newest": False})
    assert described.pattern is orders
    assert described.compiled is table.plan.patterns["orders"][("given", None, False)]
    condition = described.conditions[0]
    assert isinstance(condition, Compare)
    assert condition.field == "customer"


def test_calls_are_checked(table: Table, order: Any) -> None:
    @table.pattern
    def orders(customer: str) -> Query[Any]:
        return query(order, order.customer == customer)

    with pytest.raises(ArgumentError, match=r"orders\(\) got an unexpected keyword argument 'costumer'"):
        orders(costumer="alice")  # type: ignore[call-arg]


@pytest.fixture
def sites(table: Table) -> Pattern[..., Query[Any]]:
    class Site(Entity, table=table):
        keys = Keys("S#{owner}", "{country}#{state}#{city}#{site_id}")
        owner: str
        country: str
        state: str
        city: str
        site_id: str

    @table.pattern
    def sites(owner: str, country: str | None = None, state: str | None = None, city: str | None = None) -> Query[Site]:
        found = query(Site, Site.owner == owner).when(country, lambda c: Site.country == c)
        found = found.when(state, lambda s: Site.state == s, after=country)
        return found.when(city, lambda c: Site.city == c, after=state)

    return sites


def test_levels_are_given_from_the_top(sites: Pattern[..., Query[Any]]) -> None:
    assert [key[1:] for key in sites.variants] == [
        ("given", "given", "given"),
        ("given", "given", None),
        ("given", None, None),
        (None, None, None),
    ]
    assert len(sites("o", "DE", "BE").conditions) == 3
    for given, missing in (
        ({"state": "BE"}, "country, city"),
        ({"country": "DE", "city": "Berlin"}, "state"),
        ({"city": "Berlin"}, "country, state"),
    ):
        with pytest.raises(ArgumentError, match=rf"sites\(\): .* without .* Missing are: {missing}\."):
            sites("o", **given)


def test_levels_find_what_lies_below_them(table: Table, sites: Pattern[..., Query[Any]]) -> None:
    (site,) = table.entities.values()
    places = [("DE", "BE", "Berlin"), ("DE", "BY", "Bonn"), ("DE", "B", "Bonn"), ("D", "BE", "Berlin")]
    with table.open("memory:") as db:
        for place in places:
            named = dict(zip(("country", "state", "city"), place, strict=True))
            db.create(site.model_validate({"owner": "o", "site_id": "1", **named}))
        for count in range(4):
            found = [(s.country, s.state, s.city) for s in db.run(sites, "o", *places[0][:count])]
            assert found == sorted(place for place in places if place[:count] == places[0][:count])
        with pytest.raises(ArgumentError, match="Missing are: country"):
            db.run(sites, "o", city="Berlin", state="BE")


def test_bodies_that_are_no_descriptions(table: Table, order: Any) -> None:
    def branching(customer: str) -> Query[Any]:
        return query(order) if customer else query(order, order.customer == customer)

    def nothing(customer: str) -> Query[Any]:
        return None  # type: ignore[return-value]

    def unused(customer: str, order_id: str) -> Query[Any]:
        return query(order, order.customer == customer)

    def wrong(customer: int) -> Query[Any]:
        return query(order, order.customer == customer)

    for function, message in (
        (branching, r"test_pattern.py:\d+: the parameter 'customer' is used as a condition"),
        (nothing, r"The pattern nothing\(\) returned NoneType"),
        (unused, r"The pattern unused\(\) never uses its parameter 'order_id'"),
        (wrong, r"test_pattern.py:\d+: Order.customer is str, but the parameter 'customer' is int"),
    ):
        with pytest.raises(PatternError, match=message):
            table.pattern(function)  # type: ignore[arg-type]
    assert table.patterns == {}
    assert table.plan.patterns == {}


def test_the_promised_result_must_be_what_is_returned(table: Table, order: Any) -> None:
    def as_get(customer: str) -> Get[Any]:
        return query(order, order.customer == customer)  # type: ignore[return-value]

    def as_entity(customer: str) -> Query[order]:  # type: ignore[valid-type]
        return query(order, order.customer == customer).only(View)

    def as_collection(customer: str) -> Collection[Any]:
        return get(order, order.customer == customer)  # type: ignore[return-value]

    for function, shown in (
        (as_get, r"Query\[Order\]"),
        (as_entity, r"Query\[View\]"),
        (as_collection, r"Get\[Order\]"),
    ):
        with pytest.raises(PatternError, match=rf"promises another result than the {shown} it returns"):
            Pattern(function)


def test_one_name_one_pattern(table: Table, order: Any) -> None:
    def orders(customer: str) -> Query[Any]:
        return query(order, order.customer == customer)

    table.pattern(orders)
    with pytest.raises(ModelError, match=r"already has a pattern orders\(\)"):
        table.pattern(orders)
    assert list(table.patterns) == ["orders"]
