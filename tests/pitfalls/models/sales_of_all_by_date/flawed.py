"""All sales of a period."""

from datetime import datetime
from decimal import Decimal

from tablewright import Entity, Keys, Query, Table, between, query

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{placed_at}#{order_id}")
    username: str
    order_id: str
    placed_at: datetime
    total: Decimal


@app.pattern
def sales(start: datetime, end: datetime) -> Query[Order]:
    "What was sold in a period."
    return query(Order, between(Order.placed_at, start, end))
