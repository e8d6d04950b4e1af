"""Lines among the orders."""

from tablewright import Entity, Keys, Query, Table, query

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("USER#{user_id}", "ORDER#{order_id}")
    user_id: str
    order_id: str


class OrderLine(Entity, table=app):
    keys = Keys("USER#{user_id}", "ORDER#{order_id}#ITEM#{line:3}")
    user_id: str
    order_id: str
    line: int


@app.pattern
def orders_of(user_id: str) -> Query[Order]:
    "A user's orders."
    return query(Order, Order.user_id == user_id)
