"""A list in a key: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Shop", indexes=[GSI("GSI1")])


class OrderLine(Entity, table=app):
    keys = Keys("ORDER#{order_id}", "LINE#{line:3}", GSI1=("PRODUCT#{product_id}", "{placed_at}#{order_id}#{line:3}"))
    order_id: str
    line: int
    product_id: str
    placed_at: datetime


@app.pattern
def orders_with(product_id: str) -> Query[OrderLine]:
    "Where a product was bought, newest first."
    return query(OrderLine, OrderLine.product_id == product_id).newest_first()
