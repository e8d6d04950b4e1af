"""A sign-in by a query."""

from tablewright import GSI, Entity, Keys, NaturalKey, Query, Table, query

app = Table("App", indexes=[GSI("GSI1")])


class User(Entity, table=app):
    keys = Keys("USER#{user_id}", "PROFILE", GSI1=("EMAIL#{email}", "EMAIL#{email}"))
    user_id: str
    email: NaturalKey


@app.pattern
def users_by_email(email: str) -> Query[User]:
    "Who signs in with this address; the first is taken."
    return query(User, User.email == email)
