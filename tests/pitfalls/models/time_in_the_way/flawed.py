"""A time in the key of what is changed by id."""

from datetime import datetime

from tablewright import Entity, Keys, Table

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{placed_at}#{order_id}")
    username: str
    placed_at: datetime
    order_id: str
    paid: bool = False


@app.change
def pay(o: Order) -> None:
    "An order is paid."
    o.paid = True
