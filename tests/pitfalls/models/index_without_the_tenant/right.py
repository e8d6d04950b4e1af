"""An index key without the tenant: mended."""

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Surveys", indexes=[GSI("GSI1")])


class Section(Entity, table=app):
    keys = Keys(
        "TENANT#{tenant_id}",
        "SECTION#{section_id}",
        GSI1=("TENANT#{tenant_id}#SURVEY#{survey_id}", "SECTION#{section_id}"),
    )
    tenant_id: str
    survey_id: str
    section_id: str


@app.pattern
def sections_of(tenant_id: str, survey_id: str) -> Query[Section]:
    "The sections of a survey."
    return query(Section, Section.tenant_id == tenant_id, Section.survey_id == survey_id)
