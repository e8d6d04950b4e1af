"""Shards that a reader cannot name."""

from datetime import datetime

from tablewright import Entity, Keys, Query, Table, query

app = Table("Log")


class Event(Entity, table=app):
    keys = Keys("EVENTS#{suffix:2}", "{at}#{event_id}")
    suffix: int
    at: datetime
    event_id: str


@app.pattern
def events_since(since: datetime) -> Query[Event]:
    "What happened since a moment."
    return query(Event, Event.at >= since)
