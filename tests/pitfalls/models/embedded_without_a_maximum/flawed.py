"""An embedded relationship without a maximum."""

from pydantic import Field

from tablewright import Entity, Keys, Relationship, Table

app = Table("Shop")


class Customer(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
    username: str
    addresses: list[str] = Field(default_factory=list)


app.relate(Relationship(Customer, "Address", "1:N", "embedded", field="addresses"))
