"""Money as a float: mended."""

from decimal import Decimal

from tablewright import Entity, Keys, Table

app = Table("Shop")


class Product(Entity, table=app):
    keys = Keys("PRODUCT#{product_id}", "DETAILS")
    product_id: str
    price: Decimal
