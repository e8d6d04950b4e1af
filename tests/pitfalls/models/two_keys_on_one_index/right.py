"""Two keys of one item on one index: mended."""

from tablewright import GSI, Entity, Keys, Table

app = Table("Shop", indexes=[GSI("GSI1"), GSI("GSI2")])


class Order(Entity, table=app):
    keys = Keys(
        "CUSTOMER#{username}",
        "ORDER#{order_id}",
        GSI1=("ORDER#{order_id}", "ORDER#{order_id}"),
        GSI2=("STATUS#{status}", "ORDER#{order_id}"),
    )
    username: str
    order_id: str
    status: str
