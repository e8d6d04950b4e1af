"""All items of a kind."""

from tablewright import Entity, Keys, Query, Table, query

app = Table("Shop")


class Customer(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
    username: str


@app.pattern
def customers() -> Query[Customer]:
    "All customers."
    return query(Customer)
