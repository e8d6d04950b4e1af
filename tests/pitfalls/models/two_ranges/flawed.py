"""Two ranges on one sort key."""

from datetime import datetime

from tablewright import GSI, Entity, Keys, Query, Table, query, starts_with

app = Table("Brewing", indexes=[GSI("GSI1")])


class Reminder(Entity, table=app):
    keys = Keys("BATCH#{batch_id}", "REMINDER#{reminder_id}", GSI1=("USER#{user_id}", "{kind}#{due_at}#{reminder_id}"))
    batch_id: str
    reminder_id: str
    user_id: str
    kind: str
    due_at: datetime


@app.pattern
def upcoming(user_id: str, kind: str, now: datetime) -> Query[Reminder]:
    "What is due from now on."
    return query(Reminder, Reminder.user_id == user_id, starts_with(Reminder.kind, kind), Reminder.due_at > now)
