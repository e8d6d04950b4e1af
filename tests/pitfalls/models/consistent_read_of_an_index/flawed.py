"""A consistent read of a global index."""

from tablewright import GSI, Entity, Get, Keys, Table, get

app = Table("Brewing", indexes=[GSI("GSI1")])


class Batch(Entity, table=app):
    keys = Keys("USER#{user_id}", "BATCH#{batch_id}", GSI1=("BATCH#{batch_id}", "BATCH#{batch_id}"))
    user_id: str
    batch_id: str


@app.pattern
def fresh_batch(batch_id: str) -> Get[Batch]:
    "A batch as it was just written."
    return get(Batch, Batch.batch_id == batch_id).consistent()
