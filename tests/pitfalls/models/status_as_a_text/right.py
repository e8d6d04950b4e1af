"""A status without a type: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Shard, Table, query

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys(
        "ORDER#{order_id}",
        "ORDER",
        GSI1=("STATUS#{status}#{shard}", "{placed_at}#{order_id}"),
        derive={"shard": Shard("order_id", of=8)},
    )
    order_id: str
    placed_at: datetime
    status: str = "pending"


@app.pattern
def orders_with_status(status: str) -> Query[Order]:
    "Orders in one status, oldest first."
    return query(Order, Order.status == status)
