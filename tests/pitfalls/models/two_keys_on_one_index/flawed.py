"""Two keys of one item on one index."""

from tablewright import GSI, Entity, Keys, Table

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys(
        "CUSTOMER#{username}",
        "ORDER#{order_id}",
        GSI1=("ORDER#{order_id}", "ORDER#{order_id}"),
        indexes={"GSI1": ("STATUS#{status}", "ORDER#{order_id}")},
    )
    username: str
    order_id: str
    status: str
