"""Search for a word in a text."""

from tablewright import GSI, Entity, Keys, Query, Table, query, starts_with

app = Table("Shop", indexes=[GSI("GSI1")])


class Product(Entity, table=app):
    keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
    product_id: str
    category: str
    name: str


@app.pattern
def found_by_word(category: str, word: str) -> Query[Product]:
    "Products of a category whose name begins with a word."
    return query(Product, Product.category == category, starts_with(Product.name, word))
