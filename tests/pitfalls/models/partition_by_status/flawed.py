"""A partition for each status."""

from datetime import datetime
from typing import Literal

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}", GSI1=("STATUS#{status}", "{placed_at}#{order_id}"))
    username: str
    order_id: str
    placed_at: datetime
    status: Literal["PENDING", "SHIPPED", "DELIVERED"] = "PENDING"


@app.pattern
def orders_with_status(status: Literal["PENDING", "SHIPPED", "DELIVERED"]) -> Query[Order]:
    "Orders in one status."
    return query(Order, Order.status == status)
