"""A range without a partition."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, query

app = Table("Brewing", indexes=[GSI("GSI1")])


class Reminder(Entity, table=app):
    keys = Keys("BATCH#{batch_id}", "REMINDER#{reminder_id}", GSI1=("USER#{user_id}", "DUE#{due_at}#{reminder_id}"))
    batch_id: str
    reminder_id: str
    user_id: str
    due_at: datetime


@app.pattern
def due(now: datetime) -> Query[Reminder]:
    "Everybody's reminders that are due."
    return query(Reminder, Reminder.due_at <= now)
