"""A time as text in a key: mended."""

from datetime import datetime

from tablewright import Entity, Keys, Table

app = Table("Log")


class Event(Entity, table=app):
    keys = Keys("DEVICE#{device_id}", "EVENT#{happened_at}#{event_id}")
    device_id: str
    event_id: str
    happened_at: datetime
