"""A moment in the partition key."""

from datetime import datetime

from tablewright import Entity, Keys, Table

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("ORDER#{placed_at}", "ORDER#{order_id}")
    placed_at: datetime
    order_id: str
