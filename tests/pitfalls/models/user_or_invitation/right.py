"""A user by address, or an invitation to it: mended."""

from tablewright import GSI, Entity, Get, Keys, NaturalKey, Query, Table, get, query

app = Table("Service", indexes=[GSI("GSI1")])


class User(Entity, table=app):
    keys = Keys("USER#{username}", "USER#{username}", GSI1=("EMAIL#{email}", "EMAIL#{email}"), unique=["email"])
    username: str
    email: NaturalKey


class Invitation(Entity, table=app):
    keys = Keys("ORG#{org_id}", "INVITATION#{email}", GSI1=("EMAIL#{email}", "INVITATION#{org_id}"))
    org_id: str
    email: NaturalKey


@app.pattern
def user_by_email(email: str) -> Get[User]:
    "The user of an address."
    return get(User, User.email == email)


@app.pattern
def invitations_for(email: str) -> Query[Invitation]:
    "The invitations that wait for an address."
    return query(Invitation, Invitation.email == email)
