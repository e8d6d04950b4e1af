"""A field with the name of the type attribute."""

from typing import Literal

from tablewright import Entity, Keys, Table

app = Table("Brewing")


class Event(Entity, table=app):
    keys = Keys("BATCH#{batch_id}", "EVENT#{event_id}")
    batch_id: str
    event_id: str
    Type: Literal["photo", "note"]
