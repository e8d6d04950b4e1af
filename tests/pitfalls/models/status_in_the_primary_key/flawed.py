"""Something that changes in the primary key."""

from typing import Literal

from tablewright import Entity, Keys, Table

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{status}#{order_id}")
    username: str
    order_id: str
    status: Literal["PENDING", "SHIPPED"] = "PENDING"
