"""Removed with others."""

from datetime import datetime
from typing import Annotated

from tablewright import Entity, Epoch, Keys, Table

app = Table("Shop")


class Session(Entity, table=app, ttl="expires_at"):
    keys = Keys("SESSION#{session_id}", "SESSION")
    session_id: str
    expires_at: Annotated[datetime, Epoch("s")]


class Contract(Entity, table=app):
    keys = Keys("CONTRACT#{contract_id}", "CONTRACT")
    contract_id: str
    expires_at: Annotated[datetime, Epoch("s")]
