"""An item is asked for by a member of its list."""

from pydantic import Field

from tablewright import Entity, Keys, Query, Table, contains, query

app = Table("Surveys")


class Survey(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "SURVEY#{survey_id}")
    tenant_id: str
    survey_id: str
    editors: list[str] = Field(default_factory=list, max_length=19)


@app.pattern
def surveys_edited_by(tenant_id: str, user_id: str) -> Query[Survey]:
    "The surveys that somebody may edit."
    return query(Survey, Survey.tenant_id == tenant_id).filter(contains(Survey.editors, user_id))
