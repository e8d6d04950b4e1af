"""One partition for everything that is active."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Shop", indexes=[GSI("GSI1")])


class User(Entity, table=app):
    keys = Keys("USER#{user_id}", "PROFILE", GSI1=("STATUS#{status}", "{joined_at}#{user_id}"))
    user_id: str
    joined_at: datetime
    status: str


class Order(Entity, table=app):
    keys = Keys("ORDER#{order_id}", "HEADER", GSI1=("STATUS#{status}", "{placed_at}#{order_id}"))
    order_id: str
    placed_at: datetime
    status: str


@app.pattern
def users_with_status(status: str) -> Query[User]:
    "Users in one status, newest first."
    return query(User, User.status == status).newest_first()
