"""key(...) and Key[E]: a key belongs to one entity."""

from typing import assert_type

from tablewright import Key, key

from .model import Address, Customer, Order, OrderRow

assert_type(key(Order, order_id="o1"), Key[Order])
assert_type(key(Customer, username="alice"), Key[Customer])
assert_type(key(Order, order_id="o1").entity, type[Order])

key()  # E
key("Order", order_id="o1")  # E
key(Order, "o1")  # E - by name only
key(Address, street="Main St 1")  # E - no entity
key(OrderRow, order_id="o1")  # E
order_key: Key[Order] = key(Customer, username="alice")  # E
key(Order, order_id="o1").status  # E - it is only the key

# Wrong, but no type checker tells: the key's fields have no type of their own. Refused when the key is used.
key(Order, order_number="o1")
key(Customer, username=1)


def takes_an_order(of: Key[Order]) -> None:
    takes_an_order(of)
    takes_an_order(key(Order, order_id="o1"))
    takes_an_order(key(Customer, username="alice"))  # E
    takes_an_order("o1")  # E
