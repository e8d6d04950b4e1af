"""Ties in a feed of changes: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, SoftDelete, Table, query, updated

app = Table("Notes", indexes=[GSI("GSI1")])


class Note(Entity, table=app, soft_delete=SoftDelete(feed="GSI1")):
    keys = Keys("USER#{user}", "NOTE#{note_id}", GSI1=("USER#{user}", "{updated_at}#{note_id}"))
    user: str
    note_id: str


@app.pattern
def changed_since(user: str, since: datetime) -> Query[Note]:
    "What changed since a moment."
    return query(Note, Note.user == user, updated(Note) >= since)
