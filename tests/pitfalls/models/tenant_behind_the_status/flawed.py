"""The tenant behind the status."""

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("App", indexes=[GSI("GSI1")])


class Project(Entity, table=app):
    keys = Keys(
        "TENANT#{tenant_id}", "PROJECT#{project_id}", GSI1=("STATUS#{status}#{tenant_id}", "PROJECT#{project_id}")
    )
    tenant_id: str
    project_id: str
    status: str


@app.pattern
def projects_with_status(tenant_id: str, status: str) -> Query[Project]:
    "Projects of a tenant in one status."
    return query(Project, Project.tenant_id == tenant_id, Project.status == status)
