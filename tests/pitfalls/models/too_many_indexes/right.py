"""An index for each question: mended."""

from tablewright import GSI, Entity, Get, Keys, Query, Table, get, query

app = Table("Shop", indexes=[GSI("GSI1")])


class Order(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "ORDER#{order_id}", GSI1=("ORDER#{order_id}", "ORDER#{order_id}"))
    username: str
    order_id: str


class Product(Entity, table=app):
    keys = Keys("PRODUCT#{product_id}", "PRODUCT#{product_id}", GSI1=("CATEGORY#{category}", "PRODUCT#{product_id}"))
    product_id: str
    category: str


@app.pattern
def order(order_id: str) -> Get[Order]:
    "An order by its number."
    return get(Order, Order.order_id == order_id)


@app.pattern
def products_in(category: str) -> Query[Product]:
    "The products of a category."
    return query(Product, Product.category == category)
