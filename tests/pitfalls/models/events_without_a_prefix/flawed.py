"""Events since a moment, and reminders with them."""

from datetime import datetime

from tablewright import Entity, Keys, Query, Table, query

app = Table("Brewing")


class Event(Entity, table=app):
    keys = Keys("BATCH#{batch_id}", "{at}#{event_id}")
    batch_id: str
    at: datetime
    event_id: str


class Reminder(Entity, table=app):
    keys = Keys("BATCH#{batch_id}", "{due_at}#{reminder_id}#REMINDER")
    batch_id: str
    due_at: datetime
    reminder_id: str


@app.pattern
def events_since(batch_id: str, since: datetime) -> Query[Event]:
    "What happened to a batch since a moment."
    return query(Event, Event.batch_id == batch_id, Event.at >= since)
