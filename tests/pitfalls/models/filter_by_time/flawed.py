"""The last thirty days by a filter."""

from datetime import datetime

from tablewright import Entity, Keys, Query, Table, query

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("USER#{user_id}", "ORDER#{order_id}")
    user_id: str
    order_id: str
    placed_at: datetime


@app.pattern
def recent_orders(user_id: str, since: datetime) -> Query[Order]:
    "A user's orders since a day."
    return query(Order, Order.user_id == user_id).filter(Order.placed_at >= since)
