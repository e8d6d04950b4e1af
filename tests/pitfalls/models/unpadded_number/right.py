"""A number that does not sort: mended."""

from tablewright import Entity, Keys, Table

app = Table("Surveys")


class Section(Entity, table=app):
    keys = Keys("SURVEY#{survey_id}", "SECTION#{position:6}#{section_id}")
    survey_id: str
    position: int
    section_id: str
