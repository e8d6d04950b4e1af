"""The most sold first, in an order that no key has."""

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Shop", indexes=[GSI("GSI1")])


class Product(Entity, table=app):
    keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
    product_id: str
    category: str
    sold: int = 0


@app.pattern
def bestsellers(category: str) -> Query[Product]:
    "The products of a category, the most sold first."
    return query(Product, Product.category == category).sorted_by(Product.sold).newest_first()
