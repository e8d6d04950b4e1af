"""A relationship as a list of ids: mended."""

from tablewright import Entity, Keys, Query, Table, query

app = Table("Surveys")


class Element(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "ELEMENT#{element_id}")
    tenant_id: str
    element_id: str


class Phrase(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "PHRASE#{phrase_id}")
    tenant_id: str
    phrase_id: str


class PhraseUse(Entity, table=app):
    keys = Keys("TENANT#{tenant_id}", "PHRASEFOR#{element_id}#{phrase_id}")
    tenant_id: str
    element_id: str
    phrase_id: str


@app.pattern
def phrases_for(tenant_id: str, element_id: str) -> Query[PhraseUse]:
    "Which phrases are for an element."
    return query(PhraseUse, PhraseUse.tenant_id == tenant_id, PhraseUse.element_id == element_id)
