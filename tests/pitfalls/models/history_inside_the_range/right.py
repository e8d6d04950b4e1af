"""A history in the middle of what is read: mended."""

from dataclasses import dataclass
from datetime import datetime

from tablewright import Collection, Entity, Keys, Table, collect, many, query

app = Table("Surveys")


class Component(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "SURVEY#{survey_id}#COMPONENT#{component_id}")
    tenant_id: str
    survey_id: str
    component_id: str


class Config(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "SURVEYCONFIG#{survey_id}#{taken_at}")
    tenant_id: str
    survey_id: str
    taken_at: datetime


class Element(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "SURVEY#{survey_id}#ELEMENT#{element_id}")
    tenant_id: str
    survey_id: str
    element_id: str


@dataclass
class Parts:
    components: list[Component]
    elements: list[Element]


@app.pattern
def parts_of(tenant_id: str, survey_id: str) -> Collection[Parts]:
    "The parts of a survey."
    return collect(
        Parts,
        components=many(query(Component, Component.tenant_id == tenant_id, Component.survey_id == survey_id)),
        elements=many(query(Element, Element.tenant_id == tenant_id, Element.survey_id == survey_id)),
    )
