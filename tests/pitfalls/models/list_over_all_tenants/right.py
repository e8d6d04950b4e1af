"""An index that mixes tenants: mended."""

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Service", indexes=[GSI("GSI1")])


class Project(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "PROJECT#{project_id}")
    tenant_id: str
    project_id: str


class Task(Entity, table=app):
    keys = Keys(
        "TENANT#{tenant_id}",
        "TASK#{task_id}",
        GSI1=("TENANT#{tenant_id}#PROJECT#{project_id}", "TASK#{task_id}"),
    )
    tenant_id: str
    project_id: str
    task_id: str


@app.pattern
def tasks_of(tenant_id: str, project_id: str) -> Query[Task]:
    "The tasks of a project."
    return query(Task, Task.tenant_id == tenant_id, Task.project_id == project_id)
