"""A shop: customers, orders, products and what is said of them."""

from datetime import datetime
from decimal import Decimal
from typing import Literal

from pydantic import Field

from tablewright import Design, Entity, Get, Query, get, query

shop = Design("AppTable")

OrderStatus = Literal["PENDING", "SHIPPED", "DELIVERED"]


class Customer(Entity, table=shop, identity=["username"], unique=["email"]):
    """Somebody who buys."""

    username: str
    email: str
    name: str = ""


class Order(Entity, table=shop, identity=["order_id"]):
    """What a customer bought."""

    order_id: str
    username: str = Field(frozen=True)
    placed_at: datetime = Field(frozen=True)
    status: OrderStatus = "PENDING"
    total: Decimal = Decimal(0)


class Product(Entity, table=shop, identity=["product_id"]):
    """Something to buy."""

    product_id: str
    category_id: str
    name: str = ""


class Review(Entity, table=shop, identity=["review_id"]):
    """What a customer says of a product."""

    review_id: str
    product_id: str = Field(frozen=True)
    written_at: datetime = Field(frozen=True)
    text: str = ""


class Category(Entity, table=shop, identity=["category_id"]):
    """A shelf."""

    category_id: str
    name: str = ""


@shop.pattern
def customer(username: str) -> Get[Customer]:
    "A customer by user name."
    return get(Customer, Customer.username == username)


@shop.pattern
def customer_by_email(email: str) -> Get[Customer]:
    "A customer by email address."
    return get(Customer, Customer.email == email)


@shop.pattern
def orders_of(username: str) -> Query[Order]:
    "A customer's orders, newest first."
    return query(Order, Order.username == username).sorted_by(Order.placed_at).newest_first().per_page(20)


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
    return query(Review, Review.product_id == product_id).sorted_by(Review.written_at).newest_first()


@shop.pattern
def orders_with_status(status: OrderStatus, since: datetime | None = None) -> Query[Order]:
    "All orders in one status, oldest first."
    found = query(Order, Order.status == status).when(since, lambda t: Order.placed_at >= t)
    return found.sorted_by(Order.placed_at)
