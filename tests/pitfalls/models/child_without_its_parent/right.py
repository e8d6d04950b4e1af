"""A child's key without its parent: mended."""

from tablewright import Entity, Keys, Table

app = Table("Surveys")


class Section(Entity, table=app):
    keys = Keys("SURVEY#{survey_id}", "SECTION#{section_id}")
    survey_id: str
    section_id: str


class Element(Entity, table=app):
    keys = Keys("SURVEY#{survey_id}", "ELEMENT#{section_id}#{element_id}")
    survey_id: str
    section_id: str
    element_id: str
