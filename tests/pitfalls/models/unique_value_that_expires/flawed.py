"""A unique value of something that expires."""

from datetime import datetime
from typing import Annotated

from tablewright import Entity, Epoch, Keys, Table

app = Table("Web")


class Room(Entity, table=app, ttl="expires_at"):
    keys = Keys("ROOM#{room_id}", "ROOM#{room_id}", unique=["slug"])
    room_id: str
    slug: str
    expires_at: Annotated[datetime, Epoch("s")]
