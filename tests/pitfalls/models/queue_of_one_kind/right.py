"""A queue that holds one kind only: mended."""

from typing import Literal

from tablewright import GSI, Entity, Keys, Mixed, Table, query

app = Table("Surveys", indexes=[GSI("GSI1")])


class Survey(Entity, table=app):
    keys = Keys(
        "TENANT#{tenant_id}",
        "SURVEY#{survey_id}",
        GSI1=("TENANT#{tenant_id}#{sync_status}", "{updated_at}#SURVEY#{survey_id}"),
    )
    tenant_id: str
    survey_id: str
    sync_status: Literal["synced", "pending"] = "pending"


class Section(Entity, table=app):
    keys = Keys(
        "TENANT#{tenant_id}",
        "SECTION#{survey_id}#{section_id}",
        GSI1=("TENANT#{tenant_id}#{sync_status}", "{updated_at}#SECTION#{survey_id}#{section_id}"),
    )
    tenant_id: str
    survey_id: str
    section_id: str
    sync_status: Literal["synced", "pending"] = "pending"


@app.pattern
def queue(tenant_id: str, status: Literal["synced", "pending"]) -> Mixed[Survey | Section]:
    "What is in one state of synchronising, longest wait first."
    return query(Survey, Survey.tenant_id == tenant_id, Survey.sync_status == status) | query(
        Section, Section.tenant_id == tenant_id, Section.sync_status == status
    )
