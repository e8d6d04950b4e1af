"""A time in the key of what is changed by id: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Get, Keys, Table, get

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{placed_at}#{order_id}", GSI1=("ORDER#{order_id}", "ORDER#{order_id}"))
    username: str
    placed_at: datetime
    order_id: str
    paid: bool = False


@app.pattern
def order(order_id: str) -> Get[Order]:
    "An order by its number."
    return get(Order, Order.order_id == order_id)


@app.change
def pay(o: Order) -> None:
    "An order is paid."
    o.paid = True
