"""Two ranges on one sort key: mended."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, between, query

app = Table("Brewing", indexes=[GSI("GSI1")])


class Reminder(Entity, table=app):
    keys = Keys("BATCH#{batch_id}", "REMINDER#{reminder_id}", GSI1=("USER#{user_id}", "{kind}#{due_at}#{reminder_id}"))
    batch_id: str
    reminder_id: str
    user_id: str
    kind: str
    due_at: datetime


@app.pattern
def upcoming(user_id: str, kind: str, now: datetime, until: datetime) -> Query[Reminder]:
    "What is due in a period."
    return query(Reminder, Reminder.user_id == user_id, Reminder.kind == kind, between(Reminder.due_at, now, until))
