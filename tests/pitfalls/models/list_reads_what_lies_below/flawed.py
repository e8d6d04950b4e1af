"""A list reads everything below it."""

from tablewright import Entity, Keys, Query, Table, query

app = Table("Surveys")


class Survey(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "SURVEY#{survey_id}")
    tenant_id: str
    survey_id: str


class Section(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "SURVEY#{survey_id}#SECTION#{section_id}")
    tenant_id: str
    survey_id: str
    section_id: str


@app.pattern
def surveys_of(tenant_id: str) -> Query[Survey]:
    "The surveys of a tenant."
    return query(Survey, Survey.tenant_id == tenant_id)
