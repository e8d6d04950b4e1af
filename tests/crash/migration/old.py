"""A shop as it was."""

from __future__ import annotations

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

shop = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=shop, version=True):
    """Lies under ORDER#, and has a day."""

    keys = Keys("ORDER#{number}", "ORDER", GSI1=("BUYER#{buyer}", "ORDER#{number}"))
    number: str
    buyer: str
    state: str
    day: str
    note: str


class Person(Entity, table=shop, version=True, schema_version=1):
    """Has one name."""

    keys = Keys("PERSON#{id}", "PERSON", GSI1=("TOWN#{town}", "PERSON#{id}"))
    id: str
    name: str
    town: str


class Tally(Entity, table=shop, timestamps=False, schema_version=1):
    """Counts what code of both models adds."""

    keys = Keys("TALLY#{id}", "TALLY")
    id: str
    n: int = 0


@shop.pattern
def order(number: str) -> Get[Order]:
    """By its key."""
    return get(Order, Order.number == number)


@shop.pattern
def orders_of(buyer: str) -> Query[Order]:
    """By an index that stays."""
    return query(Order, Order.buyer == buyer)


@shop.pattern
def person(ident: str) -> Get[Person]:
    """By its key."""
    return get(Person, Person.id == ident)


@shop.pattern
def people_in(town: str) -> Query[Person]:
    """By an index that stays."""
    return query(Person, Person.town == town)


@shop.pattern
def tally(ident: str) -> Get[Tally]:
    """By its key."""
    return get(Tally, Tally.id == ident)
