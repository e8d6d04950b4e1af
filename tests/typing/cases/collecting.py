"""Collections: `collect()` is checked against the constructor of the user's own class."""

from dataclasses import dataclass
from typing import assert_type

from pydantic import BaseModel

from tablewright import Collection, Mixed, Session, collect, many, one, query

from .model import Customer, CustomerPage, Order, OrderRow

customers = query(Customer, Customer.username == "alice")
orders = query(Order, Order.username == "alice")

assert_type(one(customers), Customer | None)
assert_type(many(orders), list[Order])
assert_type(many(orders.only(OrderRow)), list[OrderRow])
assert_type(collect(CustomerPage, customer=one(customers), orders=many(orders)), Collection[CustomerPage])

collect(CustomerPage, customer=one(customers))  # E - a slot is missing
collect(CustomerPage)  # E
collect(CustomerPage, client=one(customers), orders=many(orders))  # E - no such slot
collect(CustomerPage, customer=one(customers), orders=many(orders), rest=many(orders))  # E
collect(CustomerPage, customer=many(customers), orders=many(orders))  # E - one, not many
collect(CustomerPage, customer=one(customers), orders=one(orders))  # E - many, not one
collect(CustomerPage, customer=one(orders), orders=many(orders))  # E - another entity
collect(CustomerPage, customer=one(customers), orders=many(customers))  # E
collect(CustomerPage, customer=one(customers), orders=many(orders.only(OrderRow)))  # E
collect(CustomerPage, customer=customers, orders=orders)  # E - neither one() nor many()
collect("CustomerPage", customer=one(customers), orders=many(orders))  # E
many(Order)  # E
one(many(orders))  # E


@dataclass
class Certain:
    """Has a slot that does not expect None, and one that may be left out."""

    customer: Customer
    orders: list[Order] | None = None


collect(Certain, customer=one(customers), orders=many(orders))  # E - there may be no customer


class Page(BaseModel):
    """A Pydantic model will do as well."""

    customer: Customer | None
    rows: list[OrderRow]


assert_type(collect(Page, customer=one(customers), rows=many(orders.only(OrderRow))), Collection[Page])
collect(Page, customer=one(customers), rows=many(orders))  # E


def promises_another_class(username: str) -> Collection[Certain]:
    return collect(CustomerPage, customer=one(customers), orders=many(orders))  # E


# ------------------------------------------------------------------------------------------------ several as they are

assert_type(customers | orders, Mixed[Customer | Order])
assert_type(customers | orders | orders.only(OrderRow), Mixed[Customer | Order | OrderRow])


def both(username: str) -> Mixed[Customer | Order]:
    return query(Customer, Customer.username == username) | query(Order, Order.username == username)


def promises_less(username: str) -> Mixed[Customer]:
    return query(Customer, Customer.username == username) | query(Order, Order.username == username)  # E


def reads(db: Session) -> None:
    for item in db.execute(customers | orders):
        assert_type(item, Customer | Order)
        item.email  # E - only one of them has it
        if isinstance(item, Order):
            assert_type(item.order_id, str)


customers | "orders"  # E
customers | one(orders)  # E
