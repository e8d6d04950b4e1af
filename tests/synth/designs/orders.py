"""Users, their orders with lines, and products with stock and reviews."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import Field

from tablewright import AttributeNames, Collection, Design, Entity, Get, Query, collect, get, many, one, query

main = Design("main_table", names=AttributeNames.lower())


class User(Entity, table=main, identity=["user_id"], unique=["email"]):
    user_id: str
    email: str
    status: Literal["active", "inactive"] = "active"
    joined_at: datetime = Field(frozen=True)


class Order(Entity, table=main, identity=["order_id"], type="order"):
    order_id: str
    user_id: str = Field(frozen=True)
    placed_at: datetime = Field(frozen=True)
    status: str = "open"


class OrderLine(Entity, table=main, identity=["order_id", "line_id"]):
    order_id: str
    line_id: int = Field(ge=1, le=500)
    product_id: str


class Product(Entity, table=main, identity=["product_id"]):
    product_id: str
    category: str


class Stock(Entity, table=main, identity=["product_id", "location"]):
    product_id: str
    location: str
    quantity: int = 0


class Review(Entity, table=main, identity=["product_id", "review_id"]):
    product_id: str
    review_id: str
    stars: int = 5


class Activity(Entity, table=main, identity=["user_id", "at", "activity_id"]):
    user_id: str
    at: datetime
    activity_id: str


class Setting(Entity, table=main, identity=["name"]):
    """Feature flags and the like."""

    name: str
    value: str = ""


@dataclass
class WholeOrder:
    order: Order | None
    lines: list[OrderLine]


@dataclass
class ProductPage:
    product: Product | None
    stock: list[Stock]
    reviews: list[Review]


@main.pattern
def user(user_id: str) -> Get[User]:
    return get(User, User.user_id == user_id)


@main.pattern
def orders_of(user_id: str, since: datetime | None = None) -> Query[Order]:
    found = query(Order, Order.user_id == user_id).when(since, lambda t: Order.placed_at >= t)
    return found.sorted_by(Order.placed_at).newest_first()


@main.pattern
def user_by_email(email: str) -> Get[User]:
    return get(User, User.email == email)


@main.pattern
def active_users() -> Query[User]:
    return query(User, User.status == "active").sorted_by(User.joined_at).newest_first().per_page(50)


@main.pattern
def products_in(category: str) -> Query[Product]:
    return query(Product, Product.category == category)


@main.pattern
def whole_order(order_id: str) -> Collection[WholeOrder]:
    return collect(
        WholeOrder,
        order=one(query(Order, Order.order_id == order_id)),
        lines=many(query(OrderLine, OrderLine.order_id == order_id).sorted_by(OrderLine.line_id)),
    )


@main.pattern
def activity_of(user_id: str, since: datetime) -> Query[Activity]:
    return query(Activity, Activity.user_id == user_id, Activity.at >= since)


@main.pattern
def product_page(product_id: str) -> Collection[ProductPage]:
    return collect(
        ProductPage,
        product=one(query(Product, Product.product_id == product_id)),
        stock=many(query(Stock, Stock.product_id == product_id)),
        reviews=many(query(Review, Review.product_id == product_id)),
    )


@main.pattern
def setting(name: str) -> Get[Setting]:
    return get(Setting, Setting.name == name)
