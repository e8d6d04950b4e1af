"""What is done stays in the index: mended."""

from datetime import datetime
from typing import Literal

from tablewright import GSI, Entity, Keys, Query, Table, attr, query, sparse

app = Table("Brewing", indexes=[GSI("GSI1")])


class Reminder(Entity, table=app):
    keys = Keys(
        "BATCH#{batch_id}",
        "REMINDER#{reminder_id}",
        GSI1=sparse("USER#{user_id}", "{due_at}#{reminder_id}", when=attr("status") == "pending"),
    )
    batch_id: str
    reminder_id: str
    user_id: str
    due_at: datetime
    status: Literal["pending", "sent", "cancelled"] = "pending"


@app.pattern
def upcoming(user_id: str, now: datetime) -> Query[Reminder]:
    "A user's pending reminders."
    return query(Reminder, Reminder.user_id == user_id, Reminder.status == "pending", Reminder.due_at >= now)
