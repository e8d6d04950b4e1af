"""A moment in the partition key: mended."""

from datetime import datetime

from tablewright import Entity, Keys, Table

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("ORDER#{order_id}", "ORDER#{order_id}")
    placed_at: datetime
    order_id: str
