"""Two orders of one moment: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{placed_at}#{order_id}", GSI1=("ORDER#{order_id}", "ORDER"))
    username: str
    order_id: str
    placed_at: datetime


class OrderLine(Entity, table=app):
    keys = Keys("ORDER#{order_id}", "LINE#{line:4}")
    order_id: str
    line: int


@app.pattern
def orders_of(username: str) -> Query[Order]:
    "The orders of a customer, oldest first."
    return query(Order, Order.username == username)


@app.pattern
def order(order_id: str) -> Get[Order]:
    "An order by its number."
    return get(Order, Order.order_id == order_id)


@app.pattern
def lines_of(order_id: str) -> Query[OrderLine]:
    "The lines of an order."
    return query(OrderLine, OrderLine.order_id == order_id)
