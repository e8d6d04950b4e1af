"""The model of users, orders and products: eleven entities, three indexes, seventeen access patterns, all names in lower case."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    AttributeNames,
    Collection,
    Entity,
    Get,
    Keys,
    NaturalKey,
    Query,
    Relationship,
    Shard,
    Table,
    attr,
    collect,
    get,
    many,
    one,
    query,
    require,
    sparse,
)

main_table = Table("main_table", indexes=[GSI("gsi1"), GSI("gsi2"), GSI("gsi3")], names=AttributeNames.lower())

Id = Annotated[str, Field(max_length=40)]
Money = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=2)]
UserStatus = Literal["active", "suspended", "closed"]
OrderStatus = Literal["pending", "paid", "shipped", "cancelled"]


class Preferences(BaseModel):
    """How somebody likes it."""

    theme: Literal["light", "dark"] = "light"
    notifications: bool = True


class User(Entity, table=main_table, type="user", version=True, schema_version=2):
    """Somebody with an account. Only active ones are in gsi2, spread over shards."""

    keys = Keys(
        "user#{user_id}",
        "profile",
        gsi1=("email#{email}", "user#{user_id}"),
        gsi2=sparse("user#active#{shard}", "{joined_at}#user#{user_id}", when=attr("status") == "active"),
        derive={"shard": Shard("user_id", of=4)},
        unique=["email"],
    )
    user_id: Id
    email: NaturalKey = Field(max_length=200)
    name: str = Field(max_length=100)
    status: UserStatus = "active"
    joined_at: datetime
    login_count: int = Field(default=0, ge=0)
    preferences: Preferences = Preferences()


@main_table.upcast(User, 1)
def with_preferences(item: dict[str, Any]) -> dict[str, Any]:
    """The first users had no preferences, and some have set them since: what is there wins."""
    return {"preferences": Preferences().model_dump(), **item}


class Settings(Entity, table=main_table, type="settings", lock="updated_at"):
    """What a user has set up, apart from the profile, since it is changed by itself; locked by the time of the last change."""

    keys = Keys("user#{user_id}", "settings")
    user_id: Id
    language: str = Field(default="en", max_length=10)
    time_zone: str = Field(default="UTC", max_length=40)


class Subscription(Entity, table=main_table, type="subscription"):
    """Something that a user gets regularly."""

    keys = Keys("user#{user_id}", "subscription#{subscription_id}")
    user_id: Id
    subscription_id: Id
    plan: str = Field(max_length=40)
    renews_at: datetime


class Order(Entity, table=main_table, type="order"):
    """What a user bought: with the user by time, in gsi1 by its number, in gsi2 by its status."""

    keys = Keys(
        "user#{user_id}",
        "order#{placed_at}#{order_id}",
        gsi1=("order#{order_id}", "header"),
        gsi2=("order#{status}#{shard}", "{placed_at}#order#{order_id}"),
        derive={"shard": Shard("order_id", of=4)},
    )
    user_id: Id
    order_id: Id
    placed_at: datetime
    status: OrderStatus = "pending"
    total_amount: Money


class OrderLine(Entity, table=main_table, type="order_line_item"):
    """One product of an order. Its sort key begins with a word of its own, so that lists of orders do not read it."""

    keys = Keys(
        "user#{user_id}",
        "orderline#{order_id}#{line:4}",
        gsi1=("order#{order_id}", "item#{line:4}"),
    )
    user_id: Id
    order_id: Id
    line: int = Field(ge=1, lt=10_000)
    product_id: Id
    quantity: int = Field(ge=1)
    price: Money


class Activity(Entity, table=main_table, type="activity"):
    """Something that a user did."""

    keys = Keys("user#{user_id}", "activity#{at}#{activity_id}")
    user_id: Id
    at: datetime
    activity_id: Id
    kind: str = Field(max_length=40)


class Product(Entity, table=main_table, type="product"):
    """Something to buy."""

    keys = Keys("product#{product_id}", "details", gsi3=("category#{category}", "product#{product_id}"))
    product_id: Id
    category: Id
    name: str = Field(max_length=200)
    price: Money


class Inventory(Entity, table=main_table, type="inventory"):
    """How much of a product lies at one place."""

    keys = Keys("product#{product_id}", "inventory#{location}")
    product_id: Id
    location: Id
    stock: int = Field(default=0, ge=0)


class Review(Entity, table=main_table, type="review"):
    """What a user says of a product."""

    keys = Keys("product#{product_id}", "review#{review_id}")
    product_id: Id
    review_id: Id
    user_id: Id
    stars: int = Field(ge=1, le=5)
    text: str = Field(default="", max_length=2_000)


class AppSettings(Entity, table=main_table, type="app_settings"):
    """The one item that says how the application runs."""

    keys = Keys("config", "app_settings")
    maintenance: bool = False
    page_size: int = Field(default=20, ge=1, le=100)


class FeatureFlags(Entity, table=main_table, type="feature_flags"):
    """The one item that says which features are on."""

    keys = Keys("config", "feature_flags")
    enabled: set[str] = Field(default=set(), max_length=100)


main_table.relate(
    Relationship(User, Settings, "1:1", "item collection", reason="changed apart from the profile"),
    Relationship(User, Subscription, "1:N", "item collection"),
    Relationship(User, Order, "1:N", "item collection", reason="the user's orders, newest first"),
    Relationship(User, Activity, "1:N", "item collection"),
    Relationship(User, "Preferences", "1:1", "embedded", field="preferences", reason="read with every page"),
    Relationship(
        Order,
        OrderLine,
        "1:N",
        "materialised graph",
        via=OrderLine,
        source_fields=("order_id",),
        target_fields=("user_id", "order_id", "line"),
        reason="gsi1 gathers an order and its lines",
    ),
    Relationship(Product, OrderLine, "1:N", "normalised", reason="lines are read with their order"),
    Relationship(Product, Inventory, "1:N", "item collection"),
    Relationship(Product, Review, "1:N", "item collection"),
)


@main_table.pattern
def user(user_id: str) -> Get[User]:
    "A user by id."
    return get(User, User.user_id == user_id)


@main_table.pattern
def user_by_email(email: str) -> Query[User]:
    "The user with an email address, however it is typed."
    return query(User, User.email == email)


@main_table.pattern
def active_users() -> Query[User]:
    "Active users, newest first, fifty a page."
    return query(User, User.status == "active").newest_first().per_page(50)


@main_table.pattern
def settings(user_id: str) -> Get[Settings]:
    "What a user has set up."
    return get(Settings, Settings.user_id == user_id)


@main_table.pattern
def subscriptions_of(user_id: str) -> Query[Subscription]:
    "What a user gets regularly."
    return query(Subscription, Subscription.user_id == user_id)


@main_table.pattern
def orders_of(user_id: str, since: datetime | None = None) -> Query[Order]:
    "A user's orders, newest first; all, or those of the last days."
    found = query(Order, Order.user_id == user_id).when(since, lambda t: Order.placed_at >= t)
    return found.newest_first().per_page(20)


@main_table.pattern
def orders_with_status(status: OrderStatus, since: datetime | None = None) -> Query[Order]:
    "All orders in one status, oldest first."
    return query(Order, Order.status == status).when(since, lambda t: Order.placed_at >= t)


@main_table.pattern
def order(order_id: str) -> Get[Order]:
    "The head of an order by its number."
    return get(Order, Order.order_id == order_id).via("gsi1")


@dataclass
class WholeOrder:
    """An order with what was bought."""

    order: Order | None
    lines: list[OrderLine]


@main_table.pattern
def whole_order(order_id: str) -> Collection[WholeOrder]:
    "An order with its lines, in one request."
    return collect(
        WholeOrder,
        order=one(query(Order, Order.order_id == order_id)),
        lines=many(query(OrderLine, OrderLine.order_id == order_id)),
    )


@main_table.pattern
def activity_of(user_id: str, since: datetime) -> Query[Activity]:
    "What a user did since a moment, oldest first."
    return query(Activity, Activity.user_id == user_id, Activity.at >= since)


@main_table.pattern
def product(product_id: str) -> Get[Product]:
    "A product by its number."
    return get(Product, Product.product_id == product_id)


@main_table.pattern
def products_in(category: str) -> Query[Product]:
    "The products of a category."
    return query(Product, Product.category == category).per_page(20)


@main_table.pattern
def stock_of(product_id: str) -> Query[Inventory]:
    "Where a product lies, and how much of it."
    return query(Inventory, Inventory.product_id == product_id)


@main_table.pattern
def reviews_of(product_id: str) -> Query[Review]:
    "What users say of a product."
    return query(Review, Review.product_id == product_id).per_page(20)


@dataclass
class ProductPage:
    """What the page of one product shows."""

    product: Product | None
    stock: list[Inventory]
    reviews: list[Review]


@main_table.pattern
def product_page(product_id: str) -> Collection[ProductPage]:
    "A product with its stock and reviews, in one request."
    return collect(
        ProductPage,
        product=one(query(Product, Product.product_id == product_id)),
        stock=many(query(Inventory, Inventory.product_id == product_id)),
        reviews=many(query(Review, Review.product_id == product_id)),
    )


@main_table.pattern
def app_settings() -> Get[AppSettings]:
    "How the application runs."
    return get(AppSettings)


@main_table.pattern
def feature_flags() -> Get[FeatureFlags]:
    "Which features are on."
    return get(FeatureFlags)


@main_table.change
def logged_in(u: User) -> None:
    "A user came in once more."
    require(u.status == "active")
    u.login_count += 1


@main_table.change
def suspend(u: User) -> None:
    "An active user may no longer come in, and leaves the list of active ones."
    require(u.status == "active")
    u.status = "suspended"


@main_table.change
def reinstate(u: User) -> None:
    "A suspended user may come in again, and is back in the list of active ones."
    require(u.status == "suspended")
    u.status = "active"


@main_table.change
def pay(o: Order) -> None:
    "A pending order is paid."
    require(o.status == "pending")
    o.status = "paid"


@main_table.change
def cancel(o: Order) -> None:
    "A pending order is given up."
    require(o.status == "pending")
    o.status = "cancelled"


main_table.expect(User, items=100_000, size=350, max_size=900, writes=20)
main_table.expect(Settings, items=100_000, size=150, max_size=300, writes=1, per={"user_id": 1})
main_table.expect(Subscription, items=50_000, size=200, max_size=300, writes=1, per={"user_id": 10})
main_table.expect(
    Order,
    items=2_000_000,
    size=300,
    max_size=400,
    writes=20,
    per={"user_id": 1_000, "status": 2_000_000, "order_id": 1},
)
main_table.expect(OrderLine, items=6_000_000, size=220, max_size=350, writes=60, per={"order_id": 50, "user_id": 5_000})
main_table.expect(Activity, items=10_000_000, size=180, max_size=300, writes=50, per={"user_id": 5_000})
main_table.expect(Product, items=100_000, size=300, max_size=600, writes=1, per={"category": 2_000})
main_table.expect(Inventory, items=300_000, size=150, max_size=250, writes=20, per={"product_id": 20})
main_table.expect(Review, items=500_000, size=500, max_size=2_500, writes=2, per={"product_id": 1_000})
main_table.expect(AppSettings, items=1, size=150, max_size=200, writes=0.01)
main_table.expect(FeatureFlags, items=1, size=500, max_size=5_000, writes=0.01)
main_table.expect(User.user_id, distinct=100_000, hottest=0.001)
main_table.expect(User.status, distinct=3, hottest=0.9)
main_table.expect(Order.status, distinct=4, hottest=0.7)
main_table.expect(Product.category, distinct=200, hottest=0.05)
main_table.expect(user, rate=100, results=1, latency_ms=20, source="every page")
main_table.expect(user_by_email, rate=5, results=1, latency_ms=50, source="login")
main_table.expect(active_users, rate=1, results=50, latency_ms=200, source="administration")
main_table.expect(settings, rate=1, results=1, latency_ms=20, source="settings page")
main_table.expect(subscriptions_of, rate=2, results=1, latency_ms=50, source="account page")
main_table.expect(orders_of, rate=50, results=20, latency_ms=50, source="order history")
main_table.expect(orders_with_status, rate=1, results=100, latency_ms=200, source="administration")
main_table.expect(order, rate=10, results=1, latency_ms=50, source="payment")
main_table.expect(whole_order, rate=20, results=4, latency_ms=50, source="order page")
main_table.expect(activity_of, rate=1, results=50, latency_ms=100, source="monthly summary")
main_table.expect(product, rate=50, results=1, latency_ms=20, source="basket")
main_table.expect(products_in, rate=50, results=20, latency_ms=50, source="catalogue")
main_table.expect(stock_of, rate=20, results=5, latency_ms=50, source="checkout")
main_table.expect(reviews_of, rate=20, results=20, latency_ms=50, source="product page")
main_table.expect(product_page, rate=50, results=25, latency_ms=50, source="product page")
main_table.expect(app_settings, rate=1, results=1, latency_ms=20, source="start of a process")
main_table.expect(feature_flags, rate=1, results=1, latency_ms=20, source="once a minute in each process")

main_table.waive("TW203", "gsi3", reason="the catalogue grows and is read apart from users and orders")
main_table.waive("TW502", FeatureFlags.enabled, reason="all flags are read together, and a flag is gone within a year")
main_table.waive("TW505", reason="everybody here uses the library, which never writes a bare name")
