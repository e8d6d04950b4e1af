"""One partition for everything that is active: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Shop", indexes=[GSI("GSI1")])


class User(Entity, table=app):
    keys = Keys("USER#{user_id}", "PROFILE", GSI1=("USERSTATUS#{status}", "{joined_at}#{user_id}"))
    user_id: str
    joined_at: datetime
    status: str


class Order(Entity, table=app):
    keys = Keys("ORDER#{order_id}", "HEADER", GSI1=("ORDERSTATUS#{status}", "{placed_at}#{order_id}"))
    order_id: str
    placed_at: datetime
    status: str


@app.pattern
def users_with_status(status: str) -> Query[User]:
    "Users in one status, newest first."
    return query(User, User.status == status).newest_first()


@app.pattern
def orders_with_status(status: str) -> Query[Order]:
    "Orders in one status, oldest first."
    return query(Order, Order.status == status)


app.expect(User, writes=1, size=300)
app.expect(User.status, distinct=3)
app.expect(users_with_status, rate=1, results=50)
app.expect(Order, writes=5, size=500)
app.expect(Order.status, distinct=4)
app.expect(orders_with_status, rate=2, results=50)
