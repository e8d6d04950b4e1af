"""A whole library in one item."""

from datetime import datetime

from pydantic import Field

from tablewright import Entity, Keys, Table

app = Table("Surveys")


class Snapshot(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "SNAPSHOT#{taken_at}")
    tenant_id: str
    taken_at: datetime
    texts: dict[str, str] = Field(default_factory=dict, max_length=5_000)


app.expect(Snapshot, size=120_000, max_size=900_000)
