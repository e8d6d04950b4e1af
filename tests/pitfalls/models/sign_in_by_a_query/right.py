"""A sign-in by a query: mended."""

from tablewright import GSI, Entity, Get, Keys, NaturalKey, Table, get

app = Table("App", indexes=[GSI("GSI1")])


class User(Entity, table=app):
    keys = Keys("USER#{user_id}", "PROFILE", GSI1=("EMAIL#{email}", "EMAIL#{email}"), unique=["email"])
    user_id: str
    email: NaturalKey


@app.pattern
def user_by_email(email: str) -> Get[User]:
    "Who signs in with this address."
    return get(User, User.email == email)
