"""An index that nobody reads: mended."""

from datetime import datetime

from tablewright import Entity, Keys, Query, Table, query

app = Table("Sync")


class Job(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "JOB#{at}#{job_id}")
    tenant_id: str
    at: datetime
    job_id: str
    status: str


@app.pattern
def jobs_of(tenant_id: str) -> Query[Job]:
    "A tenant's jobs, oldest first."
    return query(Job, Job.tenant_id == tenant_id)
