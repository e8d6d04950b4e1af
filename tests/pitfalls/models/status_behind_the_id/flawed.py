"""The status follows the id in the sort key."""

from datetime import datetime
from typing import Literal

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Brewing", indexes=[GSI("GSI1")])


class Batch(Entity, table=app):
    keys = Keys("USER#{user_id}", "BATCH#{batch_id}", GSI1=("BATCH#{batch_id}", "STATUS#{status}#{started_at}"))
    user_id: str
    batch_id: str
    status: Literal["active", "ready"] = "active"
    started_at: datetime


@app.pattern
def batches_with_status(user_id: str, status: Literal["active", "ready"]) -> Query[Batch]:
    "A user's batches in one status."
    return query(Batch, Batch.user_id == user_id, Batch.status == status).newest_first()
