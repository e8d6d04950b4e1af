"""Two orders of one moment."""

from datetime import datetime

from tablewright import Entity, Keys, Query, Table, query

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{placed_at}")
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
def lines_of(order_id: str) -> Query[OrderLine]:
    "The lines of an order."
    return query(OrderLine, OrderLine.order_id == order_id)
