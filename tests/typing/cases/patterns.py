"""Access patterns: how they are declared, and their arguments, by `db.run(pattern, ...)` and by the pattern itself."""

from datetime import datetime
from decimal import Decimal
from typing import assert_type

from tablewright import (
    Collection,
    Get,
    Query,
    Session,
    all_of,
    between,
    contains,
    get,
    given,
    is_in,
    query,
    size,
    starts_with,
)

from .model import (
    Customer,
    CustomerPage,
    Order,
    OrderRow,
    customer,
    customer_page,
    order,
    orders_of,
    rows_of,
    ship,
    shop,
    status_of,
)

NOW = datetime(2026, 1, 1)

# ------------------------------------------------------------------------------------------------ calling a pattern

assert_type(order("o1"), Get[Order])
assert_type(order(order_id="o1"), Get[Order])
assert_type(orders_of("alice"), Query[Order])
assert_type(orders_of("alice", NOW), Query[Order])
assert_type(orders_of("alice", since=None), Query[Order])
assert_type(rows_of("alice", parcels=1), Query[OrderRow])
assert_type(status_of("o1"), Get[OrderRow])
assert_type(customer_page("alice"), Collection[CustomerPage])

order()  # E - an argument is missing
order("o1", "o2")  # E - one too many
order(id="o1")  # E - no such parameter
order(1)  # E
order(order_id=None)  # E
order(b"o1")  # E
orders_of("alice", "2026-01-01")  # E
orders_of("alice", until=NOW)  # E
orders_of(since=NOW)  # E
rows_of("alice", 1)  # E - by name only
rows_of("alice", parcels="1")  # E
rows_of("alice")  # E
customer_page(username=1)  # E
order.nonsense  # E
wrong_kind: Query[Order] = order("o1")  # E
wrong_entity: Get[Order] = customer("alice")  # E
wrong_view: Query[Order] = rows_of("alice", parcels=1)  # E

# ------------------------------------------------------------------------------------------------ running a pattern


def run(db: Session) -> None:
    db.run(order, "o1")
    db.run(order, order_id="o1")
    db.run(orders_of, "alice", NOW)
    db.run(orders_of, "alice", since=NOW)
    db.run(orders_of, username="alice", since=None)
    db.run(rows_of, "alice", parcels=1)
    db.run(customer_page, "alice")

    db.run(order)  # E - an argument is missing
    db.run(order, "o1", "o2")  # E - one too many
    db.run(order, id="o1")  # E - no such parameter
    db.run(order, "o1", consistent=True)  # E - no such parameter
    db.run(order, 1)  # E
    db.run(order, order_id=None)  # E
    db.run(orders_of, "alice", "2026-01-01")  # E
    db.run(orders_of, "alice", since="2026-01-01")  # E
    db.run(orders_of, since=NOW)  # E
    db.run(rows_of, "alice", 1)  # E - by name only
    db.run(rows_of, "alice")  # E
    db.run(customer_page)  # E
    db.run(order("o1"))  # E - that is an operation
    db.run(ship, "o1")  # E - that is a change
    db.run(Order, "o1")  # E - that is an entity
    db.run("order", "o1")  # E

    db.execute(order("o1"))
    db.execute(order)  # E - that is a pattern
    db.execute(order())  # E
    db.execute(Order)  # E
    db.query(Order, "alice")  # E - that is no condition


# --------------------------------------------------------------------------------------------------------- declaring


@shop.pattern  # E
def no_read(order_id: str) -> Order | None:
    "Not the description of a read."
    return None


@shop.pattern
def promises_a_query(order_id: str) -> Query[Order]:
    "Gets, but promises a query."
    return get(Order, Order.order_id == order_id)  # E


@shop.pattern
def promises_another_entity(order_id: str) -> Get[Customer]:
    "Gets an order, but promises a customer."
    return get(Order, Order.order_id == order_id)  # E


@shop.pattern
def promises_the_whole(order_id: str) -> Get[Order]:
    "Gets some fields, but promises all."
    return get(Order, Order.order_id == order_id).only(OrderRow)  # E


@shop.pattern
def forgets_to_return(order_id: str) -> Get[Order]:  # E
    "Describes a read, and drops it."
    get(Order, Order.order_id == order_id)


query(Order, Order.username)  # E - a text is no condition
query(Order, "username", "alice")  # E
query("Order", True)  # E
query(OrderRow, OrderRow.order_id == "o1")  # E - a view is no entity
query(Order, Order.username == "alice").newest_firts()  # E
query(Order, Order.username == "alice").per_page("20")  # E
query(Order, Order.username == "alice").via(1)  # E
query(Order, Order.username == "alice").filter(Order.parcels)  # E
query(Order, Order.username == "alice").only("order_id")  # E
query(Order, Order.username == "alice").when(NOW, lambda t: Order.username >= t)  # E
query(Order, Order.username == "alice").when(NOW, lambda t: Order.placed_at)  # E
get(Order, Order.order_id == "o1").newest_first()  # E - a get has no order
get(Order, Order.order_id == "o1").per_page(20)  # E

# ------------------------------------------------------------------------------------------------------- comparisons

Order.username == "alice"
Order.placed_at < NOW
Order.total >= Decimal(10)
Order.total >= 10
Order.tracking == None  # noqa: E711
Order.status != "PENDING"
given(Order.tracking) > "a"
between(Order.placed_at, NOW, NOW)
starts_with(Order.tracking, "DE")
contains(Order.tags, "gift")
is_in(Order.status, ["PENDING", "SHIPPED"])
all_of(Order.parcels > 1, size(Order.tags) == 0)

Order.usrname == "alice"  # E
Order.username == 1  # E: mypy - standard pyright lets everything be compared with ==
Order.username != 1  # E: mypy
Order.status == "LOST"  # E: mypy
Order.tracking == 1  # E: mypy
Order.tags == "gift"  # E: mypy
Order.addresses == []  # E
Order.placed_at < "2026-01-01"  # E
Order.placed_at >= 20260101  # E
Order.total > "10"  # E
Order.parcels <= None  # E
Order.tracking > "a"  # E - it may be None: given() says what then
given(Order.tracking) > 1  # E
starts_with(Order.placed_at, "2026")  # E
starts_with(Order.username, 1)  # E
contains(Order.parcels, 1)  # E
size(Order.parcels) > 1  # E
size(Order.tags) > "1"  # E
all_of(Order.username, Order.order_id)  # E
Customer.addresses[0].town == "Bonn"  # E

# Wrong, but no type checker tells: a type with an == of its own can be compared with anything, a type variable widens,
# and a condition is a bool, whichever entity it is about. These are refused when the model is loaded.
Order.placed_at == "yesterday"
Order.total == "ten"
between(Order.placed_at, "yesterday", "today")
is_in(Order.parcels, ["one", "two"])
query(Order, Customer.username == "alice")
