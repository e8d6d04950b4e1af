"""A range without a partition: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Shard, Table, query

app = Table("Brewing", indexes=[GSI("GSI1")])


class Reminder(Entity, table=app):
    keys = Keys(
        "BATCH#{batch_id}",
        "REMINDER#{reminder_id}",
        GSI1=("DUE#{shard}", "{due_at}#{reminder_id}"),
        derive={"shard": Shard("reminder_id", of=2)},
    )
    batch_id: str
    reminder_id: str
    user_id: str
    due_at: datetime


@app.pattern
def due(now: datetime) -> Query[Reminder]:
    "Everybody's reminders that are due."
    return query(Reminder, Reminder.due_at <= now)
