"""A user by address, or an invitation to it."""

from tablewright import GSI, Entity, Keys, NaturalKey, Query, Table, query

app = Table("Service", indexes=[GSI("GSI1")])


class User(Entity, table=app):
    keys = Keys("USER#{username}", "USER#{username}", GSI1=("EMAIL#{email}", "{username}"), unique=["email"])
    username: str
    email: NaturalKey


class Invitation(Entity, table=app):
    keys = Keys("ORG#{org_id}", "INVITATION#{email}", GSI1=("EMAIL#{email}", "INVITATION#{org_id}"))
    org_id: str
    email: NaturalKey


@app.pattern
def user_by_email(email: str) -> Query[User]:
    "The user of an address."
    return query(User, User.email == email)
