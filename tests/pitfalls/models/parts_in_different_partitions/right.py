"""One request for things that lie apart: mended."""

from dataclasses import dataclass

from tablewright import GSI, Collection, Entity, Keys, Table, collect, many, one, query

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}", GSI1=("ORDER#{order_id}", "ORDER"))
    username: str
    order_id: str


class OrderLine(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "LINE#{order_id}#{line:3}", GSI1=("ORDER#{order_id}", "LINE#{line:3}"))
    username: str
    order_id: str
    line: int


@dataclass
class WholeOrder:
    order: Order | None
    lines: list[OrderLine]


@app.pattern
def whole_order(order_id: str) -> Collection[WholeOrder]:
    "An order with its lines."
    return collect(
        WholeOrder,
        order=one(query(Order, Order.order_id == order_id)),
        lines=many(query(OrderLine, OrderLine.order_id == order_id)),
    )
