"""One item is asked for by half of an index key."""

from typing import Literal

from tablewright import GSI, Entity, Get, Keys, Table, get

app = Table("Brewing", indexes=[GSI("GSI1")])


class Batch(Entity, table=app):
    keys = Keys("USER#{user_id}", "BATCH#{batch_id}", GSI1=("BATCH#{batch_id}", "STATUS#{status}"))
    user_id: str
    batch_id: str
    status: Literal["active", "ready"] = "active"


@app.pattern
def batch(batch_id: str) -> Get[Batch]:
    "A batch by its id."
    return get(Batch, Batch.batch_id == batch_id)
