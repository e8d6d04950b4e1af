"""The shop's model: twelve entities, two indexes, twenty-one access patterns. Everything else follows from this file."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from tablewright import (
    GSI,
    Bucket,
    Collection,
    Entity,
    Epoch,
    Get,
    Keys,
    NaturalKey,
    Query,
    Relationship,
    Shard,
    Table,
    between,
    collect,
    get,
    many,
    one,
    query,
    require,
)

shop = Table("AppTable", indexes=[GSI("GSI1"), GSI("GSI2")], stream=True)

Money = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=2)]
MOST_PIECES = 1_000_000
Pieces = Annotated[int, Field(ge=1, le=MOST_PIECES)]
"""How many of a product an order takes, and a cart holds."""
Turnover = Annotated[Decimal, Field(ge=0, max_digits=24, decimal_places=2)]
"""A sum over orders. It has room for so many of the dearest ones that no order can keep others from being counted."""
OrderStatus = Literal["PENDING", "SHIPPED", "DELIVERED", "CANCELLED"]
PaymentStatus = Literal["AUTHORISED", "CAPTURED", "REFUNDED", "VOIDED"]


class Address(BaseModel):
    """Where a parcel can go."""

    street: str
    city: str


class OrderLine(BaseModel):
    """One product of an order, at the price of that day."""

    product_id: str
    quantity: Pieces
    price: Money


class Customer(Entity, table=shop):
    """Somebody who buys. The email address is unique, whatever its capitals."""

    keys = Keys(
        "CUSTOMER#{username}",
        "CUSTOMER#{username}",
        GSI1=("EMAIL#{email}", "EMAIL#{email}"),
        GSI2=("CUSTOMERS#{shard}", "{username}"),
        derive={"shard": Shard("username", of=2)},
        unique=["email"],
    )
    username: str
    email: NaturalKey
    name: str
    addresses: list[Address] = Field(default_factory=list, max_length=5)
    leaving: bool = False
    """Being erased: nothing is written for this customer any more."""


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
    payments: int = Field(default=0, ge=0, le=20)
    """How many payments there are for it. Whoever cancels it has seen all of them if it is still that many."""


class Product(Entity, table=shop):
    """Something to buy, and how many of it are there."""

    keys = Keys(
        "PRODUCT#{product_id}",
        "PRODUCT#{product_id}",
        GSI1=("CATEGORY#{category_id}", "PRODUCT#{product_id}"),
    )
    product_id: str
    category_id: str
    name: str
    price: Money
    stock: int = Field(default=0, ge=0)


class Review(Entity, table=shop):
    """What a customer says of a product; it lies in the product's partition, in order of time. GSI1 finds all of one
    customer, who may want them back, or gone."""

    keys = Keys(
        "PRODUCT#{product_id}",
        "REVIEW#{written_at}#{review_id}",
        GSI1=("REVIEWER#{username}", "REVIEW#{written_at}#{review_id}"),
    )
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


class CartItem(Entity, table=shop, ttl="forgotten_at"):
    """Something that a customer thinks of buying. Each is an item of its own, so that two windows do not get in each
    other's way; what was forgotten goes by itself."""

    keys = Keys("CUSTOMER#{username}", "CART#{product_id}")
    username: str
    product_id: str
    quantity: Pieces
    forgotten_at: Annotated[datetime, Epoch("s")]


class Payment(Entity, table=shop):
    """Money for an order; it lies with the customer, by order."""

    keys = Keys("CUSTOMER#{username}", "PAYMENT#{order_id}#{payment_id}")
    username: str
    order_id: str
    payment_id: str
    amount: Money
    status: PaymentStatus = "AUTHORISED"


class OrderItem(Entity, table=shop):
    """A line of an order as an item, written with the order: an order has many products, and one key on an index."""

    keys = Keys(
        "ORDER#{order_id}",
        "ITEM#{line:2}",
        GSI1=("PRODUCT#{product_id}", "ORDERED#{placed_at}#{order_id}#{line:2}"),
    )
    order_id: str
    line: int = Field(ge=1, le=19)
    product_id: str
    placed_at: datetime
    quantity: Pieces


class ProductWord(Entity, table=shop):
    """A word in the name of a product, for the search."""

    keys = Keys("WORD#{word}", "{category_id}#{product_id}")
    word: NaturalKey
    category_id: str
    product_id: str


class ProductSales(Entity, table=shop):
    """How much of a product was sold in a year; GSI2 sorts by it."""

    keys = Keys("PRODUCT#{product_id}", "SALES#{year:4}", GSI2=("BESTSELLERS#{year:4}", "{sold:15}#{product_id}"))
    product_id: str
    year: int = Field(ge=1, le=9999)
    sold: int = Field(default=0, ge=0, lt=10**15)


class CountedOrder(Entity, table=shop):
    """That an order is in the sums of its day and of its products, written with them, so that it is there once."""

    keys = Keys("ORDER#{order_id}", "COUNTED")
    order_id: str


class DailySales(Entity, table=shop):
    """What was sold in a day. A year is a partition."""

    keys = Keys("SALES#{year}", "DAY#{day}", derive={"year": Bucket("day", "year")})
    day: date
    orders: int = 0
    total: Turnover = Decimal(0)


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
    Relationship(Customer, CartItem, "1:N", "item collection", reason="read with the customer's page"),
    Relationship(Customer, Payment, "1:N", "item collection", reason="read by customer and order"),
    Relationship(Customer, Review, "1:N", "normalised", reason="read by product; seldom by customer, through GSI1"),
    Relationship(Order, Payment, "1:N", "normalised", reason="another partition: payments have other readers"),
    Relationship(
        Order,
        Product,
        "M:N",
        "materialised graph",
        via=OrderItem,
        source_fields=("order_id",),
        target_fields=("product_id",),
        reason="which orders a product is in",
    ),
    Relationship(Product, CartItem, "1:N", "normalised", reason="carts are read by customer only"),
    Relationship(Product, ProductWord, "1:N", "normalised", reason="found by word, then the product by its number"),
    Relationship(Product, ProductSales, "1:N", "item collection", reason="one for each year"),
    Relationship(Order, CountedOrder, "1:1", "normalised", reason="written once and looked at by whoever counts"),
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


@shop.pattern
def reviews_by(username: str) -> Query[Review]:
    "What a customer has said of products, newest first."
    return query(Review, Review.username == username).newest_first()


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


@shop.pattern
def orders_between(status: OrderStatus, start: datetime, end: datetime) -> Query[Order]:
    "Orders in one status that were placed in a period, oldest first."
    return query(Order, Order.status == status, between(Order.placed_at, start, end))


@shop.pattern
def large_orders_of(username: str, amount: Decimal) -> Query[Order]:
    "A customer's orders from an amount on, newest first: reads all of them, and drops the rest."
    return query(Order, Order.username == username).filter(Order.total >= amount).newest_first()


@shop.pattern
def cart_of(username: str) -> Query[CartItem]:
    "What a customer thinks of buying."
    return query(CartItem, CartItem.username == username)


@shop.pattern
def payments_for(username: str, order_id: str) -> Query[Payment]:
    "What was paid for an order."
    return query(Payment, Payment.username == username, Payment.order_id == order_id)


@shop.pattern
def payments_of(username: str) -> Query[Payment]:
    "What a customer has paid, by order."
    return query(Payment, Payment.username == username)


@shop.pattern
def items_of(order_id: str) -> Query[OrderItem]:
    "The lines of an order, in order."
    return query(OrderItem, OrderItem.order_id == order_id)


@shop.pattern
def orders_with(product_id: str) -> Query[OrderItem]:
    "The orders in which a product was bought, newest first."
    return query(OrderItem, OrderItem.product_id == product_id).newest_first().per_page(20)


@shop.pattern
def all_customers(from_name: str | None = None) -> Query[Customer]:
    "All customers by user name, merged from two partitions."
    return query(Customer).when(from_name, lambda name: Customer.username >= name).via("GSI2").per_page(50)


@shop.pattern
def products_named(word: str, category_id: str | None = None) -> Query[ProductWord]:
    "Products with a word in their name, in all categories or in one."
    return query(ProductWord, ProductWord.word == word).when(category_id, lambda c: ProductWord.category_id == c)


@shop.pattern
def bestsellers(year: int) -> Query[ProductSales]:
    "What was sold most in a year, most first."
    return query(ProductSales, ProductSales.year == year).newest_first().per_page(10)


@shop.pattern
def sales(start: date, end: date) -> Query[DailySales]:
    "What was sold on each day of a period."
    return query(DailySales, between(DailySales.day, start, end))


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


@shop.change
def cancel(o: Order, payments: int) -> None:
    "A pending order never leaves the house; so many payments are settled with it."
    require(o.status == "PENDING")
    require(o.payments == payments)
    o.status = "CANCELLED"


@shop.change
def leave(c: Customer) -> None:
    "From now on nothing is written for this customer."
    c.leaving = True


@shop.change
def capture(p: Payment) -> None:
    "The money is taken."
    require(p.status == "AUTHORISED")
    p.status = "CAPTURED"


@shop.change
def refund(p: Payment) -> None:
    "The money goes back."
    require(p.status == "CAPTURED")
    p.status = "REFUNDED"


everything_of = shop.belongings(
    customer,
    orders_of,
    payments_of,
    cart_of,
    reviews_by,
    beside=[Category, Product, ProductWord, OrderItem, CountedOrder, ProductSales, DailySales],
)
"""What the shop holds of a customer. The items of an order name nobody: these stay for the books."""


shop.expect(Customer, items=50_000, size=400, max_size=1_500, writes=2)
shop.expect(
    Order,
    items=2_000_000,
    size=900,
    max_size=2_500,
    writes=10,
    per={"username": 500, "status": 2_000_000, "order_id": 1},
)
shop.expect(Product, items=1_000_000, size=300, max_size=1_000, writes=30, per={"category_id": 20_000})
shop.expect(Review, items=500_000, size=400, max_size=3_000, writes=2, per={"product_id": 5_000, "username": 200})
shop.expect(Category, items=200, size=150, max_size=300, writes=0.01)
shop.expect(CartItem, items=100_000, size=150, max_size=250, writes=20, per={"username": 30})
shop.expect(
    Payment, items=2_000_000, size=200, max_size=300, writes=10, per={("order_id", "username"): 5, "username": 500}
)
shop.expect(OrderItem, items=5_000_000, size=220, max_size=300, writes=25, per={"order_id": 19, "product_id": 50_000})
shop.expect(ProductWord, items=5_000_000, size=150, max_size=250, writes=5, per={"word": 20_000})
shop.expect(ProductSales, items=1_000_000, size=180, max_size=250, writes=25, per={"year": 200_000, "product_id": 20})
shop.expect(CountedOrder, items=2_000_000, size=100, max_size=150, writes=10, per={"order_id": 1})
shop.expect(DailySales, items=3_650, size=150, max_size=200, writes=10, per={"day": 1})
shop.expect(Customer.username, distinct=50_000, hottest=0.01)
shop.expect(Order.status, distinct=4, hottest=0.6)
shop.expect(Product.category_id, distinct=200, hottest=0.05)
shop.expect(customer, rate=100, results=1, latency_ms=50, source="every page of somebody who is signed in")
shop.expect(customer_by_email, rate=2, results=1, latency_ms=50, source="login")
shop.expect(orders_of, rate=10, results=20, latency_ms=50, source="order history")
shop.expect(order, rate=10, results=1, latency_ms=50, source="an order's page")
shop.expect(products_in, rate=50, results=20, latency_ms=50, source="catalogue")
shop.expect(product, rate=50, results=1, latency_ms=50, source="cart")
shop.expect(reviews_of, rate=5, results=20, latency_ms=50, source="all reviews of a product")
shop.expect(
    reviews_by, rate=0.01, results=5, latency_ms=500, source="a customer who wants all data, or to be forgotten"
)
shop.expect(product_page, rate=100, results=10, latency_ms=50, source="a product's page")
shop.expect(orders_with_status, rate=0.1, results=50, latency_ms=500, source="warehouse")
shop.expect(orders_between, rate=0.01, results=500, latency_ms=1_000, source="administration")
shop.expect(large_orders_of, rate=0.01, results=5, latency_ms=500, source="customer service")
shop.expect(cart_of, rate=50, results=5, latency_ms=50, source="cart")
shop.expect(payments_for, rate=2, results=1, latency_ms=50, source="refund")
shop.expect(
    payments_of, rate=0.01, results=50, latency_ms=500, source="a customer who wants all data, or to be forgotten"
)
shop.expect(items_of, rate=1, results=3, latency_ms=50, source="warehouse, one order")
shop.expect(orders_with, rate=0.1, results=20, latency_ms=200, source="recall of a product")
shop.expect(all_customers, rate=0.1, results=50, latency_ms=200, source="administration")
shop.expect(products_named, rate=20, results=20, latency_ms=50, source="search")
shop.expect(bestsellers, rate=10, results=10, latency_ms=50, source="start page")
shop.expect(sales, rate=0.01, results=31, latency_ms=500, source="administration")

shop.waive("TW401", all_customers, reason="administration pages through it, a few times an hour")
shop.waive("TW402", large_orders_of, reason="customer service asks it now and then, of at most 500 orders")
shop.waive("TW602", CartItem, reason="carts are read by their customer only")
