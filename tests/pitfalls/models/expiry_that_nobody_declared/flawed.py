"""An expiry that nobody declared."""

from datetime import datetime
from typing import Annotated

from tablewright import Entity, Epoch, Keys, Table

app = Table("App")


class Session(Entity, table=app):
    keys = Keys("SESSION#{session_id}", "SESSION")
    session_id: str
    ttl: Annotated[datetime, Epoch("s")]
