"""A whole library in one item: mended."""

from datetime import datetime

from pydantic import Field

from tablewright import Entity, Keys, Table

app = Table("Surveys")


class SnapshotSection(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "SNAPSHOT#{taken_at}#SECTION#{section_id}")
    tenant_id: str
    taken_at: datetime
    section_id: str
    texts: dict[str, str] = Field(default_factory=dict, max_length=200)


app.expect(SnapshotSection, size=6_000, max_size=40_000)
