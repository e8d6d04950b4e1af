"""A partition for each status: mended."""

from datetime import datetime
from typing import Literal

from tablewright import GSI, Entity, Keys, Query, Shard, Table, query

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys(
        "CUSTOMER#{username}",
        "ORDER#{order_id}",
        GSI1=("STATUS#{status}#{shard}", "{placed_at}#{order_id}"),
        derive={"shard": Shard("order_id", of=8)},
    )
    username: str
    order_id: str
    placed_at: datetime
    status: Literal["PENDING", "SHIPPED", "DELIVERED"] = "PENDING"


@app.pattern
def orders_with_status(status: Literal["PENDING", "SHIPPED", "DELIVERED"]) -> Query[Order]:
    "Orders in one status."
    return query(Order, Order.status == status)
