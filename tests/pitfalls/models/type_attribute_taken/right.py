"""A field with the name of the type attribute: mended."""

from typing import Literal

from tablewright import Entity, Keys, Table

app = Table("Brewing")


class Event(Entity, table=app):
    keys = Keys("BATCH#{batch_id}", "EVENT#{event_id}")
    batch_id: str
    event_id: str
    event_type: Literal["photo", "note"]
