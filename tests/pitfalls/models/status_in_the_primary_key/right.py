"""Something that changes in the primary key: mended."""

from typing import Literal

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}", GSI1=("CUSTOMER#{username}#{status}", "ORDER#{order_id}"))
    username: str
    order_id: str
    status: Literal["PENDING", "SHIPPED"] = "PENDING"


@app.pattern
def orders_with_status(username: str, status: Literal["PENDING", "SHIPPED"]) -> Query[Order]:
    "A customer's orders in one status."
    return query(Order, Order.username == username, Order.status == status)
