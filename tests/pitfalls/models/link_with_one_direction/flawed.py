"""A link that can be read from one end only."""

from tablewright import Entity, Keys, Relationship, Table

app = Table("Service")


class Organization(Entity, table=app):
    keys = Keys("ORG#{org_id}", "ORG#{org_id}")
    org_id: str


class User(Entity, table=app):
    keys = Keys("USER#{username}", "USER#{username}")
    username: str


class Membership(Entity, table=app):
    keys = Keys("ORG#{org_id}", "MEMBER#{username}")
    org_id: str
    username: str


app.relate(
    Relationship(
        Organization,
        User,
        "M:N",
        "materialised graph",
        via=Membership,
        source_fields=("org_id",),
        target_fields=("username",),
    )
)
