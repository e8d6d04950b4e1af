"""Two keys of one item on one index: mended."""

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

app = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])


class Order(Entity, table=app):
    keys = Keys(
        "CUSTOMER#{username}",
        "ORDER#{order_id}",
        GSI1=("ORDER#{order_id}", "ORDER#{order_id}"),
        GSI2=("STATUS#{status}", "ORDER#{order_id}"),
    )
    username: str
    order_id: str
    status: str


@app.pattern
def order(order_id: str) -> Get[Order]:
    "An order by its number."
    return get(Order, Order.order_id == order_id)


@app.pattern
def orders_with_status(status: str) -> Query[Order]:
    "Orders in one status."
    return query(Order, Order.status == status)


app.expect(Order, writes=5, size=500)
app.expect(Order.status, distinct=4)
app.expect(orders_with_status, rate=2, results=50)
