"""Two forms of one key."""

from datetime import datetime

from tablewright import Entity, Keys, Query, Table, query

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("USER#{user_id}", "ORDER#{placed_at}#{order_id}")
    user_id: str
    placed_at: datetime
    order_id: str


class OldOrder(Entity, table=app):
    keys = Keys("USER#{user_id}", "ORDER#{order_id}")
    user_id: str
    order_id: str


@app.pattern
def old_orders_of(user_id: str) -> Query[OldOrder]:
    "The orders of before."
    return query(OldOrder, OldOrder.user_id == user_id)
