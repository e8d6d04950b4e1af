"""An item is asked for by a member of its list: mended."""

from typing import Literal

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Surveys", indexes=[GSI("GSI1")])


class Access(Entity, table=app):
    keys = Keys(
        "TENANT#{tenant_id}#USER#{user_id}",
        "SURVEY#{survey_id}",
        GSI1=("TENANT#{tenant_id}#SURVEY#{survey_id}", "USER#{user_id}"),
    )
    tenant_id: str
    user_id: str
    survey_id: str
    role: Literal["owner", "editor", "viewer"]


@app.pattern
def surveys_edited_by(tenant_id: str, user_id: str) -> Query[Access]:
    "The surveys that somebody may see, and as what."
    return query(Access, Access.tenant_id == tenant_id, Access.user_id == user_id)


@app.pattern
def people_of(tenant_id: str, survey_id: str) -> Query[Access]:
    "Who may see a survey."
    return query(Access, Access.tenant_id == tenant_id, Access.survey_id == survey_id)
