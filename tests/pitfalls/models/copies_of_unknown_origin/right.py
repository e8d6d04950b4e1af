"""A copy that nobody knows to be one: mended."""

from tablewright import Entity, Keys, Query, Relationship, Table, query

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


@app.pattern
def orders_of(username: str) -> Query[Order]:
    "A customer's orders."
    return query(Order, Order.username == username)


app.relate(
    Relationship(
        Order,
        Customer,
        "1:N",
        "shallow duplication",
        copies={"customer_name": "full_name"},
        found_by=orders_of,
    )
)
