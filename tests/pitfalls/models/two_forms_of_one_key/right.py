"""Two forms of one key: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("USER#{user_id}", "ORDER#{placed_at}#{order_id}", GSI1=("ORDER#{order_id}", "ORDER#{order_id}"))
    user_id: str
    placed_at: datetime
    order_id: str


@app.pattern
def orders_of(user_id: str) -> Query[Order]:
    "A user's orders."
    return query(Order, Order.user_id == user_id)


@app.pattern
def order(order_id: str) -> Get[Order]:
    "An order by its number."
    return get(Order, Order.order_id == order_id)
