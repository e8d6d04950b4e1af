"""An expiry that nobody declared: mended."""

from datetime import datetime
from typing import Annotated

from tablewright import Entity, Epoch, Keys, Table

app = Table("App")


class Session(Entity, table=app, ttl="ttl"):
    keys = Keys("SESSION#{session_id}", "SESSION")
    session_id: str
    ttl: Annotated[datetime, Epoch("s")]
