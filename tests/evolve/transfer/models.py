"""Models for tests of files: one entity with every type of field, and a small shop."""

from __future__ import annotations

import enum
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from tablewright import GSI, Collection, Entity, Get, Keys, Query, Table, collect, get, many, one, query
from tablewright.model.fields import Epoch


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Line(BaseModel):
    sku: str
    count: int
    price: Decimal
    raw: bytes = b""
    tags: set[str] | None = None


everything = Table("Everything", indexes=[GSI("GSI1")])


class Thing(Entity, table=everything):
    keys = Keys("THING#{thing_id}", "THING", GSI1=("COLOUR#{colour}", "{made_at}#{thing_id}"))
    thing_id: str
    made_at: datetime
    colour: Colour = Colour.RED
    level: Level = Level.LOW
    kind: Literal["a", "b"] = "a"
    mixed: Literal[1, "1"] = 1
    text: str = ""
    note: str | None = None
    remark: str | None = "none yet"
    count: int = 0
    perhaps: int | None = 7
    ratio: float = 0.5
    amount: Decimal = Decimal("1.50")
    flag: bool = False
    day: date | None = None
    at: time | None = None
    lasts: timedelta | None = None
    uid: UUID | None = None
    raw: bytes = b""
    expires: Annotated[datetime, Epoch()] | None = None
    tags: set[str] = Field(default_factory=set)
    numbers: frozenset[int] | None = None
    blobs: set[bytes] = Field(default_factory=set)
    amounts: list[Decimal] = Field(default_factory=list)
    pair: tuple[int, str] | None = None
    either: int | str = 0
    lines: list[Line] = Field(default_factory=list)
    line: Line | None = None
    by_day: dict[date, int] = Field(default_factory=dict)
    anything: dict[str, Any] = Field(default_factory=dict)


shop = Table("Shop", indexes=[GSI("GSI1")])


class Customer(Entity, table=shop):
    keys = Keys("CUSTOMER#{username}", "CUSTOMER", unique=["email"])
    username: str
    email: str
    name: str | None = None


class Order(Entity, table=shop):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}", GSI1=("STATUS#{status}", "{placed_at}#{order_id}"))
    username: str
    order_id: str
    placed_at: datetime
    status: Literal["PENDING", "SHIPPED"] = "PENDING"
    total: Decimal


class Page(BaseModel):
    customer: Customer | None
    orders: list[Order]


class OrderRef(BaseModel):
    order_id: str
    placed_at: datetime


@shop.pattern
def orders_of(username: str) -> Query[Order]:
    "A customer's orders."
    return query(Order, Order.username == username)


@shop.pattern
def order(username: str, order_id: str) -> Get[Order]:
    "One order."
    return get(Order, Order.username == username, Order.order_id == order_id)


@shop.pattern
def references(status: Literal["PENDING", "SHIPPED"], since: datetime) -> Query[OrderRef]:
    "Orders of a status since a moment."
    return query(Order, Order.status == status, Order.placed_at >= since).only(OrderRef)


@shop.pattern
def page_of(username: str) -> Collection[Page]:
    "A customer with all orders."
    return collect(
        Page,
        customer=one(query(Customer, Customer.username == username)),
        orders=many(query(Order, Order.username == username)),
    )
