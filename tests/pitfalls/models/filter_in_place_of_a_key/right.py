"""A filter in place of a key: mended."""

from typing import Literal

from tablewright import GSI, Entity, Keys, Query, Table, attr, query, sparse

app = Table("Brewing", indexes=[GSI("GSI1")])


class Batch(Entity, table=app):
    keys = Keys(
        "USER#{user_id}",
        "BATCH#{batch_id}",
        GSI1=sparse("USER#{user_id}", "BATCH#{batch_id}", when=attr("status") == "active"),
    )
    user_id: str
    batch_id: str
    status: Literal["active", "archived"] = "active"


@app.pattern
def active_batches(user_id: str) -> Query[Batch]:
    "A user's active batches."
    return query(Batch, Batch.user_id == user_id, Batch.status == "active")
