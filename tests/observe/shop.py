"""A small shop whose use is observed, and a clock that the tests turn."""

from __future__ import annotations

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("ByPlace", pk=["country", "city"], sk=["name"])])


class Customer(Entity, table=shop):
    keys = Keys(
        "CUSTOMER#{customer_id}",
        "PROFILE",
        GSI1=("EMAIL#{email}", "CUSTOMER"),
        ByPlace=(["{country}", "{city}"], ["{name}"]),
    )
    customer_id: str
    email: str
    name: str = "Ann"
    country: str = "FR"
    city: str = "Nice"
    visits: int = 0
    notes: str = ""


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{customer_id}", "ORDER#{order_id}")
    customer_id: str
    order_id: str
    status: str = "NEW"
    total: int = 1


@shop.pattern
def customer(customer_id: str) -> Get[Customer]:
    "One customer."
    return get(Customer, Customer.customer_id == customer_id)


@shop.pattern
def by_email(email: str) -> Query[Customer]:
    "Customers with an email address."
    return query(Customer, Customer.email == email)


@shop.pattern
def orders_of(customer_id: str) -> Query[Order]:
    "A customer's orders."
    return query(Order, Order.customer_id == customer_id)


@shop.pattern
def in_city(country: str, city: str) -> Query[Customer]:
    "Customers in a city."
    return query(Customer, Customer.country == country, Customer.city == city)


class Clock:
    """Time that passes when somebody says so."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Time passes."""
        self.now += seconds
