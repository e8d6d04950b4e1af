"""Entities: constructors and attributes are checked as those of a dataclass are."""

from datetime import datetime
from decimal import Decimal
from typing import assert_type

from .model import Address, Customer, Order, OrderStatus

NOW = datetime(2026, 1, 1)

alice = Customer(username="alice", email="alice@example.com", name="Alice")
at_home = Customer(
    username="alice", email="a@example.com", name="Alice", addresses=[Address(street="Main St 1", city="Bonn")]
)
order = Order(username="alice", order_id="o1", placed_at=NOW, total=Decimal(10), tracking=None)

# ----------------------------------------------------------------------------------------------------- constructors

Customer(username="alice", email="alice@example.com", name="Alice", nickname="al")  # E - no such field
Customer(user_name="alice", email="alice@example.com", name="Alice")  # E - no such field, and one is missing
Customer(username="alice", email="alice@example.com")  # E - name is missing
Customer()  # E
Customer("alice", "alice@example.com", "Alice")  # E - by name only
Customer(username=1, email="alice@example.com", name="Alice")  # E
Customer(username="alice", email=None, name="Alice")  # E
Customer(username="alice", email="alice@example.com", name="Alice", addresses=["Main St 1"])  # E
Customer(username="alice", email="alice@example.com", name="Alice", keys="CUSTOMER#alice")  # E - keys are no field
Order(username="alice", order_id="o1", placed_at="2026-01-01", total=Decimal(10))  # E
Order(username="alice", order_id="o1", placed_at=NOW, total=10.5)  # E - money is no float
Order(username="alice", order_id="o1", placed_at=NOW, total=Decimal(10), status="LOST")  # E
Order(username="alice", order_id="o1", placed_at=NOW, total=Decimal(10), parcels="2")  # E
Order(username="alice", order_id="o1", placed_at=NOW, total=Decimal(10), tags={1, 2})  # E

# ------------------------------------------------------------------------------------------------------- attributes

assert_type(alice.username, str)
assert_type(alice.email, str)
assert_type(alice.addresses, list[Address])
assert_type(alice.addresses[0].city, str)
assert_type(order.placed_at, datetime)
assert_type(order.total, Decimal)
assert_type(order.status, OrderStatus)
assert_type(order.tracking, str | None)

order.status = "SHIPPED"
order.tracking = None
alice.addresses.append(Address(street="Main St 2", city="Bonn"))

order.state  # E
order.state = "SHIPPED"  # E
order.status = "LOST"  # E
order.total = "10"  # E
order.placed_at = None  # E
order.tracking.upper()  # E - it may be None
order.placed_at.strip()  # E
alice.addresses.append("Main St 2")  # E
alice.addresses[0].town  # E
number: int = alice.username  # E

# ---------------------------------------------------------------------------------------------- fields of the class

assert_type(Order.username == "alice", bool)
assert_type(Order.placed_at >= NOW, bool)

Order.user_name  # E
Order.user_name == "alice"  # E
