"""A change of the primary key: mended."""

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Surveys", indexes=[GSI("GSI1")])


class Phrase(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "PHRASE#{phrase_id}", GSI1=("TENANT#{tenant_id}#{kind}", "PHRASE#{phrase_id}"))
    tenant_id: str
    kind: str
    phrase_id: str


@app.change
def reclassify(p: Phrase, kind: str) -> None:
    "A phrase becomes one of another kind."
    p.kind = kind


@app.pattern
def phrases(tenant_id: str, kind: str) -> Query[Phrase]:
    "The phrases of one kind."
    return query(Phrase, Phrase.tenant_id == tenant_id, Phrase.kind == kind)
