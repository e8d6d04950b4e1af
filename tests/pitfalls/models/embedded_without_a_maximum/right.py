"""An embedded relationship without a maximum: mended."""

from pydantic import Field

from tablewright import Entity, Keys, Relationship, Table

app = Table("Shop")


class Customer(Entity, table=app):
    keys = Keys("CUSTOMER#{username}", "CUSTOMER#{username}")
    username: str
    addresses: list[str] = Field(default_factory=list, max_length=5)


app.relate(Relationship(Customer, "Address", "1:N", "embedded", field="addresses"))
