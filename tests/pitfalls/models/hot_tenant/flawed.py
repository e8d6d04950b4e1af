"""One tenant's writes in one partition."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Surveys", indexes=[GSI("GSI1")])


class Reading(Entity, table=app):
    keys = Keys(
        "SITE#{tenant_id}#{site_id}",
        "READING#{at}",
        GSI1=("TENANT#{tenant_id}", "{at}#{site_id}"),
    )
    tenant_id: str
    site_id: str
    at: datetime


@app.pattern
def readings_of(tenant_id: str, since: datetime) -> Query[Reading]:
    "What a tenant's sites said since a moment."
    return query(Reading, Reading.tenant_id == tenant_id, Reading.at >= since)


app.expect(Reading, items=100_000_000, size=200, writes=5_000)
app.expect(Reading.tenant_id, distinct=200, hottest=0.4)
app.expect(Reading.site_id, distinct=20_000)
