"""A relationship as a list of ids."""

from pydantic import Field

from tablewright import Entity, Keys, Table

app = Table("Surveys")


class Element(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "ELEMENT#{element_id}")
    tenant_id: str
    element_id: str


class Phrase(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "PHRASE#{phrase_id}")
    tenant_id: str
    phrase_id: str
    element_ids: list[str] = Field(default_factory=list, max_length=19)
