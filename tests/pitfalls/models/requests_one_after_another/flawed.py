"""Three requests where one would do."""

from datetime import datetime

from tablewright import Entity, Keys, Query, Table, query

app = Table("Brewing")


class Event(Entity, table=app):
    keys = Keys("BATCH#{batch_id}", "EVENT#{at}#{event_id}")
    batch_id: str
    at: datetime
    event_id: str


class Reminder(Entity, table=app):
    keys = Keys("BATCH#{batch_id}", "REMINDER#{reminder_id}")
    batch_id: str
    reminder_id: str


@app.pattern
def events_of(batch_id: str) -> Query[Event]:
    "What happened to a batch."
    return query(Event, Event.batch_id == batch_id)


@app.pattern
def reminders_of(batch_id: str) -> Query[Reminder]:
    "A batch's reminders."
    return query(Reminder, Reminder.batch_id == batch_id)


app.expect(events_of, source="batch page")
app.expect(reminders_of, source="batch page")
