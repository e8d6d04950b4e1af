"""A link that can be read from one end only: mended."""

from tablewright import GSI, Entity, Keys, Relationship, Table

app = Table("Service", indexes=[GSI("GSI1")])


class Organization(Entity, table=app):
    keys = Keys("ORG#{org_id}", "ORG#{org_id}")
    org_id: str


class User(Entity, table=app):
    keys = Keys("USER#{username}", "USER#{username}")
    username: str


class Membership(Entity, table=app):
    keys = Keys("ORG#{org_id}", "MEMBER#{username}", GSI1=("USER#{username}", "ORG#{org_id}"))
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
