"""A filter in place of a key."""

from typing import Literal

from tablewright import Entity, Keys, Query, Table, query

app = Table("Brewing")


class Batch(Entity, table=app):
    keys = Keys("USER#{user_id}", "BATCH#{batch_id}")
    user_id: str
    batch_id: str
    status: Literal["active", "archived"] = "active"


@app.pattern
def active_batches(user_id: str) -> Query[Batch]:
    "A user's active batches."
    return query(Batch, Batch.user_id == user_id).filter(Batch.status == "active")
