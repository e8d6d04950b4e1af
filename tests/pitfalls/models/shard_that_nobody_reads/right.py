"""Shards that a reader cannot name: mended."""

from datetime import datetime

from tablewright import Entity, Keys, Query, Shard, Table, query

app = Table("Log")


class Event(Entity, table=app):
    keys = Keys("EVENTS#{shard}", "{at}#{event_id}", derive={"shard": Shard("event_id", of=8)})
    at: datetime
    event_id: str


@app.pattern
def events_since(since: datetime) -> Query[Event]:
    "What happened since a moment."
    return query(Event, Event.at >= since)
