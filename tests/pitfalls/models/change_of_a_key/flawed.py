"""A change of the primary key."""

from tablewright import Entity, Keys, Table

app = Table("Surveys")


class Phrase(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "PHRASE#{kind}#{phrase_id}")
    tenant_id: str
    kind: str
    phrase_id: str


@app.change
def reclassify(p: Phrase, kind: str) -> None:
    "A phrase becomes one of another kind."
    p.kind = kind
