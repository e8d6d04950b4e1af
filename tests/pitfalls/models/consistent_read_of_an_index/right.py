"""A consistent read of a global index: mended."""

from tablewright import Entity, Get, Keys, Table, get

app = Table("Brewing")


class Batch(Entity, table=app):
    keys = Keys("USER#{user_id}", "BATCH#{batch_id}")
    user_id: str
    batch_id: str


@app.pattern
def fresh_batch(user_id: str, batch_id: str) -> Get[Batch]:
    "A batch as it was just written."
    return get(Batch, Batch.user_id == user_id, Batch.batch_id == batch_id).consistent()
