"""Children that are not where they are said to be."""

from tablewright import Entity, Keys, Relationship, Table

app = Table("Shop")


class Product(Entity, table=app):
    keys = Keys("PRODUCT#{product_id}", "DETAILS")
    product_id: str


class Review(Entity, table=app):
    keys = Keys("REVIEW#{review_id}", "REVIEW#{review_id}")
    product_id: str
    review_id: str


app.relate(Relationship(Product, Review, "1:N", "item collection"))
