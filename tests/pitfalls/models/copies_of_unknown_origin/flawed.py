"""A copy that nobody knows to be one."""

from tablewright import Entity, Keys, Relationship, Table

app = Table("Shop")


class Customer(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
    username: str
    full_name: str


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}")
    username: str
    order_id: str
    customer_name: str


app.relate(Relationship(Order, Customer, "1:N", "shallow duplication"))
