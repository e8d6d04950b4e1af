"""The same shop as it will be: orders elsewhere, with a date instead of a day, people with two names, and both in a second index."""

from __future__ import annotations

from typing import Any

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])


class Order(Entity, table=shop, version=True):
    """Lies under SALE#. Its day stays in the model until it is retired."""

    keys = Keys(
        "SALE#{number}", "SALE", GSI1=("BUYER#{buyer}", "ORDER#{number}"), GSI2=("STATE#{state}", "ORDER#{number}")
    )
    number: str
    buyer: str
    state: str
    day: str | None = None
    date: str | None = None
    note: str


class Person(Entity, table=shop, version=True, schema_version=2):
    """Has two names."""

    keys = Keys("PERSON#{id}", "PERSON", GSI1=("TOWN#{town}", "PERSON#{id}"), GSI2=("LAST#{last}", "PERSON#{id}"))
    id: str
    first: str
    last: str
    town: str


class Tally(Entity, table=shop, timestamps=False, schema_version=2):
    """Counts what code of both models adds."""

    keys = Keys("TALLY#{id}", "TALLY")
    id: str
    count: int = 0


@shop.upcast(Person, 1)
def split_name(item: dict[str, Any]) -> dict[str, Any]:
    """Two names."""
    first, _, last = item.pop("name").partition(" ")
    return {"first": first, "last": last, **item}


@shop.downcast(Person, 2)
def join_names(item: dict[str, Any]) -> dict[str, Any]:
    """One name."""
    return {"name": f"{item.pop('first')} {item.pop('last')}", **item}


@shop.upcast(Tally, 1)
def n_to_count(item: dict[str, Any]) -> dict[str, Any]:
    """Another word."""
    return {"count": item.pop("n"), **item}


@shop.downcast(Tally, 2)
def count_to_n(item: dict[str, Any]) -> dict[str, Any]:
    """The old word."""
    return {"n": item.pop("count"), **item}


@shop.pattern
def order(number: str) -> Get[Order]:
    """By its key."""
    return get(Order, Order.number == number)


@shop.pattern
def orders_of(buyer: str) -> Query[Order]:
    """By an index that stays."""
    return query(Order, Order.buyer == buyer)


@shop.pattern
def orders_in(state: str) -> Query[Order]:
    """By the new index."""
    return query(Order, Order.state == state)


@shop.pattern
def person(ident: str) -> Get[Person]:
    """By its key."""
    return get(Person, Person.id == ident)


@shop.pattern
def people_in(town: str) -> Query[Person]:
    """By an index that stays."""
    return query(Person, Person.town == town)


@shop.pattern
def people_called(last: str) -> Query[Person]:
    """By the new index, and a field that older items do not have."""
    return query(Person, Person.last == last)


@shop.pattern
def tally(ident: str) -> Get[Tally]:
    """By its key."""
    return get(Tally, Tally.id == ident)
