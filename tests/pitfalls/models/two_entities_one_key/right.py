"""Two kinds of items with one key: mended."""

from tablewright import Entity, Keys, Table

app = Table("Shop")


class Customer(Entity, table=app):
    keys = Keys("CUSTOMER#{customer_id}", "PROFILE")
    customer_id: str


class Supplier(Entity, table=app):
    keys = Keys("SUPPLIER#{supplier_id}", "PROFILE")
    supplier_id: str
