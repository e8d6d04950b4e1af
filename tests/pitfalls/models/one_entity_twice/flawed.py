"""One kind of item with two primary keys."""

from tablewright import Entity, Keys, Table

app = Table("Shop")


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
    username: str
    order_id: str


class OrderByNumber(Entity, table=app, type="Order"):
    keys = Keys("ORDER#{order_id}", "ORDER#{order_id}")
    username: str
    order_id: str
