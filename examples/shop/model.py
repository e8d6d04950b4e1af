"""The shop's model: five entities, two indexes, nine access patterns. Everything else follows from this file."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    Collection,
    Entity,
    Get,
    Keys,
    NaturalKey,
    Query,
    Relationship,
    Table,
    collect,
    get,
    many,
    one,
    query,
    require,
)

shop = Table("AppTable", indexes=[GSI("GSI1"), GSI("GSI2")])

Money = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=2)]
OrderStatus = Literal["PENDING", "SHIPPED", "DELIVERED"]


class Address(BaseModel):
    """Where a parcel can go."""

    street: str
    city: str


class OrderLine(BaseModel):
    """One product of an order, at the price of that day."""

    product_id: str
    quantity: int = Field(ge=1)
    price: Money


class Customer(Entity, table=shop):
    """Somebody who buys. The email address is unique, whatever its capitals."""

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
    """What a customer bought; its status moves it through GSI2."""

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
    total: Money
    lines: list[OrderLine] = Field(default_factory=list, max_length=19)
    tracking: str | None = None


class Product(Entity, table=shop):
    """Something to buy."""

    keys = Keys(
        "PRODUCT#{product_id}",
        "PRODUCT#{product_id}",
        GSI1=("CATEGORY#{category_id}", "PRODUCT#{product_id}"),
    )
    product_id: str
    category_id: str
    name: str
    price: Money


class Review(Entity, table=shop):
    """What a customer says of a product; it lies in the product's partition, in order of time."""

    keys = Keys("PRODUCT#{product_id}", "REVIEW#{written_at}#{review_id}")
    product_id: str
    review_id: str
    written_at: datetime
    username: str
    stars: int = Field(ge=1, le=5)
    text: str = ""


class Category(Entity, table=shop):
    """A shelf of the shop."""

    keys = Keys("CATEGORY#{category_id}", "CATEGORY#{category_id}")
    category_id: str
    name: str


shop.relate(
    Relationship(Customer, Order, "1:N", "item collection", reason="read together, newest first"),
    Relationship(Product, Review, "1:N", "item collection", reason="read with the product, by time"),
    Relationship(
        Customer, "Address", "1:N", "embedded", field="addresses", reason="at most five, always read with the customer"
    ),
    Relationship(Order, "OrderLine", "1:N", "embedded", field="lines", reason="few, and never read without the order"),
    Relationship(
        Category,
        Product,
        "1:N",
        "materialised graph",
        via=Product,
        source_fields=("category_id",),
        target_fields=("product_id",),
    ),
)


@shop.pattern
def customer(username: str) -> Get[Customer]:
    "A customer by user name."
    return get(Customer, Customer.username == username)


@shop.pattern
def customer_by_email(email: str) -> Get[Customer]:
    "A customer by email address, however it is typed."
    return get(Customer, Customer.email == email)


@shop.pattern
def orders_of(username: str, since: datetime | None = None) -> Query[Order]:
    "A customer's orders, newest first."
    found = query(Order, Order.username == username).when(since, lambda t: Order.placed_at >= t)
    return found.newest_first().per_page(20)


@shop.pattern
def order(order_id: str) -> Get[Order]:
    "One order by its number."
    return get(Order, Order.order_id == order_id)


@shop.pattern
def products_in(category_id: str) -> Query[Product]:
    "The products of a category."
    return query(Product, Product.category_id == category_id).per_page(20)


@shop.pattern
def product(product_id: str) -> Get[Product]:
    "A product by its number."
    return get(Product, Product.product_id == product_id)


@shop.pattern
def reviews_of(product_id: str) -> Query[Review]:
    "What customers say of a product, newest first."
    return query(Review, Review.product_id == product_id).newest_first()


@dataclass
class ProductPage:
    """What the page of one product shows."""

    product: Product | None
    reviews: list[Review]


@shop.pattern
def product_page(product_id: str) -> Collection[ProductPage]:
    "A product with its reviews, newest first, in one request."
    return collect(
        ProductPage,
        product=one(query(Product, Product.product_id == product_id).newest_first()),
        reviews=many(query(Review, Review.product_id == product_id).newest_first()),
    )


@shop.pattern
def orders_with_status(status: OrderStatus, since: datetime | None = None) -> Query[Order]:
    "All orders in one status, oldest first: the warehouse's list."
    return query(Order, Order.status == status).when(since, lambda t: Order.placed_at >= t)


@shop.change
def ship(o: Order, tracking: str) -> None:
    "A pending order leaves the house."
    require(o.status == "PENDING")
    o.status, o.tracking = "SHIPPED", tracking


@shop.change
def deliver(o: Order) -> None:
    "A shipped order has arrived."
    require(o.status == "SHIPPED")
    o.status = "DELIVERED"
