"""Everything of today in one partition."""

from datetime import datetime

from tablewright import Bucket, Entity, Keys, Query, Table, between, query

app = Table("Log")


class Event(Entity, table=app):
    keys = Keys("EVENTS#{day}", "{at}#{event_id}", derive={"day": Bucket("at", "day")})
    at: datetime
    event_id: str


@app.pattern
def events(start: datetime, end: datetime) -> Query[Event]:
    "What happened in a period."
    return query(Event, between(Event.at, start, end))
