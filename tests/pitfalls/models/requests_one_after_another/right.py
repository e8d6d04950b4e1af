"""Three requests where one would do: mended."""

from dataclasses import dataclass
from datetime import datetime

from tablewright import Collection, Entity, Keys, Table, collect, many, query

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


@dataclass
class BatchLog:
    events: list[Event]
    reminders: list[Reminder]


@app.pattern
def log_of(batch_id: str) -> Collection[BatchLog]:
    "What happened to a batch, and its reminders."
    return collect(
        BatchLog,
        events=many(query(Event, Event.batch_id == batch_id)),
        reminders=many(query(Reminder, Reminder.batch_id == batch_id)),
    )


app.expect(log_of, source="batch page")
