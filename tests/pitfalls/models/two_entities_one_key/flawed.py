"""Two kinds of items with one key."""

from tablewright import Entity, Keys, Table

app = Table("Shop")


class Customer(Entity, table=app):
    keys = Keys("PARTY#{customer_id}", "PROFILE")
    customer_id: str


class Supplier(Entity, table=app):
    keys = Keys("PARTY#{supplier_id}", "PROFILE")
    supplier_id: str
