"""The model that the other cases use, as a user writes one: not a line of it may be refused."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    Collection,
    Entity,
    Get,
    Keys,
    NaturalKey,
    Query,
    Table,
    collect,
    get,
    many,
    one,
    query,
    require,
    size,
    starts_with,
)

OrderStatus = Literal["PENDING", "SHIPPED", "DELIVERED"]

shop = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])


class Address(BaseModel):
    """A part of a customer."""

    street: str
    city: str


class Customer(Entity, table=shop, version=True):
    """An entity with a list, a unique field and a version."""

    keys = Keys(
        "CUSTOMER#{username}",
        "CUSTOMER#{username}",
        GSI1=("EMAIL#{email}", "EMAIL#{email}"),
        unique=["email"],
    )
    username: str
    email: NaturalKey
    name: str
    addresses: list[Address] = Field(default_factory=list, max_length=5)


class Order(Entity, table=shop):
    """An entity with an optional field, a default, and others that are no text."""

    keys = Keys(
        "CUSTOMER#{username}",
        "ORDER#{placed_at}#{order_id}",
        GSI1=("ORDER#{order_id}", "ORDER#{order_id}"),
        GSI2=("STATUS#{status}", "{placed_at}#{order_id}"),
    )
    username: str
    order_id: str
    placed_at: datetime
    status: OrderStatus = "PENDING"
    total: Decimal
    parcels: int = 1
    tags: set[str] = Field(default_factory=set)
    tracking: str | None = None


class OrderRow(BaseModel):
    """A view: some fields of an order."""

    order_id: str
    status: OrderStatus


@dataclass
class CustomerPage:
    """What a collection is read into."""

    customer: Customer | None
    orders: list[Order]


@shop.pattern
def customer(username: str) -> Get[Customer]:
    "A customer by user name."
    return get(Customer, Customer.username == username)


@shop.pattern
def order(order_id: str) -> Get[Order]:
    "One order by its number."
    return get(Order, Order.order_id == order_id)


@shop.pattern
def orders_of(username: str, since: datetime | None = None) -> Query[Order]:
    "A customer's orders, newest first."
    found = query(Order, Order.username == username).when(since, lambda t: Order.placed_at >= t)
    return found.newest_first().per_page(20)


@shop.pattern
def rows_of(username: str, *, parcels: int) -> Query[OrderRow]:
    "Some fields of the orders that have more than so many parcels and no tracking number."
    found = query(Order, Order.username == username)
    return found.filter(Order.parcels > parcels, Order.tracking == None, size(Order.tags) < 3).only(OrderRow)  # noqa: E711


@shop.pattern
def status_of(order_id: str) -> Get[OrderRow]:
    "Some fields of one order."
    return get(Order, Order.order_id == order_id).only(OrderRow)


@shop.pattern
def customer_page(username: str) -> Collection[CustomerPage]:
    "A customer with all orders."
    return collect(
        CustomerPage,
        customer=one(query(Customer, Customer.username == username)),
        orders=many(query(Order, Order.username == username)),
    )


@shop.change
def ship(o: Order, tracking: str, *, parcels: int = 1) -> None:
    "A pending order leaves the house."
    require(o.status == "PENDING")
    require(starts_with(o.username, "a"))
    o.status, o.tracking = "SHIPPED", tracking
    o.parcels = o.parcels + parcels
    o.tags.add("shipped")


@shop.change
def move(c: Customer, address: Address) -> None:
    "A customer has another address."
    c.addresses.append(address)
