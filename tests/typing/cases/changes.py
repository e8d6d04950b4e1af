"""Changes: their bodies are checked as plain Python, their arguments like those of any function."""

from datetime import datetime
from decimal import Decimal

from tablewright import Table, require

from .model import Address, Customer, Order, move, order, ship, shop

HOME = Address(street="Main St 1", city="Bonn")
alice = Customer(username="alice", email="alice@example.com", name="Alice")
first = Order(username="alice", order_id="o1", placed_at=datetime(2026, 1, 1), total=Decimal(10))

# ------------------------------------------------------------------------------------------------------------ bodies


@shop.change
def right(o: Order, tracking: str, total: Decimal) -> None:
    "Nothing here may be refused."
    require(o.status == "PENDING")
    require(o.total < 1000)
    o.status = "SHIPPED"
    o.tracking = tracking
    o.total = total
    o.parcels += 1


@shop.change
def wrong_assignments(o: Order, count: int, name: str) -> None:
    "Assigns what does not fit."
    o.status = "LOST"  # E
    o.status = name  # E - not every text is a status
    o.tracking = count  # E
    o.total = name  # E
    o.placed_at = None  # E
    o.state = "SHIPPED"  # E
    o.parcels += name  # E
    o.tags.add(count)  # E
    o.tags = [name]  # E
    o.status, o.tracking = "SHIPPED", count  # E


@shop.change
def wrong_requirements(o: Order, name: str) -> None:
    "Requires what is no condition."
    require(o.username)  # E
    require(o.state == "PENDING")  # E
    require(o.placed_at > name)  # E
    require(o.parcels == name)  # E: mypy - standard pyright lets everything be compared with ==
    require(o.status == "LOST")  # E: mypy
    require()  # E
    require(o.parcels == 1, "only one")  # E


@shop.change
def wrong_members(c: Customer, street: str) -> None:
    "Changes parts that do not fit."
    c.addresses.append(street)  # E
    c.addresses[0].town = street  # E
    c.addresses[0].city = 1  # E


# ------------------------------------------------------------------------------------------------------ declarations


@shop.change  # E
def returns(o: Order) -> Order:
    "A change returns nothing."
    return o


@shop.change  # E
def not_of_an_entity(address: Address) -> None:
    "A change is of an entity."


@shop.change  # E
def of_nothing() -> None:
    "A change is of an entity."


# ----------------------------------------------------------------------------------- called directly, as tests do it

ship(first, "DE1")
ship(first, tracking="DE1", parcels=2)
move(alice, HOME)

ship(alice, "DE1")  # E - ship changes orders
ship(order("o1"), "DE1")  # E - that is no order yet
ship(first)  # E
ship(first, 1)  # E
ship(first, "DE1", 2)  # E - by name only
ship(first, "DE1", parcels="2")  # E
ship(first, "DE1", packages=2)  # E
move(alice, "Main St 1")  # E
text: str = ship(first, "DE1")  # E - it returns nothing

# ---------------------------------------------------------------------------------------------------------- planning

ship.plan("DE1", parcels=2)
ship.plan()  # E
ship.plan(first, "DE1")  # E - a plan is of no item in particular
ship.plan(1)  # E
Table("Other").change("ship")  # E
