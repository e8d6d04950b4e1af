"""Everything of today in one partition: mended."""

from datetime import datetime

from tablewright import Bucket, Entity, Keys, Query, Shard, Table, between, query

app = Table("Log")


class Event(Entity, table=app):
    keys = Keys(
        "EVENTS#{day}#{shard}",
        "{at}#{event_id}",
        derive={"day": Bucket("at", "day"), "shard": Shard("event_id", of=8)},
    )
    at: datetime
    event_id: str


@app.pattern
def events(start: datetime, end: datetime) -> Query[Event]:
    "What happened in a period."
    return query(Event, between(Event.at, start, end))
