"""A list in a key."""

from pydantic import Field

from tablewright import GSI, Entity, Keys, Table

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}", GSI1=("PRODUCT#{product_ids}", "ORDER#{order_id}"))
    username: str
    order_id: str
    product_ids: list[str] = Field(default_factory=list, max_length=10)
