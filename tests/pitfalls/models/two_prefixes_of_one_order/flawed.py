"""Two prefixes of one order."""

from tablewright import GSI, Entity, Get, Keys, Table, get

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORD#{order_id}", GSI1=("ORDER#{order_id}", "ORDER"))
    username: str
    order_id: str


@app.pattern
def order(order_id: str) -> Get[Order]:
    "An order by its number."
    return get(Order, Order.order_id == order_id)
