"""A version that nobody starts."""

from tablewright import AttributeNames, Entity, Keys, Table

app = Table("Surveys", names=AttributeNames.lower())


class Section(Entity, table=app, version=True):
    keys = Keys("SURVEY#{survey_id}", "SECTION#{section_id}")
    survey_id: str
    section_id: str
    version: int | None = None
